// Package tables opens the company's tables.
package tables

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"

	"example.com/datalib/datalib/schema"
)

// Set holds an open handle of every table.
type Set struct {
	Tickets   *bigtable.Table
	Sessions  *bigtable.Table
	Positions *bigtable.Table
	Timetable *bigtable.Table
	Board     *bigtable.Table
	Stops     *bigtable.Table
	// Journal is one table per region, "<region>-journal".
	Journal *bigtable.Table
	// Archive and AccessLog are ordinary tables; they reuse family names.
	Archive   *bigtable.Table
	AccessLog *bigtable.Table

	client *bigtable.Client
	region string
}

// Open opens all tables.
func Open(ctx context.Context, project, instance, region string) (*Set, error) {
	c, err := bigtable.NewClient(ctx, project, instance)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	return FromClient(c, region), nil
}

// FromClient opens all tables with a client that is there already.
func FromClient(c *bigtable.Client, region string) *Set {
	return &Set{
		Tickets:   c.Open(schema.Tickets),
		Sessions:  c.Open(schema.Sessions),
		Positions: c.Open(schema.Positions),
		Timetable: c.Open(schema.Timetable),
		Board:     c.Open(schema.Board),
		Stops:     c.Open(schema.Stops),
		Journal:   c.Open(region + "-journal"),
		Archive:   c.Open(schema.Archive),
		AccessLog: c.Open(schema.AccessLog),
		client:    c,
		region:    region,
	}
}

// Client is for SQL.
func (s *Set) Client() *bigtable.Client { return s.client }

// Region names the region of the journal.
func (s *Set) Region() string { return s.region }

// Close closes the client.
func (s *Set) Close() error { return s.client.Close() }
