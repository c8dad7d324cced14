package lib

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// TTL is set by main.
var TTL time.Duration

func Put(m *bigtable.Mutation) {
	m.Set("token", "a", bigtable.Time(time.Now().Add(TTL)), nil) // silent
}
