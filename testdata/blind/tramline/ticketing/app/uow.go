package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"

	"tramline.example/dal"
)

// Unit is a unit of work: changes to several rows that are written together.
type Unit struct {
	clock dal.Clock
	rows  map[string]*bigtable.Mutation
	after []func(context.Context) error
}

// NewUnit starts a unit of work.
func NewUnit(clock dal.Clock) *Unit {
	return &Unit{clock: clock, rows: map[string]*bigtable.Mutation{}}
}

func (u *Unit) row(key string) *bigtable.Mutation {
	m, ok := u.rows[key]
	if !ok {
		m = bigtable.NewMutation()
		u.rows[key] = m
	}
	return m
}

// After runs f when the unit has been written.
func (u *Unit) After(f func(context.Context) error) { u.after = append(u.after, f) }

// Commit writes the rows in the order of their keys.
func (u *Unit) Commit(ctx context.Context, w dal.Writer) error {
	keys := slices.Sorted(maps.Keys(u.rows))
	muts := make([]*bigtable.Mutation, 0, len(keys))
	for _, k := range keys {
		muts = append(muts, u.rows[k])
	}
	errs, err := w.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("commit %s: %w", keys[i], err)
		}
	}
	for _, f := range u.after {
		if err := f(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Field is a column of an aggregate.
type Field[T any] struct {
	dal.Column[T]
	Life time.Duration // 0 keeps it
}

// Write adds the field to a unit of work.
func (f Field[T]) Write(u *Unit, key string, v T) error {
	if f.Life == 0 {
		return f.Column.Set(u.row(key), dal.NowTS(u.clock), v)
	}
	return f.Column.Set(u.row(key), dal.ExpiresIn(u.clock, f.Life), v)
}

// The fields of a group booking. Those that are not kept have a life.
var (
	groupSize   = Field[int64]{Column: dal.Int(dal.FamHold, "group"), Life: time.Hour}
	groupLeader = Field[string]{Column: dal.Str(dal.FamHold, "leader"), Life: time.Hour}
	groupName   = Field[string]{Column: dal.Str(dal.FamRider, "group")}
	groupNote   = Field[string]{Column: dal.Str(dal.FamHold, "note")}
)

// Group is a group booking.
type Group struct {
	ID     string
	Leader string
	Name   string
	Note   string
	Size   int64
	Until  time.Time
}

// Groups keeps group bookings.
type Groups struct {
	dal.Table
	clock dal.Clock
	read  func(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error)
}

// NewGroups opens the table of holds for groups.
func NewGroups(c *dal.Client) *Groups {
	g := &Groups{Table: c.Holds(), clock: c.Clock()}
	g.read = g.Table.ReadRow
	return g
}

// Book writes a group booking.
func (g *Groups) Book(ctx context.Context, b Group) error {
	u := NewUnit(g.clock)
	if err := groupSize.Write(u, b.ID, b.Size); err != nil { // ok ttlwrite/write-time
		return err
	}
	if err := groupLeader.Write(u, b.ID, b.Leader); err != nil { // ok ttlwrite/write-time
		return err
	}
	if err := groupName.Write(u, b.ID, b.Name); err != nil { // ok ttlwrite/write-time
		return err
	}
	if err := groupNote.Write(u, b.ID, b.Note); err != nil { // want ttlwrite/write-time
		return err
	}
	u.row(b.ID).Set(dal.FamHold, "until", bigtable.Time(b.Until), nil)         // ok ttlwrite/write-time
	u.row(b.ID).Set(dal.FamHold, "booked", bigtable.Now(), nil)                // want ttlwrite/write-time
	u.row(b.ID).Set(dal.FamHold, "origin", bigtable.ServerTime, []byte("web")) // want ttlwrite/server-timestamp
	u.row(b.ID).Set(dal.FamRider, "booked", bigtable.Now(), nil)               // ok ttlwrite/write-time
	return u.Commit(ctx, g)
}

// Leader reads the leader of a group, through a method value.
func (g *Groups) Leader(ctx context.Context, id string) (string, error) {
	row, err := g.read(ctx, id, bigtable.RowFilter(groupLeader.Filter())) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	who, _, err := groupLeader.Get(row)
	return who, err
}

// LeaderLive reads it while it lives.
func (g *Groups) LeaderLive(ctx context.Context, id string) (string, error) {
	row, err := g.read(ctx, id, dal.With(groupLeader.Filter(), dal.Live(g.clock))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	who, _, err := groupLeader.Get(row)
	return who, err
}

// Name reads what is kept.
func (g *Groups) Name(ctx context.Context, id string) (string, error) {
	row, err := g.read(ctx, id, bigtable.RowFilter(groupName.Filter())) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	name, _, err := groupName.Get(row)
	return name, err
}

// Sizes reads the sizes of all groups in parallel.
func (g *Groups) Sizes(ctx context.Context, ids []string) (map[string]int64, error) {
	type result struct {
		id   string
		size int64
		err  error
	}
	ch := make(chan result, len(ids))
	for _, id := range ids {
		go func() {
			n, err := dal.Load(ctx, g, id, groupSize.Column) // want ttlread/missing-filter
			ch <- result{id, n, err}
		}()
	}
	out := map[string]int64{}
	for range ids {
		r := <-ch
		if r.err != nil {
			return nil, r.err
		}
		out[r.id] = r.size
	}
	return out, nil
}

// transform changes the newest value of a typed column in place.
func transform[T any](ctx context.Context, t dal.Table, key string, c dal.Column[T], stamp dal.Stamp, opt bigtable.ReadOption, f func(T) T) error {
	v, err := dal.Load(ctx, t, key, c, opt)
	if err != nil {
		return err
	}
	return dal.Store(ctx, t, key, c, stamp(), f(v))
}

// Grow adds a seat to a group.
func (g *Groups) Grow(ctx context.Context, id string) error {
	inc := func(n int64) int64 { return n + 1 }
	return transform(ctx, g, id, groupSize.Column, dal.StampIn(g.clock, time.Hour), dal.LiveOnly(g.clock), inc) // ok ttlread/missing-filter
}

// Shrink takes a seat away.
func (g *Groups) Shrink(ctx context.Context, id string) error {
	dec := func(n int64) int64 { return max(n-1, 0) }
	return transform(ctx, g, id, groupSize.Column, dal.StampNow(g.clock), dal.LiveOnly(g.clock), dec) // want ttlwrite/write-time
}

// Rename renames the leader, alive or not.
func (g *Groups) Rename(ctx context.Context, id, name string) error {
	stamp := dal.StampIn(g.clock, time.Hour)
	opt := bigtable.RowFilter(bigtable.LatestNFilter(1))                                              // want ttlread/missing-filter[rename]
	return transform(ctx, g, id, groupLeader.Column, stamp, opt, func(string) string { return name }) // want ttlread/missing-filter[rename]
}

// Retitle renames a group.
func (g *Groups) Retitle(ctx context.Context, id, name string) error {
	opt := bigtable.RowFilter(bigtable.LatestNFilter(1))                                                      // ok ttlread/missing-filter
	return transform(ctx, g, id, groupName.Column, dal.ServerStamp, opt, func(string) string { return name }) // ok ttlwrite/server-timestamp
}
