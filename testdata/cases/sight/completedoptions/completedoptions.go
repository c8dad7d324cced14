// Package completedoptions leaves out some options: what it gives of the others counts.
package completedoptions

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/completedoptions/store"
)

func legacy(c *bigtable.Client) *store.Store {
	return store.New(c, store.Options{Family: "token"}) // want `server-timestamp: .*"token"`
}

func later(c *bigtable.Client) *store.Store {
	return store.New(c, store.Options{Family: "token", At: bigtable.Now()}) // want `write-time: .*"token"`
}

func wall() func() bigtable.Timestamp { return bigtable.Now }

func stamped(c *bigtable.Client) *store.Store {
	return store.New(c, store.Options{Stamp: wall()}) // want `write-time: .*"token"`
}

func okUsual(c *bigtable.Client) *store.Store {
	return store.New(c, store.Options{})
}

func okGiven(c *bigtable.Client) *store.Store {
	return store.New(c, store.Options{Family: "token", At: bigtable.Time(time.Now().Add(time.Hour)), TTL: time.Minute})
}
