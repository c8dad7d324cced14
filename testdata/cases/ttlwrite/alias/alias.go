// Package alias imports the client under other names.
package alias

import (
	tt "time"

	gcp_bigtable "cloud.google.com/go/bigtable"
)

type (
	mutation  = gcp_bigtable.Mutation
	timestamp = gcp_bigtable.Timestamp
)

func plain(mut *gcp_bigtable.Mutation) {
	mut.Set("token", "jwt", gcp_bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

func now(mut *mutation) {
	mut.Set("token", "jwt", gcp_bigtable.Now(), nil) // want `write-time: .*"token"`
}

func timeNow(mut *mutation) {
	mut.Set("token", "jwt", gcp_bigtable.Time(tt.Now()), nil) // want `write-time: .*"token"`
}

func aliased(mut *mutation) {
	mut.Set("token", "jwt", timestamp(-1), nil) // want `server-timestamp: .*"token"`
}

func ok(mut *mutation) {
	mut.Set("token", "jwt", gcp_bigtable.Time(tt.Now().Add(tt.Hour)), nil)
}
