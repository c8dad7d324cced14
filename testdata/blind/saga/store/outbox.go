package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/bt"
	"example.com/saga/clock"
	"example.com/saga/domain/event"
	"example.com/saga/schema"
	"example.com/saga/vo"
)

// Outbox holds messages until the relay has sent them, and the leases of the relays.
type Outbox struct {
	tbl bt.Table
	clk clock.Clock
	n   int64
}

// NewOutbox opens the outbox.
func NewOutbox(c *bigtable.Client, clk clock.Clock) *Outbox {
	return &Outbox{tbl: c.Open(schema.Outbox), clk: clk}
}

// Table is for the relay, which deletes in bulk.
func (b *Outbox) Table() bt.Table { return b.tbl }

// Append registers a message.
func (b *Outbox) Append(u *bt.UnitOfWork, shard string, m event.Message) error {
	enc, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("message %s: %w", m.ID, err)
	}
	mut := bigtable.NewMutation()
	mut.Set(schema.FamMsg, "body", bt.Rev(vo.Revision(m.Seq)), enc)              // ok ttlwrite/unscaled-sequence
	mut.Set(schema.FamMsg, "topic", bt.Rev(vo.Revision(m.Seq)), []byte(m.Topic)) // ok ttlwrite/unscaled-sequence
	u.Register(b.tbl, fmt.Sprintf("%s#%019d", shard, m.Seq), mut)
	return nil
}

// Retry registers a message again, with the count of its tries.
func (b *Outbox) Retry(u *bt.UnitOfWork, key string, body []byte) {
	b.n++
	mut := bigtable.NewMutation()
	mut.Set(schema.FamMsg, "body", bigtable.Timestamp(b.n), body)              // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamMsg, "tried", bigtable.Now(), []byte("x"))               // want ttlwrite/clock-in-sequence
	mut.Set(schema.FamMsg, "tries", bigtable.Timestamp(b.n*1000), number(b.n)) // ok ttlwrite/unscaled-sequence
	u.Register(b.tbl, key, mut)
}

// Park registers a message that nobody can read, under a fixed number.
func (b *Outbox) Park(u *bt.UnitOfWork, key string, body []byte) {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamMsg, "parked", 1, body)                                            // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamMsg, "parked.raw", 1000, body)                                     // ok ttlwrite/unscaled-sequence
	mut.Set(schema.FamLease, "parked", bigtable.Time(b.clk.Now().AddDate(0, 0, 7)), nil) // ok ttlwrite/write-time
	u.Register(b.tbl, key, mut)
}

// Waiting reads up to n messages of a shard.
func (b *Outbox) Waiting(ctx context.Context, shard string, n int64) (map[string]event.Message, error) {
	out := map[string]event.Message{}
	var bad error
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(shard+"#"), func(row bigtable.Row) bool { // ok ttlread/version-limit
		it := bt.Cell(row, schema.FamMsg, "body")
		if it == nil {
			return true
		}
		var m event.Message
		if bad = json.Unmarshal(it.Value, &m); bad != nil {
			return false
		}
		out[row.Key()] = m
		return true
	}, bigtable.RowFilter(bt.In(schema.FamMsg, bigtable.LatestNFilter(1))), bigtable.LimitRows(n))
	if err == nil {
		err = bad
	}
	return out, err
}

// Topics counts the waiting messages by topic.
func (b *Outbox) Topics(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	err := b.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/version-limit[topics]
		for _, it := range row[schema.FamMsg] {
			out[string(it.Value)]++
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamMsg), bigtable.ColumnFilter("topic")))) // want ttlread/version-limit[topics]
	return out, err
}

