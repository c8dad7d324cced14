// Package avail tracks rooms by night: the state at timestamp zero, changes
// under sequence numbers.
package avail

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"example.com/hotelbook/gen/availbt"
	"example.com/hotelbook/gen/btrt"
	"example.com/hotelbook/internal/btx"
)

const versions = 5

// Change is one change of a night.
type Change struct {
	Key    string
	Number int64
	Rooms  int64
	Reason string
}

// Calendar reads and writes nights.
type Calendar struct {
	tbl *availbt.Table
	log *slog.Logger

	mu   sync.Mutex
	seqs map[string]int64
}

// NewCalendar opens the table.
func NewCalendar(c *bigtable.Client, log *slog.Logger) *Calendar {
	return &Calendar{tbl: availbt.Open(c), log: log, seqs: map[string]int64{}}
}

// stamp is the timestamp of a change.
func stamp() bigtable.Timestamp { return bigtable.Time(time.Now()) }

// number is the timestamp of the n-th change.
func number(n int64) bigtable.Timestamp { return bigtable.Timestamp(n) * 1000 }

// SetNight replaces the state of a night.
func (c *Calendar) SetNight(ctx context.Context, k string, n *availbt.Night) error {
	mut := bigtable.NewMutation()
	n.MarshalBigtable(mut, 0) // ok ttlwrite/clock-in-zero
	return c.tbl.Apply(ctx, k, mut)
}

// CloseNight closes a night.
func (c *Calendar) CloseNight(ctx context.Context, k string) error {
	mut := bigtable.NewMutation()
	availbt.SetNightClosed(mut, bigtable.Now(), true) // want ttlwrite/clock-in-zero
	availbt.SetNightRooms(mut, 0, 0)                  // ok ttlwrite/clock-in-zero
	return c.tbl.Apply(ctx, k, mut)
}

// OpenNight opens a night.
func (c *Calendar) OpenNight(ctx context.Context, k string, rooms int64) error {
	mut := bigtable.NewMutation()
	availbt.SetNightRooms(mut, 0, rooms)
	availbt.SetNightClosed(mut, 0, false) // ok ttlwrite/same-timestamp
	availbt.SetNightRooms(mut, 0, rooms)  // want ttlwrite/same-timestamp
	return c.tbl.Apply(ctx, k, mut)
}

// Record writes a change.
func (c *Calendar) Record(ctx context.Context, ch Change) error {
	d := &availbt.Delta{Change: ch.Rooms, Reason: ch.Reason}
	mut := bigtable.NewMutation()
	d.MarshalBigtable(mut, number(ch.Number)) // ok ttlwrite/unscaled-sequence
	return c.tbl.Apply(ctx, ch.Key, mut)
}

// RecordNow writes a change without a number.
func (c *Calendar) RecordNow(ctx context.Context, ch Change) error {
	d := &availbt.Delta{Change: ch.Rooms, Reason: ch.Reason}
	mut := bigtable.NewMutation()
	d.MarshalBigtable(mut, stamp()) // want ttlwrite/clock-in-sequence
	return c.tbl.Apply(ctx, ch.Key, mut)
}

// RecordReason writes only a reason.
func (c *Calendar) RecordReason(ctx context.Context, k, reason string) error {
	mut := bigtable.NewMutation()
	availbt.SetDeltaReason(mut, bigtable.ServerTime, reason) // want ttlwrite/clock-in-sequence
	return c.tbl.Apply(ctx, k, mut)
}

// RecordUnix writes a change under the second it happened.
func (c *Calendar) RecordUnix(ctx context.Context, k string, d *availbt.Delta) error {
	mut := bigtable.NewMutation()
	d.MarshalBigtable(mut, bigtable.Timestamp(time.Now().UnixMilli()*1000)) // want ttlwrite/clock-in-sequence
	return c.tbl.Apply(ctx, k, mut)
}

// RecordNext writes a change under the next number of its key.
func (c *Calendar) RecordNext(ctx context.Context, k string, d *availbt.Delta) error {
	c.mu.Lock()
	c.seqs[k]++
	n := c.seqs[k]
	c.mu.Unlock()
	mut := bigtable.NewMutation()
	d.MarshalBigtable(mut, bigtable.Timestamp(n)) // want ttlwrite/unscaled-sequence
	return c.tbl.Apply(ctx, k, mut)
}

// RecordScaled writes a change under the next number of its key.
func (c *Calendar) RecordScaled(ctx context.Context, k string, d *availbt.Delta) error {
	c.mu.Lock()
	c.seqs[k]++
	n := c.seqs[k]
	c.mu.Unlock()
	mut := bigtable.NewMutation()
	d.MarshalBigtable(mut, btx.Seq(n)) // ok ttlwrite/unscaled-sequence
	return c.tbl.Apply(ctx, k, mut)
}

