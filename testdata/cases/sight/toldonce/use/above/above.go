// Package above makes the objects by what another package makes of them.
package above

import (
	"cloud.google.com/go/bigtable"

	told "example.com/cases/sight/toldonce"
	"example.com/cases/sight/toldonce/use"
)

func okHanded(client *bigtable.Client) {
	_ = use.OkHand(client.Open("icu-diary"))
	_ = use.OkLogs(client, told.Policy{})
}

func handed(client *bigtable.Client) {
	_ = use.Hand(client.Open("icu-diary"))             // want `clock-in-sequence: .*"\*-diary"`
	_ = use.OkLogs(client, told.Policy{Family: "hot"}) // want `already-expired: .*"hot"`
}
