// Package recordtables saves records behind an interface, each of which fills a
// mutation for a table of its own.
package recordtables

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Record fills what is applied to its table.
type Record interface {
	Table() *bigtable.Table
	Fill(mut *bigtable.Mutation)
}

// Save applies what a record fills to its table.
func Save(ctx context.Context, key string, r Record) error {
	mut := bigtable.NewMutation()
	r.Fill(mut)
	return r.Table().Apply(ctx, key, mut)
}

// What lasts is right for a table of values that expire.
type lasting struct{ tbl *bigtable.Table }

func (l lasting) Table() *bigtable.Table { return l.tbl }
func (l lasting) Fill(mut *bigtable.Mutation) {
	mut.Set("val", "v", bigtable.Time(time.Now().Add(time.Hour)), nil)
}

// What is stamped is right for an ordinary one.
type stamped struct{ tbl *bigtable.Table }

func (s stamped) Table() *bigtable.Table { return s.tbl }
func (s stamped) Fill(mut *bigtable.Mutation) {
	mut.Set("val", "v", bigtable.Now(), nil)
}

func saveAll(ctx context.Context, c *bigtable.Client) {
	for _, r := range []Record{lasting{c.Open("cache")}, stamped{c.Open("plain")}} {
		_ = Save(ctx, "k", r)
	}
}

// The same without a function between.
type entry struct{ tbl *bigtable.Table }

func (e entry) Table() *bigtable.Table { return e.tbl }
func (e entry) Fill(mut *bigtable.Mutation) {
	mut.Set("val", "v", bigtable.Time(time.Now().Add(time.Hour)), nil)
}

type note struct{ tbl *bigtable.Table }

func (n note) Table() *bigtable.Table      { return n.tbl }
func (n note) Fill(mut *bigtable.Mutation) { mut.Set("val", "v", bigtable.Now(), nil) }

func inLoop(ctx context.Context, c *bigtable.Client) {
	for _, r := range []Record{entry{c.Open("cache")}, note{c.Open("plain")}} {
		mut := bigtable.NewMutation()
		r.Fill(mut)
		_ = r.Table().Apply(ctx, "k", mut)
	}
}

// The same in bulk.
type line struct{ tbl *bigtable.Table }

func (l line) Table() *bigtable.Table { return l.tbl }
func (l line) Fill(mut *bigtable.Mutation) {
	mut.Set("val", "v", bigtable.Time(time.Now().Add(time.Hour)), nil)
}

type remark struct{ tbl *bigtable.Table }

func (r remark) Table() *bigtable.Table      { return r.tbl }
func (r remark) Fill(mut *bigtable.Mutation) { mut.Set("val", "v", bigtable.Now(), nil) }

func saveMany(ctx context.Context, r Record, keys []string) error {
	var muts []*bigtable.Mutation
	for range keys {
		mut := bigtable.NewMutation()
		r.Fill(mut)
		muts = append(muts, mut)
	}
	_, err := r.Table().ApplyBulk(ctx, keys, muts)
	return err
}

func inBulk(ctx context.Context, c *bigtable.Client, keys []string) {
	for _, r := range []Record{line{c.Open("cache")}, remark{c.Open("plain")}} {
		_ = saveMany(ctx, r, keys)
	}
}

// What is stamped is wrong for a table of values that expire, beside a record that is
// right for it.
type kept struct{ tbl *bigtable.Table }

func (k kept) Table() *bigtable.Table { return k.tbl }
func (k kept) Fill(mut *bigtable.Mutation) {
	mut.Set("val", "v", bigtable.Time(time.Now().Add(time.Hour)), nil)
}

type lost struct{ tbl *bigtable.Table }

func (l lost) Table() *bigtable.Table { return l.tbl }
func (l lost) Fill(mut *bigtable.Mutation) {
	mut.Set("val", "v", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
}

func saveLost(ctx context.Context, c *bigtable.Client) {
	for _, r := range []Record{kept{c.Open("plain")}, lost{c.Open("cache")}} {
		_ = Save(ctx, "k", r)
	}
}