// Backlog counts the waiting messages of a shard.
func (b *Outbox) Backlog(ctx context.Context, shard string) (n int, err error) {
	err = b.tbl.ReadRows(ctx, bigtable.PrefixRange(shard+"#"), func(bigtable.Row) bool { n++; return true }, // ok ttlread/missing-filter
		bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return n, err
}

// Late lists the messages that have waited for more than five minutes.
func (b *Outbox) Late(ctx context.Context, shard string) ([]string, error) {
	var keys []string
	old := bigtable.TimestampRangeFilter(time.Time{}, b.clk.Now().Add(-5*time.Minute))        // want ttlread/wrong-bound[late]
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(shard+"#"), func(row bigtable.Row) bool { // want ttlread/wrong-bound[late]
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(bt.In(schema.FamMsg, old))) // want ttlread/wrong-bound[late]
	return keys, err
}

// Lag is how long the oldest message of a shard waits.
func (b *Outbox) Lag(ctx context.Context, shard string) (time.Duration, error) {
	var lag time.Duration
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(shard+"#"), func(row bigtable.Row) bool { // ok ttlread/version-limit
		for _, it := range row[schema.FamMsg] {
			lag = b.clk.Now().Sub(it.Timestamp.Time()) // want ttlage/not-write-time
		}
		return false
	}, bigtable.RowFilter(bt.In(schema.FamMsg, bt.Newest())))
	return lag, err
}

func leaseKey(shard string) string { return "lease#" + shard }

// Acquire takes the lease of a shard if nobody has it.
func (b *Outbox) Acquire(ctx context.Context, shard, owner string) (bool, error) {
	set := bigtable.NewMutation()
	set.DeleteCellsInColumn(schema.FamLease, "owner")
	set.Set(schema.FamLease, "owner", bt.ExpiresIn(b.clk, schema.LeaseTTL), []byte(owner)) // ok ttlwrite/write-time
	var held bool
	cond := bigtable.NewCondMutation(bt.Column(schema.FamLease, "owner", bt.Live(b.clk)), nil, set) // ok ttlread/conditional-mutation
	if err := b.tbl.Apply(ctx, leaseKey(shard), cond, bigtable.GetCondMutationResult(&held)); err != nil {
		return false, fmt.Errorf("lease of %s: %w", shard, err)
	}
	return !held, nil
}

// Steal takes the lease from a certain owner, or from nobody.
func (b *Outbox) Steal(ctx context.Context, shard, from, owner string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(schema.FamLease, "owner", bt.ExpiresIn(b.clk, schema.LeaseTTL), []byte(owner))
	var held bool
	cond := bigtable.NewCondMutation(bt.Column(schema.FamLease, "owner", bigtable.ValueFilter(from)), set, nil) // want ttlread/conditional-mutation
	err := b.tbl.Apply(ctx, leaseKey(shard), cond, bigtable.GetCondMutationResult(&held))
	return held, err
}

// Beat says that the owner of a lease is alive.
func (b *Outbox) Beat(ctx context.Context, shard, owner string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLease, "owner", bt.ExpiresIn(b.clk, schema.LeaseTTL), []byte(owner)) // ok ttlwrite/write-time
	mut.Set(schema.FamLease, "beat", bigtable.Now(), []byte(owner))                        // want ttlwrite/write-time
	return b.tbl.Apply(ctx, leaseKey(shard), mut)
}

// Owner is who has a shard.
func (b *Outbox) Owner(ctx context.Context, shard string) (string, error) {
	row, err := b.tbl.ReadRow(ctx, leaseKey(shard), bigtable.RowFilter(bt.Column(schema.FamLease, "owner", bt.Newest()))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	if it := bt.Cell(row, schema.FamLease, "owner"); it != nil {
		return string(it.Value), nil
	}
	return "", nil
}

// Owners are the owners of all shards, and how long they have them.
func (b *Outbox) Owners(ctx context.Context) (map[string]time.Duration, error) {
	out, now := map[string]time.Duration{}, b.clk.Now()
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange("lease#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		it := bt.Cell(row, schema.FamLease, "owner")
		if it == nil || !now.Before(it.Timestamp.Time()) { // ok ttlage/not-write-time
			return true
		}
		out[strings.TrimPrefix(row.Key(), "lease#")+"="+string(it.Value)] = it.Timestamp.Time().Sub(now) // ok ttlage/not-write-time
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamLease)))
	return out, err
}

// Resign gives a lease back.
func (b *Outbox) Resign(ctx context.Context, shard, owner string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(schema.FamLease)
	return b.tbl.Apply(ctx, leaseKey(shard), bigtable.NewCondMutation(bigtable.ValueFilter(owner), del, nil)) // ok ttlread/conditional-mutation
}
