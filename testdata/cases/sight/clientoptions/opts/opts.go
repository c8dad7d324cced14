// Package opts has options that fill structs of the client, for other packages.
package opts

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
)

// A Family fills a family.
type Family func(*bigtable.Family)

// Age gives it an age.
func Age(d time.Duration) Family {
	return func(f *bigtable.Family) { f.GCPolicy = bigtable.MaxAgePolicy(d) }
}

// A Cell fills a cell.
type Cell interface {
	Fill(*bigtablepb.Mutation_SetCell)
}

// At gives it a time.
type At time.Time

// Fill implements Cell.
func (a At) Fill(c *bigtablepb.Mutation_SetCell) {
	c.TimestampMicros = time.Time(a).Truncate(time.Millisecond).UnixMicro()
}

// Create creates a family.
func Create(ctx context.Context, a *bigtable.AdminClient, table, family string, fill ...Family) error {
	f := &bigtable.Family{}
	for _, o := range fill {
		if o != nil {
			o(f)
		}
	}
	return a.CreateColumnFamilyWithConfig(ctx, table, family, *f)
}

// Set sets a cell.
func Set(family string, fill ...Cell) *bigtablepb.Mutation {
	c := &bigtablepb.Mutation_SetCell{FamilyName: family, TimestampMicros: -1}
	for _, o := range fill {
		o.Fill(c)
	}
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: c}}
}

// Apply runs options on what they fill.
func Apply[T any](to *T, fill ...func(*T)) {
	for _, o := range fill {
		o(to)
	}
}
