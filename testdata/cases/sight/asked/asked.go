// Package asked asks factories of which nothing is known for tables.
package asked

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Tables is implemented elsewhere.
type Tables interface {
	Table(ctx context.Context, key string) *bigtable.Table
}

// Archive is no registered table.
type Archive struct{ tbl *bigtable.Table }

// NewArchive asks for it.
func NewArchive(ctx context.Context, t Tables) *Archive { return &Archive{t.Table(ctx, "archive")} }

// Put writes.
func (a *Archive) Put(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("token", "t", bigtable.ServerTime, nil)
	if err := a.tbl.Apply(ctx, "k", m); err != nil {
		return err
	}
	row, err := a.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("token")))
	println(len(row["token"]))
	return err
}

// Sessions may be what is registered under that name.
func Sessions(ctx context.Context, t Tables) error {
	m := bigtable.NewMutation()
	m.Set("token", "t", bigtable.ServerTime, nil) // want "write to one-second-expiration family .token. .table not known. uses the server timestamp"
	return t.Table(ctx, "SESSION").Apply(ctx, "k", m)
}

// Given asks by a function.
func Given(ctx context.Context, open func(string) *bigtable.Table) error {
	m := bigtable.NewMutation()
	m.Set("token", "t", bigtable.ServerTime, nil)
	if err := open("audit-log").Apply(ctx, "k", m); err != nil {
		return err
	}
	n := bigtable.NewMutation()
	n.Set("token", "t", bigtable.ServerTime, nil) // want "write to one-second-expiration family .token. .table not known. uses the server timestamp"
	return open("sessions").Apply(ctx, "k", n)
}

// Any asks for what it is told.
func Any(ctx context.Context, t Tables, key string) error {
	m := bigtable.NewMutation()
	m.Set("token", "t", bigtable.ServerTime, nil) // want "write to one-second-expiration family .token. .table not known. uses the server timestamp"
	return t.Table(ctx, key).Apply(ctx, "k", m)
}
