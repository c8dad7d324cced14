// Package ports names what services need.
package ports

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Stamper says which timestamp a cell gets.
type Stamper interface{ Stamp() bigtable.Timestamp }

// Expires stamps cells with their expiry.
type Expires struct{ After time.Duration }

// Stamp returns the moment of expiry.
func (e Expires) Stamp() bigtable.Timestamp { return bigtable.Time(time.Now().Add(e.After)) }

// Written stamps cells with the time of writing.
type Written struct{}

// Stamp returns the time of writing.
func (Written) Stamp() bigtable.Timestamp { return bigtable.Now() }

// A Named has a family.
type Named interface{ Family() string }

// Token is the family of tokens.
type Token struct{}

// Family returns its name.
func (Token) Family() string { return "token" }

// Profile is the family of profiles.
type Profile struct{}

// Family returns its name.
func (Profile) Family() string { return "profile" }

// Put writes a cell of a family by its type.
func Put[F Named](mut *bigtable.Mutation, column string, ts bigtable.Timestamp, v []byte) {
	var f F
	mut.Set(f.Family(), column, ts, v)
}

// PutStamped writes a cell with the timestamp of a stamper.
func PutStamped(mut *bigtable.Mutation, family string, s Stamper, v []byte) {
	mut.Set(family, "v", s.Stamp(), v)
}

// PutAll writes cells into families.
func PutAll(mut *bigtable.Mutation, cells map[string]bigtable.Timestamp, v []byte) {
	for family, ts := range cells {
		mut.Set(family, "v", ts, v)
	}
}

// A Reader reads rows.
type Reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
}

// A Repo reads from a table.
type Repo struct{ Rd Reader }
