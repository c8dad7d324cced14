// Package store opens tables, some of whose names are dynamic.
package store

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Tables are those of a region.
type Tables struct {
	Ledger   *bigtable.Table
	Sessions *bigtable.Table
	Names    Names
}

// Names are the names of the tables.
type Names struct{ Ledger, Sessions string }

// Open opens them.
func Open(c *bigtable.Client, prefix string) *Tables {
	return &Tables{Ledger: c.Open(prefix + "entries"), Sessions: c.Open(prefix + "users")}
}

// Config is what services are made of.
type Config struct {
	Client *bigtable.Client
	Tables Tables
	Clock  func() time.Time
}
