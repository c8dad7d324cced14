// Package app gives stores their tables.
package app

import (
	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/rules/store"
)

func numbers(c *bigtable.Client) *store.Repo {
	return store.NewRepo(c.Open("history")) // want `read-modify-write: .*store.go:27` `conditional-mutation: .*store.go:38`
}

func cached(c *bigtable.Client) *store.Repo {
	return store.NewRepo(c.Open("cache")) // want `read-modify-write: .*store.go:27` `conditional-mutation: .*store.go:38` `already-expired: .*store.go:44` `conditional-mutation: .*store.go:45`
}

// No registered table, or one of ordinary families.
func scratch(c *bigtable.Client) (*store.Repo, *store.Repo) {
	return store.NewRepo(c.Open("scratch")), store.NewRepo(c.Open("metrics"))
}

func counter(c *bigtable.Client) *store.Counter {
	return store.NewCounter(c, "history", "val") // want `read-modify-write: .*store.go:70`
}

func other(c *bigtable.Client) *store.Counter { return store.NewCounter(c, "metrics", "val") }

// Which table it is, somebody else says.
func given(t store.Table) *store.Repo { return store.NewRepo(t) }

func tokens(c *bigtable.Client) *store.Tokens { return store.NewTokens(c.Open("sessions")) }

func visits(c *bigtable.Client) *store.Visits { return store.NewVisits(c) }
