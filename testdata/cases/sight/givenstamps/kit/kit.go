// Package kit has a repository that is given how to stamp cells, and takes the time from
// the context.
package kit

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type clockKey struct{}

// Now is the time by the context's clock, or else by the machine's.
func Now(ctx context.Context) time.Time {
	if c, ok := ctx.Value(clockKey{}).(func() time.Time); ok {
		return c()
	}
	return time.Now()
}

// Config is what a Repo has to know.
type Config struct {
	Family string
	Stamp  func(now time.Time) bigtable.Timestamp
	Live   func(now time.Time) bigtable.Filter
}

// Repo keeps a cell in each row.
type Repo struct {
	tbl    *bigtable.Table
	family string
	stamp  func(now time.Time) bigtable.Timestamp
	live   func(now time.Time) bigtable.Filter
}

// NewRepo makes a Repo.
func NewRepo(tbl *bigtable.Table, cfg Config) *Repo {
	return &Repo{tbl: tbl, family: cfg.Family, stamp: cfg.Stamp, live: cfg.Live}
}

// Put writes a cell.
func (r *Repo) Put(ctx context.Context, key string, value []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(r.family, "v", r.stamp(Now(ctx)), value)
	return r.tbl.Apply(ctx, key, mut)
}

// Get reads a cell.
func (r *Repo) Get(ctx context.Context, key string) []byte {
	row, err := r.tbl.ReadRow(ctx, key, bigtable.RowFilter(r.live(Now(ctx))))
	if err != nil || len(row[r.family]) == 0 {
		return nil
	}
	return row[r.family][0].Value
}
