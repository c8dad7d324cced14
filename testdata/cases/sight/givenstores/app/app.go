// Package app gives stores their tables.
package app

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/givenstores/store"
)

func numbers(c *bigtable.Client) *store.Repo {
	return store.NewRepo(c.Open("history")) // want `clock-in-sequence: .*store.go:32` `clock-in-sequence: .*store.go:38`
}

func cached(c *bigtable.Client) *store.Repo {
	return store.NewRepo(c.Open("cache")) // want `write-time: .*store.go:32` `missing-filter: .*store.go:65`
}

// No registered table.
func scratch(c *bigtable.Client) (*store.Repo, *store.Tokens) {
	return store.NewRepo(c.Open("scratch")), store.NewTokens(c.Open("scratch"))
}

type tables struct{ c *bigtable.Client }

func (t *tables) open(name string) store.Table { return t.c.Open(name) }

func provide(t *tables) *store.Repo {
	return store.NewRepo(t.open("history")) // want `clock-in-sequence: .*store.go:32` `clock-in-sequence: .*store.go:38`
}

func whole(c *bigtable.Client) (*store.Service, error) {
	return store.New(c.Open("mixed")) // want `missing-filter: .*store.go:75`
}

func ordinary(c *bigtable.Client) (*store.Service, error) { return store.New(c.Open("metrics")) }

// Which table it is, somebody else says.
func given(t store.Table) *store.Repo { return store.NewRepo(t) }

func tokens(c *bigtable.Client) *store.Tokens { return store.NewTokens(c.Open("sessions")) }

func built(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	live := bigtable.ChainFilters(bigtable.FamilyFilter("code"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	if row, err := store.Of(c.Open("otp")).With(live).Row(ctx, "k"); err != nil {
		return row, err
	}
	return store.From(c.Open("otp")).Where(live).Row(ctx, "k")
}
