// Package withtests has findings in its tests, in-package and external.
package withtests

import "cloud.google.com/go/bigtable"

// Put writes a token.
func Put(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("token", "jwt", ts, nil)
}

func put(mut *bigtable.Mutation) {
	Put(mut, bigtable.ServerTime) // want `server-timestamp: .*"token"`
}
