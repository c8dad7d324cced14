// Package app gives a store its clock and its layout, from which it gets
// the family: the time of writing is wrong for that one.
package app

import (
	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clocks"
	"example.com/cases/sight/clocks/clock"
	"example.com/cases/sight/clocks/layout"
)

func start(c *bigtable.Client) *clocks.Store {
	return clocks.New(c, layout.DefaultSessions(), layout.Mixed{}.WithDefaults(), layout.Family{Name: "profile"}, clock.Truncated{Clock: clock.System{}}) // want `write-time: .*"token" of table "sessions"`
}
