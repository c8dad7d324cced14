//ttlvet:ignore ttlwrite/server-timestamp this file writes tombstones only

// Package wholefile silences one file and not the other.
package wholefile

import "cloud.google.com/go/bigtable"

func okOne(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil)
}

func okTwo(mut *bigtable.Mutation) {
	mut.Set("token", "csrf", bigtable.ServerTime, nil)
}
