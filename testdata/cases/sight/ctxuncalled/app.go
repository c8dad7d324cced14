// Package ctxuncalled gives stores their tables, and calls none of their methods.
package ctxuncalled

import (
	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/ctxuncalled/store"
)

func stores(c *bigtable.Client) []*store.Store {
	return []*store.Store{
		store.New(c.Open("history")), // want `wrong-bound: .*"history"`
		store.New(c.Open("cache")),
	}
}

func chosen(c *bigtable.Client) *store.Chosen { return store.NewChosen(c.Open("history"), true) }
