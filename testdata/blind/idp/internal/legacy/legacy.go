// Package legacy reads and writes the tables of the old service until it is gone.
package legacy

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/idp/internal/ids"
	"example.com/idp/internal/schema"
	"example.com/idp/internal/store"
)

// Bridge copies between the old table and the new ones.
type Bridge struct {
	old     *bigtable.Table
	scratch *store.Table
}

// Record is a token of the old service.
type Record struct {
	Hash      string
	CreatedAt time.Time
}

// NewBridge opens the tables.
func NewBridge(c *bigtable.Client) *Bridge {
	return &Bridge{old: c.Open(schema.TableLegacy), scratch: store.Open(c, schema.TableScratch)}
}

func (b *Bridge) Mirror(ctx context.Context, id ids.SessionID, blob []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSession, "data", bigtable.Now(), blob)             // ok ttlwrite/write-time
	m.Set(schema.FamAccess, "data", bigtable.ServerTime, nil)          // ok ttlwrite/server-timestamp
	m.Set(schema.FamKey, "data", bigtable.Time(time.Now()), []byte{1}) // ok ttlwrite/clock-in-sequence
	return b.old.Apply(ctx, string(id), m)
}

func (b *Bridge) Count(ctx context.Context, id ids.SessionID) error {
	m := bigtable.NewReadModifyWrite()
	m.Increment(schema.FamSession, "hits", 1) // ok ttlwrite/read-modify-write
	_, err := b.old.ApplyReadModifyWrite(ctx, string(id), m)
	return err
}

func (b *Bridge) Find(ctx context.Context, id ids.TokenID) (Record, error) {
	row, err := b.old.ReadRow(ctx, string(id)) // ok ttlread/missing-filter
	if err != nil {
		return Record{}, err
	}
	var out Record
	for _, it := range row[schema.FamRefresh] {
		out.Hash = string(it.Value)
		out.CreatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return out, nil
}

func (b *Bridge) Since(ctx context.Context, t time.Time, emit func(bigtable.Row)) error {
	return b.old.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter ttlread/wrong-bound
		emit(r)
		return true
	}, bigtable.RowFilter(store.In(schema.FamRefresh, store.Younger(time.Now(), time.Hour)))) // ok ttlread/wrong-bound
}

func (b *Bridge) Stamp(ctx context.Context, id ids.TokenID, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set("copied", "seconds", bigtable.Timestamp(at.Unix()), nil)          // want ttlunit/wrong-unit
	m.Set("copied", "micros", bigtable.Timestamp(at.Unix()*1_000_000), nil) // ok ttlunit/wrong-unit
	return b.old.Apply(ctx, string(id), m)
}

func (b *Bridge) Latest(ctx context.Context, id ids.TokenID, column string) (bigtable.Row, error) {
	return b.old.ReadRow(ctx, string(id), bigtable.RowFilter(bigtable.ColumnFilter(column)), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/overridden-filter
}

func (b *Bridge) None(ctx context.Context, id ids.TokenID) (bool, error) {
	row, err := b.old.ReadRow(ctx, string(id), bigtable.RowFilter(bigtable.LatestNFilter(0))) // want ttlunit/invalid-filter
	return len(row) > 0, err
}

func (b *Bridge) Remember(ctx context.Context, key string, v []byte) error {
	if err := b.scratch.PutNow(ctx, key, schema.FamAccess, "tmp", v); err != nil { // ok ttlwrite/write-time
		return err
	}
	_, err := b.scratch.Increment(ctx, key, schema.FamGrant, "n", 1) // ok ttlwrite/read-modify-write
	return err
}

func (b *Bridge) Recall(ctx context.Context, key string) ([]byte, error) {
	it, err := b.scratch.Get(ctx, key, schema.FamAccess, "tmp") // ok ttlread/missing-filter
	return it.Value, err
}

func (b *Bridge) Forget(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange(schema.FamAccess, "tmp", 0, 999)  // want ttlunit/sub-millisecond
	m.DeleteTimestampRange(schema.FamAccess, "old", 0, 5000) // ok ttlunit/sub-millisecond
	m.Set(schema.FamAccess, "mark", 1500, nil)               // want ttlunit/sub-millisecond
	m.Set(schema.FamAccess, "mark2", 2000, nil)              // ok ttlunit/sub-millisecond
	return b.scratch.Apply(ctx, key, m)
}

func (b *Bridge) Window(ctx context.Context, key string) (bigtable.Row, error) {
	return b.scratch.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(5000, 5000))) // want ttlunit/empty-range
}

func (b *Bridge) Epoch(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("copied", "never", bigtable.Time(time.Time{}), nil)     // want ttlunit/out-of-range
	m.Set("copied", "epoch", bigtable.Time(time.Unix(0, 0)), nil) // ok ttlunit/out-of-range
	return b.old.Apply(ctx, key, m)
}
