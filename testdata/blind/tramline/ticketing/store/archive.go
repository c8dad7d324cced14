package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"tramline.example/dal"
	"tramline.example/ticketing"
)

// base is what the adapters of this package have in common.
type base struct {
	dal.Table
	clock dal.Clock
}

func (b base) set(m *bigtable.Mutation, col string, v []byte, ts bigtable.Timestamp) {
	m.Set(dal.FamHold, col, ts, v)
}

func (b base) setFor(m *bigtable.Mutation, col string, v []byte, d time.Duration) {
	b.set(m, col, v, bigtable.Time(b.clock.Now().Add(d)))
}

func (b base) one(ctx context.Context, key, family string, fs ...bigtable.Filter) ([]bigtable.ReadItem, error) {
	row, err := b.ReadRow(ctx, key, dal.With(append([]bigtable.Filter{bigtable.FamilyFilter(family)}, fs...)...))
	return row[family], err
}

// Archive keeps copies of holds for disputes.
type Archive struct {
	base
	until func(ticketing.Hold) time.Time
	bulk  map[string]*bigtable.Mutation
}

// NewArchive returns an Archive over the table of holds.
func NewArchive(c *dal.Client) *Archive {
	return &Archive{
		base:  base{Table: c.Holds(), clock: c.Clock()},
		until: func(h ticketing.Hold) time.Time { return h.Until.Add(24 * time.Hour) },
		bulk:  map[string]*bigtable.Mutation{},
	}
}

// Keep copies a hold.
func (a *Archive) Keep(ctx context.Context, h ticketing.Hold) error {
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	a.set(m, "copy", b, bigtable.Time(a.until(h)))         // ok ttlwrite/write-time
	a.set(m, "copied", nil, bigtable.Now())                // want ttlwrite/write-time
	a.set(m, "by", []byte("archive"), bigtable.ServerTime) // want ttlwrite/server-timestamp
	a.set(m, "at", nil, bigtable.Time(a.clock.Now()))      // want ttlwrite/write-time
	a.setFor(m, "kept", nil, 24*time.Hour)                 // ok ttlwrite/write-time
	a.setFor(m, "gone", nil, -24*time.Hour)                // want ttlwrite/already-expired
	a.setFor(m, "soon", nil, dal.HoldTTL/3)                // ok ttlwrite/already-expired
	put := a.set
	put(m, "put", nil, bigtable.ServerTime)                           // want ttlwrite/server-timestamp
	put(m, "put2", nil, bigtable.Time(h.Until))                       // ok ttlwrite/server-timestamp
	put(m, "put3", nil, bigtable.Time(time.UnixMilli(1700000000000))) // want ttlwrite/already-expired
	return a.Apply(ctx, h.ID, m)
}

// Queue collects copies.
func (a *Archive) Queue(h ticketing.Hold, v []byte) {
	m, ok := a.bulk[h.ID]
	if !ok {
		m = bigtable.NewMutation()
		a.bulk[h.ID] = m
	}
	ts := bigtable.ServerTime
	if h.Until.After(h.Created) {
		ts = bigtable.Time(h.Until)
	}
	m.Set(dal.FamHold, "queued", ts, v)                    // strict ttlwrite/server-timestamp
	m.Set(dal.FamRider, "queued", bigtable.ServerTime, v)  // ok ttlwrite/server-timestamp
	m.Set(dal.FamHold, "queuedBy", bigtable.ServerTime, v) // want ttlwrite/server-timestamp
}

// Flush writes them.
func (a *Archive) Flush(ctx context.Context) error {
	for id, m := range a.bulk {
		if err := a.Apply(ctx, id, m); err != nil {
			return fmt.Errorf("archive %s: %w", id, err)
		}
		delete(a.bulk, id)
	}
	return nil
}

// Copy reads a copy.
func (a *Archive) Copy(ctx context.Context, id string) (h ticketing.Hold, err error) {
	items, err := a.one(ctx, id, dal.FamHold, bigtable.ColumnFilter("copy"), bigtable.LatestNFilter(1)) // want ttlread/missing-filter
	if err != nil || len(items) == 0 {
		return h, err
	}
	return h, json.Unmarshal(items[0].Value, &h)
}

// CopyLive reads a copy that has not expired.
func (a *Archive) CopyLive(ctx context.Context, id string) (h ticketing.Hold, err error) {
	items, err := a.one(ctx, id, dal.FamHold, bigtable.ColumnFilter("copy"), dal.Live(a.clock)) // ok ttlread/missing-filter
	if err != nil || len(items) == 0 {
		return h, err
	}
	return h, json.Unmarshal(items[0].Value, &h)
}

// Rider reads an ordinary family.
func (a *Archive) Rider(ctx context.Context, id string) (string, error) {
	items, err := a.one(ctx, id, dal.FamRider, bigtable.ColumnFilter("name")) // ok ttlread/missing-filter
	if err != nil || len(items) == 0 {
		return "", err
	}
	return string(items[0].Value), nil
}

// Older reads copies that are over; the bound ends now.
func (a *Archive) Older(ctx context.Context, id string) (int, error) {
	items, err := a.one(ctx, id, dal.FamHold, bigtable.TimestampRangeFilter(time.Unix(0, 0), a.clock.Now())) // want ttlread/expired-only
	return len(items), err
}

// Day reads the copies of the last day.
func (a *Archive) Day(ctx context.Context, id string) (int, error) {
	items, err := a.one(ctx, id, dal.FamHold, dal.Younger(a.clock, 24*time.Hour)) // want ttlread/wrong-bound
	return len(items), err
}

// Meta is what the support desk sees of a copy.
type Meta struct {
	Updated time.Time
	Expires time.Time
	Age     string
}

// Meta describes the newest copy.
func (a *Archive) Meta(ctx context.Context, id string) (out Meta, err error) {
	items, err := a.one(ctx, id, dal.FamHold, dal.Live(a.clock), bigtable.LatestNFilter(1)) // ok ttlread/missing-filter
	if err != nil || len(items) == 0 {
		return out, err
	}
	ts := items[0].Timestamp
	out.Expires = ts.Time()                         // ok ttlage/not-write-time
	out.Updated = ts.Time()                         // want ttlage/not-write-time
	out.Age = a.clock.Now().Sub(ts.Time()).String() // want ttlage/not-write-time
	left := ts.Time().Sub(a.clock.Now())            // ok ttlage/not-write-time
	a.note(left)
	return out, nil
}

func (a *Archive) note(time.Duration) {}

// Drop deletes everything about a hold, in a loop over its columns.
func (a *Archive) Drop(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	for _, c := range []string{"copy", "copied", "by"} {
		m.DeleteCellsInColumn(dal.FamHold, c) // ok ttlwrite/delete-after-set
	}
	m.Set(dal.FamRider, "dropped", bigtable.Now(), nil) // ok ttlwrite/write-time
	return a.Apply(ctx, id, m)
}

// Sentinel takes cells without a time of their own for broken ones.
func (a *Archive) Sentinel(items []bigtable.ReadItem) (n int) {
	for _, it := range items {
		if it.Timestamp == -1 { // want ttlage/server-sentinel
			n++
		}
		if it.Timestamp == 0 { // ok ttlage/server-sentinel
			n++
		}
	}
	return n
}
