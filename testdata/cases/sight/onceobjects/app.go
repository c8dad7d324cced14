// Package onceobjects makes the objects.
package onceobjects

import (
	"os"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/onceobjects/store"
)

func okOpen(c *bigtable.Client) *store.Diary  { return store.Open(c, os.Getenv("LINE")) }
func okNamed(c *bigtable.Client) *store.Diary { return store.Open(c, "north") }

func use(c *bigtable.Client) *store.Any   { return store.Use(c, "north-diary") } // want `read-modify-write`
func okUse(c *bigtable.Client) *store.Any { return store.Use(c, "diaries") }
