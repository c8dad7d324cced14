// Package store has objects that are given their table, of which the package
// itself makes none: their read-modify-writes and conditional mutations.
package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Table is what a Repo uses.
type Table interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// Repo keeps values: a family that several tables have.
type Repo struct{ tbl Table }

// NewRepo makes a Repo.
func NewRepo(t Table) *Repo { return &Repo{tbl: t} }

// Tag appends to a cell.
func (r *Repo) Tag(ctx context.Context, key, label string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue("val", "labels", []byte(label+","))
	rmw.AppendValue("sample", "labels", []byte(label+","))
	_, err := r.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Approve turns what is pending into what is active.
func (r *Repo) Approve(ctx context.Context, key string, n int64) error {
	pending := bigtable.ChainFilters(bigtable.FamilyFilter("val"), bigtable.ColumnFilter("status"), bigtable.ValueFilter("pending"), bigtable.LatestNFilter(1))
	set := bigtable.NewMutation()
	set.Set("val", "status", bigtable.Timestamp(n*1000), []byte("active"))
	return r.tbl.Apply(ctx, key, bigtable.NewCondMutation(pending, set, nil))
}

// Create writes what is not there.
func (r *Repo) Create(ctx context.Context, key string) error {
	set := bigtable.NewMutation()
	set.Set("val", "status", bigtable.Timestamp(1000), nil)
	return r.tbl.Apply(ctx, key, bigtable.NewCondMutation(bigtable.FamilyFilter("val"), nil, set))
}

// Drop deletes what is pending.
func (r *Repo) Drop(ctx context.Context, key string) error {
	pending := bigtable.ChainFilters(bigtable.FamilyFilter("val"), bigtable.ValueFilter("pending"), bigtable.LatestNFilter(1))
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily("val")
	return r.tbl.Apply(ctx, key, bigtable.NewCondMutation(pending, del, nil))
}

// Counter counts in a table of its own.
type Counter struct {
	tbl    *bigtable.Table
	family string
}

// NewCounter makes a Counter.
func NewCounter(c *bigtable.Client, name, family string) *Counter {
	return &Counter{tbl: c.Open(name), family: family}
}

// Add counts.
func (c *Counter) Add(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("val", "n", 1)
	_, err := c.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Tokens has a family of one table: what is wrong with it is found here.
type Tokens struct{ tbl Table }

// NewTokens makes Tokens.
func NewTokens(t Table) *Tokens { return &Tokens{t} }

// Use counts a use.
func (s *Tokens) Use(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("token", "uses", 1) // want `read-modify-write`
	_, err := s.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Renew extends what is there.
func (s *Tokens) Renew(ctx context.Context, key string) error {
	set := bigtable.NewMutation()
	set.Set("token", "jwt", bigtable.Time(time.Now().Add(time.Hour)), nil)
	return s.tbl.Apply(ctx, key, bigtable.NewCondMutation(bigtable.FamilyFilter("token"), set, nil)) // want `conditional-mutation`
}

// Visits counts in a table of which this package knows the name: whoever makes
// one adds nothing.
type Visits struct{ tbl *bigtable.Table }

// NewVisits opens the table.
func NewVisits(c *bigtable.Client) *Visits { return &Visits{c.Open("sessions")} }

// Add counts a visit.
func (v *Visits) Add(ctx context.Context, user string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("token", "visits", 1) // want `read-modify-write|Increment on one-second`
	_, err := v.tbl.ApplyReadModifyWrite(ctx, user, rmw)
	return err
}