// RecordAll writes changes of one night at once.
func (c *Calendar) RecordAll(ctx context.Context, k string, ds []*availbt.Delta) error {
	mut := bigtable.NewMutation()
	for i, d := range ds {
		d.MarshalBigtable(mut, btx.TS(int64(len(ds)-i))) // want ttlwrite/unscaled-sequence
	}
	return c.tbl.Apply(ctx, k, mut)
}

// RecordBatch writes changes of many nights.
func (c *Calendar) RecordBatch(ctx context.Context, chs []Change) error {
	var b btrt.Batch
	for i, ch := range chs {
		d := &availbt.Delta{Change: ch.Rooms, Reason: ch.Reason}
		b.Add(ch.Key, d, bigtable.Timestamp(i)) // want ttlwrite/unscaled-sequence
	}
	return b.Flush(ctx, c.tbl.Raw())
}

// RecordOrdered writes changes of many nights.
func (c *Calendar) RecordOrdered(ctx context.Context, chs []Change) error {
	var b btrt.Batch
	for i, ch := range chs {
		d := &availbt.Delta{Change: ch.Rooms, Reason: ch.Reason}
		b.Add(ch.Key, d, number(int64(i))) // ok ttlwrite/unscaled-sequence
	}
	return b.Flush(ctx, c.tbl.Raw())
}

// RecordLate writes changes that arrived late.
func (c *Calendar) RecordLate(ctx context.Context, chs []Change) error {
	var b btrt.Batch
	for _, ch := range chs {
		b.Add(ch.Key, &availbt.Delta{Change: ch.Rooms, Reason: "late"}, btx.NowTS()) // want ttlwrite/clock-in-sequence
		b.Add(ch.Key, &availbt.Night{Rooms: ch.Rooms}, 0)                            // ok ttlwrite/clock-in-zero
	}
	return b.Flush(ctx, c.tbl.Raw())
}

// RecordOne writes a correction by hand.
func (c *Calendar) RecordOne(ctx context.Context, k, reason string) error {
	mut := bigtable.NewMutation()
	availbt.SetDeltaReason(mut, 1500, reason) // want ttlwrite/unscaled-sequence
	availbt.SetDeltaChange(mut, 2000, 0)      // ok ttlwrite/unscaled-sequence
	return c.tbl.Apply(ctx, k, mut)
}

// AppendReason adds to the reason of a change.
func (c *Calendar) AppendReason(ctx context.Context, k, reason string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(availbt.FamilyDelta, availbt.ColDeltaReason, []byte(reason)) // want ttlwrite/read-modify-write
	_, err := c.tbl.Raw().ApplyReadModifyWrite(ctx, k, rmw)
	return err
}

// Get reads a night with its changes.
func (c *Calendar) Get(ctx context.Context, k string) (*availbt.Row, error) {
	return c.tbl.ReadRow(ctx, k, btx.Newest(versions)) // ok ttlread/version-limit
}

// GetAll reads a night with all changes.
func (c *Calendar) GetAll(ctx context.Context, k string) (*availbt.Row, error) {
	return c.tbl.ReadRow(ctx, k) // want ttlread/missing-filter
}

// GetMany reads a night with many changes.
func (c *Calendar) GetMany(ctx context.Context, k string) (*availbt.Row, error) {
	return c.tbl.ReadRow(ctx, k, btx.Newest(versions+1)) // want ttlread/version-limit
}

// Night reads the state alone.
func (c *Calendar) Night(ctx context.Context, k string) (*availbt.Night, error) {
	n := new(availbt.Night)
	return n, btrt.ReadInto(ctx, c.tbl.Raw(), k, n, bigtable.RowFilter(bigtable.FamilyFilter(availbt.FamilyNight))) // ok ttlread/missing-filter
}

// Rooms reads the number of rooms.
func (c *Calendar) Rooms(ctx context.Context, k string) (int64, error) {
	row, err := c.tbl.Raw().ReadRow(ctx, k) // ok ttlread/missing-filter
	return btrt.FirstInt64(row, availbt.FamilyNight), err
}

// LastChange reads the last change.
func (c *Calendar) LastChange(ctx context.Context, k string) (int64, error) {
	row, err := c.tbl.Raw().ReadRow(ctx, k, bigtable.RowFilter(bigtable.ColumnFilter(availbt.ColDeltaChange))) // want ttlread/version-limit
	return btrt.FirstInt64(row, availbt.FamilyDelta), err
}

// LastReason reads the reason of the last change.
func (c *Calendar) LastReason(ctx context.Context, k string) (string, error) {
	f := bigtable.ChainFilters(bigtable.ColumnFilter(availbt.ColDeltaReason), bigtable.LatestNFilter(1))
	row, err := c.tbl.Raw().ReadRow(ctx, k, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return "", err
	}
	for _, it := range row[availbt.FamilyDelta] {
		return string(it.Value), nil
	}
	return "", nil
}

