// Package stringparts: family and column from one constant by strings.Cut. Missed.
package stringparts

import (
	"strings"

	"cloud.google.com/go/bigtable"
)

func put(m *bigtable.Mutation, name string, ts bigtable.Timestamp) {
	fam, col, _ := strings.Cut(name, ":")
	m.Set(fam, col, ts, nil)
}

func write(m *bigtable.Mutation) {
	fam, col, _ := strings.Cut("cap:x", ":")
	m.Set(fam, col, bigtable.ServerTime, nil)                             // want ttlwrite/server-timestamp
	m.Set(strings.Split("cap:x", ":")[0], "y", bigtable.ServerTime, nil)  // want ttlwrite/server-timestamp
	m.Set(strings.TrimSuffix("cap:", ":"), "z", bigtable.ServerTime, nil) // want ttlwrite/server-timestamp
	put(m, "cap:w", bigtable.ServerTime)                                  // want ttlwrite/server-timestamp
	put(m, "seg:w", bigtable.ServerTime)                                  // ok ttlwrite/server-timestamp
}

var _ = write
