// Package ingest takes points and spans from streams, remembers how far it
// got, and makes sure that one worker reads a partition.
package ingest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/bt"
	"example.com/lumen/internal/names"
)

const (
	colOffset = "off"
	colEpoch  = "epoch"
	colOwner  = "owner"
	colBeat   = "beat"
)

// Cursor is the position in a partition.
type Cursor struct {
	Stream    string
	Partition int
	Offset    int64
	Epoch     int64
}

func (c Cursor) key() string { return fmt.Sprintf("%s/%04d", c.Stream, c.Partition) }

// clock is replaced in tests.
type clock interface{ Now() time.Time }

type wall struct{}

func (wall) Now() time.Time { return time.Now() }

// Cursors reads and writes positions and leases.
type Cursors struct {
	tbl     *bigtable.Table
	clk     clock
	me      string
	commits atomic.Uint64
	epochs  map[string]int64
}

// Option changes Cursors.
type Option func(*Cursors)

func As(me string) Option { return func(c *Cursors) { c.me = me } }

func NewCursors(c *bigtable.Client, opts ...Option) *Cursors {
	cs := &Cursors{tbl: c.Open(names.TableCursors), clk: wall{}, me: "worker", epochs: map[string]int64{}}
	for _, o := range opts {
		o(cs)
	}
	return cs
}

func u64(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// Commit stores a position under its own offset, so that a late writer
// cannot move it back.
func (c *Cursors) Commit(ctx context.Context, cur Cursor) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamPos, colOffset, bt.Seq(cur.Offset), u64(cur.Offset)) // ok ttlwrite/unscaled-sequence
	return bt.Retry(ctx, "commit", func() error { return c.tbl.Apply(ctx, cur.key(), mut) })
}

func (c *Cursors) CommitNow(ctx context.Context, cur Cursor) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamPos, colOffset, bigtable.Time(c.clk.Now()), u64(cur.Offset)) // want ttlwrite/clock-in-sequence
	return c.tbl.Apply(ctx, cur.key(), mut)
}

func (c *Cursors) CommitCount(ctx context.Context, cur Cursor) error {
	n := c.commits.Add(1)
	return bt.Put(ctx, c.tbl, cur.key(), names.FamPos, colOffset, bigtable.Timestamp(n), u64(cur.Offset)) // want ttlwrite/unscaled-sequence
}

func (c *Cursors) CommitAll(ctx context.Context, curs []Cursor) error {
	keys := make([]string, 0, len(curs))
	muts := make([]*bigtable.Mutation, 0, len(curs))
	for _, cur := range curs {
		m := bigtable.NewMutation()
		m.Set(names.FamPos, colOffset, bigtable.Timestamp(cur.Offset*1000), u64(cur.Offset)) // ok ttlwrite/unscaled-sequence
		m.Set(names.FamPos, colEpoch, bigtable.Now(), u64(cur.Epoch))                        // want ttlwrite/clock-in-sequence
		keys, muts = append(keys, cur.key()), append(muts, m)
	}
	errs, err := c.tbl.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

func (c *Cursors) NextEpoch(ctx context.Context, cur Cursor) (int64, error) {
	c.epochs[cur.Stream]++
	n := c.epochs[cur.Stream]
	err := bt.Put(ctx, c.tbl, cur.key(), names.FamPos, colEpoch, bt.Seq(n), u64(n)) // ok ttlwrite/unscaled-sequence
	return n, err
}

func (c *Cursors) Reset(ctx context.Context, stream string, partitions int) error {
	for p := range partitions {
		cur := Cursor{Stream: stream, Partition: p}
		mut := bigtable.NewMutation()
		mut.DeleteCellsInFamily(names.FamPos)
		mut.Set(names.FamPos, colOffset, bigtable.Timestamp(p), u64(0)) // want ttlwrite/unscaled-sequence
		if err := c.tbl.Apply(ctx, cur.key(), mut); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cursors) ResetTo(ctx context.Context, stream string, partitions int) error {
	for p := 0; p < partitions; p++ {
		cur := Cursor{Stream: stream, Partition: p}
		mut := bigtable.NewMutation()
		mut.DeleteCellsInFamily(names.FamPos)                                // ok ttlwrite/delete-after-set
		mut.Set(names.FamPos, colOffset, bigtable.Timestamp(1*1000), u64(1)) // ok ttlwrite/unscaled-sequence
		if err := c.tbl.Apply(ctx, cur.key(), mut); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cursors) Skip(ctx context.Context, cur Cursor, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamPos, colOffset, n) // want ttlwrite/read-modify-write
	_, err := c.tbl.ApplyReadModifyWrite(ctx, cur.key(), rmw)
	return err
}

func (c *Cursors) Load(ctx context.Context, stream string, partition int) (Cursor, error) {
	cur := Cursor{Stream: stream, Partition: partition}
	row, err := bt.One(ctx, c.tbl, cur.key(), bt.InFamily(names.FamPos, bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	if err != nil {
		return cur, err
	}
	return cur, fill(&cur, row)
}

func fill(cur *Cursor, row bigtable.Row) error {
	it, ok := bt.Cell(row, names.FamPos, colOffset)
	if !ok {
		return bt.ErrNoRow
	}
	if len(it.Value) != 8 {
		return fmt.Errorf("cursor %q: %d bytes", row.Key(), len(it.Value))
	}
	cur.Offset = int64(binary.BigEndian.Uint64(it.Value))
	return nil
}

func (c *Cursors) LoadAll(ctx context.Context, stream string) ([]Cursor, error) {
	var out []Cursor
	rows, err := bt.Collect(ctx, c.tbl, bt.Query{Rows: bigtable.PrefixRange(stream + "/"), Filters: []bigtable.Filter{bigtable.FamilyFilter(names.FamPos), bigtable.LatestNFilter(3)}}) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		cur := Cursor{Stream: stream}
		if err := fill(&cur, r); err != nil {
			slog.Warn("bad cursor", "row", r.Key(), "err", err)
			continue
		}
		out = append(out, cur)
	}
	return out, nil
}

func (c *Cursors) Lag(ctx context.Context, cur Cursor) (time.Duration, error) {
	row, err := bt.One(ctx, c.tbl, cur.key(), bt.InFamily(names.FamPos, bigtable.LatestNFilter(1)))
	if err != nil {
		return 0, err
	}
	it, _ := bt.Cell(row, names.FamPos, colOffset)
	return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

func (c *Cursors) Behind(ctx context.Context, cur Cursor, head int64) (int64, error) {
	row, err := bt.One(ctx, c.tbl, cur.key(), bt.InFamily(names.FamPos, bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	it, _ := bt.Cell(row, names.FamPos, colOffset)
	return head - bt.SeqOf(it.Timestamp), nil // ok ttlage/not-write-time
}

func (c *Cursors) Moved(ctx context.Context, stream string) ([]bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamPos), bigtable.TimestampRangeFilter(c.clk.Now().Add(-time.Minute), time.Time{}), bigtable.LatestNFilter(1)) // want ttlread/wrong-bound[moved]
	return bt.Collect(ctx, c.tbl, bt.Query{Rows: bigtable.PrefixRange(stream + "/"), Filters: []bigtable.Filter{f}})                                                      // want ttlread/wrong-bound[moved]
}