// Today reads the changes of a day.
func (c *Calendar) Today(ctx context.Context, prefix string) ([]availbt.Row, error) {
	f := bigtable.ChainFilters( // want ttlread/wrong-bound[today]
		bigtable.FamilyFilter(availbt.FamilyDelta),
		bigtable.TimestampRangeFilter(time.Now().Add(-24*time.Hour), time.Time{}), // want ttlread/wrong-bound[today]
	)
	return btrt.Collect[availbt.Row](ctx, c.tbl.Raw(), bigtable.PrefixRange(prefix), bigtable.RowFilter(f)) // want ttlread/wrong-bound[today]
}

// Between reads the changes with numbers of a range.
func (c *Calendar) Between(ctx context.Context, prefix string, from, to int64) ([]availbt.Row, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(availbt.FamilyDelta),
		bigtable.TimestampRangeFilterMicros(number(from), number(to)),
		bigtable.LatestNFilter(versions),
	)
	return btrt.Collect[availbt.Row](ctx, c.tbl.Raw(), bigtable.PrefixRange(prefix), bigtable.RowFilter(f)) // ok ttlread/wrong-bound
}

// Feed reads changes, one night after the other.
func (c *Calendar) Feed(ctx context.Context, prefix string, out chan<- Change) error {
	defer close(out)
	return c.tbl.Raw().ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/version-limit
		for _, it := range r[availbt.FamilyDelta] {
			ch := Change{Key: r.Key(), Number: int64(it.Timestamp) / 1000, Reason: string(it.Value)} // ok ttlage/not-write-time
			select {
			case out <- ch:
			case <-ctx.Done():
				return false
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(availbt.FamilyDelta), bigtable.LatestNFilter(1))))
}

// Lag says how far behind the newest change is.
func (c *Calendar) Lag(ctx context.Context, k string) (time.Duration, error) {
	row, err := c.tbl.Raw().ReadRow(ctx, k, btx.Newest(1)) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	var lag time.Duration
	for _, it := range row[availbt.FamilyDelta] {
		lag = max(lag, time.Since(it.Timestamp.Time())) // want ttlage/not-write-time
	}
	if lag > time.Minute {
		c.log.Warn("lag", "key", k, "lag", lag)
	}
	return lag, nil
}

// First writes a change if the night has none.
func (c *Calendar) First(ctx context.Context, k string, d *availbt.Delta) error {
	set := bigtable.NewMutation()
	d.MarshalBigtable(set, number(1))                                                      // ok ttlwrite/unscaled-sequence
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(availbt.FamilyDelta), nil, set) // ok ttlread/conditional-mutation
	return c.tbl.Raw().Apply(ctx, k, cond)
}

// FirstReason writes a reason if an older one says so.
func (c *Calendar) FirstReason(ctx context.Context, k string, d *availbt.Delta) error {
	set := bigtable.NewMutation()
	d.MarshalBigtable(set, number(2))
	pred := bigtable.ChainFilters(bigtable.ColumnFilter(availbt.ColDeltaReason), bigtable.ValueFilter("open")) // want ttlread/conditional-mutation[freason]
	cond := bigtable.NewCondMutation(pred, set, nil)                                                           // want ttlread/conditional-mutation[freason]
	return c.tbl.Raw().Apply(ctx, k, cond)
}

// RawChange builds the message of a change for the relay.
func RawChange(c Change) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{
		FamilyName:      availbt.FamilyDelta,
		ColumnQualifier: []byte(availbt.ColDeltaChange),
		TimestampMicros: c.Number * 1000, // ok ttlwrite/unset-timestamp
		Value:           btrt.EncodeInt64(c.Rooms),
	}}}
}

// RawReason builds the message of a reason for the relay.
func RawReason(c Change) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{ // want ttlwrite/unset-timestamp
		FamilyName:      availbt.FamilyDelta,
		ColumnQualifier: []byte(availbt.ColDeltaReason),
		Value:           []byte(c.Reason),
	}}}
}

// RawNight builds the message of a night for the relay.
func RawNight(rooms int64) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{ // ok ttlwrite/unset-timestamp
		FamilyName:      availbt.FamilyNight,
		ColumnQualifier: []byte(availbt.ColNightRooms),
		Value:           btrt.EncodeInt64(rooms),
	}}}
}

// ErrNone is returned by Oldest.
var ErrNone = errors.New("no change")

// Oldest reads the first change that is kept.
func (c *Calendar) Oldest(ctx context.Context, k string) (string, error) {
	row, err := c.tbl.Raw().ReadRow(ctx, k, bigtable.RowFilter(bigtable.LatestNFilter(0))) // want ttlunit/invalid-filter
	if err != nil {
		return "", err
	}
	if len(row[availbt.FamilyDelta]) == 0 {
		return "", ErrNone
	}
	return string(row[availbt.FamilyDelta][0].Value), nil
}
