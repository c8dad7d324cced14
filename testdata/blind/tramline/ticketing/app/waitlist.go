package app

import (
	"context"
	"encoding/json"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"tramline.example/dal"
)

// Waiting is a rider who waits for a seat.
type Waiting struct {
	Rider string    `json:"rider"`
	Trip  string    `json:"trip"`
	Since time.Time `json:"since"`
}

// Waitlist keeps who waits, beside the holds.
type Waitlist struct {
	holds    dal.Table // guarded
	plain    dal.Table
	scratch  dal.Table
	clock    dal.Clock
	families []string
}

// NewWaitlist opens the tables.
func NewWaitlist(c *bigtable.Client, clock dal.Clock, log dal.Logger) *Waitlist {
	return &Waitlist{
		holds:    dal.Decorate(c.Open(dal.TableOTP), dal.Guarded(clock)),
		plain:    dal.Decorate(c.Open(dal.TableHolds), dal.Logged(dal.TableHolds, log)),
		scratch:  c.Open(dal.TableScratch),
		clock:    clock,
		families: []string{dal.FamHold, dal.FamRider},
	}
}

var waitFamilies = []string{dal.FamHold, dal.FamRider, dal.FamCode}

// Join puts a rider on the list.
func (w *Waitlist) Join(ctx context.Context, x Waiting) error {
	b, err := json.Marshal(x)
	if err != nil {
		return err
	}
	family := waitFamilies[0]
	other := waitFamilies[1]
	m := bigtable.NewMutation()
	now := bigtable.Now()
	m.Set(family, "w:"+x.Rider, now, b)                                                          // want ttlwrite/write-time
	m.Set(other, "w:"+x.Rider, now, b)                                                           // ok ttlwrite/write-time
	m.Set(family, "w2:"+x.Rider, bigtable.Time(x.Since.Add(24*time.Hour)), b)                    // ok ttlwrite/write-time
	m.Set(family, "w3:"+x.Rider, bigtable.Time(w.clock.Now().Truncate(time.Hour)), b)            // maybe ttlwrite/write-time ttlwrite/already-expired
	m.Set(family, "w4:"+x.Rider, bigtable.Time(w.clock.Now().UTC()), b)                          // want ttlwrite/write-time
	m.Set(family, "w5:"+x.Rider, bigtable.Time(time.Now().AddDate(0, 0, 1)), b)                  // ok ttlwrite/write-time
	m.Set(family, "w6:"+x.Rider, bigtable.Timestamp(time.Now().UnixMicro()), b)                  // want ttlwrite/write-time
	m.Set(family, "w7:"+x.Rider, bigtable.Timestamp(time.Now().Add(2*time.Hour).UnixMicro()), b) // ok ttlwrite/write-time
	m.Set(family, "w8:"+x.Rider, bigtable.Timestamp(time.Now().Add(2*time.Hour).Unix()), b)      // want ttlunit/wrong-unit|ttlwrite/already-expired
	return w.plain.Apply(ctx, x.Trip, m)
}

// Leave takes a rider off the list; the scratch table has a copy.
func (w *Waitlist) Leave(ctx context.Context, x Waiting) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(dal.FamHold, "w:"+x.Rider)
	if err := w.plain.Apply(ctx, x.Trip, m); err != nil {
		return err
	}
	c := bigtable.NewMutation()
	c.Set(dal.FamHold, "left", bigtable.ServerTime, []byte(x.Rider)) // ok ttlwrite/server-timestamp
	return w.scratch.Apply(ctx, x.Trip, c)
}

// Left reads the copy in the scratch table, which is not registered.
func (w *Waitlist) Left(ctx context.Context, trip string) (string, error) {
	row, err := w.scratch.ReadRow(ctx, trip) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[dal.FamHold] {
		return string(it.Value), nil
	}
	return "", dal.ErrNotFound
}

// Codes reads through the guard.
func (w *Waitlist) Codes(ctx context.Context, phone string) ([]string, error) {
	row, err := w.holds.ReadRow(ctx, phone) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[dal.FamCode] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// List reads the list of a trip, in order of joining.
func (w *Waitlist) List(ctx context.Context, trip string) ([]Waiting, error) {
	row, err := w.plain.ReadRow(ctx, trip, bigtable.RowFilter(bigtable.ColumnFilter("w:.*"))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []Waiting
	for _, it := range row[dal.FamHold] {
		var x Waiting
		if err := json.Unmarshal(it.Value, &x); err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Since.Before(out[j].Since) })
	return out, nil
}

// Riders reads the other family with the same filter.
func (w *Waitlist) Riders(ctx context.Context, trip string) ([]string, error) {
	row, err := w.plain.ReadRow(ctx, trip, bigtable.RowFilter(bigtable.ColumnFilter("w:.*"))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[dal.FamRider] {
		out = append(out, strings.TrimPrefix(it.Column, "rider:w:"))
	}
	return out, nil
}

// entry is a step of a bulk of changes.
type entry struct {
	key string
	mut *bigtable.Mutation
}

// moves are changes that are written together.
type moves struct {
	entries []entry
	clock   dal.Clock
}

func (ms *moves) add(key, family, column string, ts bigtable.Timestamp, v string) *moves {
	m := bigtable.NewMutation()
	m.Set(family, column, ts, []byte(v))
	ms.entries = append(ms.entries, entry{key, m})
	return ms
}

func (ms *moves) hold(key, v string, life time.Duration) *moves {
	return ms.add(key, dal.FamHold, "moved", bigtable.Time(ms.clock.Now().Add(life)), v)
}

func (ms *moves) flush(ctx context.Context, w dal.Writer) error {
	keys := make([]string, len(ms.entries))
	muts := make([]*bigtable.Mutation, len(ms.entries))
	for i, e := range ms.entries {
		keys[i], muts[i] = e.key, e.mut
	}
	_, err := w.ApplyBulk(ctx, keys, muts)
	return err
}

// Move moves the waiting of one trip to another.
func (w *Waitlist) Move(ctx context.Context, from, to string) error {
	list, err := w.List(ctx, from)
	if err != nil {
		return err
	}
	ms := &moves{clock: w.clock}
	for _, x := range list {
		ms.add(to, dal.FamHold, "w:"+x.Rider, bigtable.Now(), x.Trip)                           // want ttlwrite/write-time
		ms.add(to, dal.FamRider, "w:"+x.Rider, bigtable.Now(), x.Trip)                          // ok ttlwrite/write-time
		ms.add(to, dal.FamHold, "v:"+x.Rider, bigtable.ServerTime, x.Trip)                      // want ttlwrite/server-timestamp
		ms.add(to, dal.FamHold, "u:"+x.Rider, dal.ExpiresAt(x.Since.Add(48*time.Hour)), x.Trip) // ok ttlwrite/server-timestamp
		ms.hold(to, x.Rider, time.Hour)                                                         // ok ttlwrite/write-time
		ms.hold(from, x.Rider, 0)                                                               // want ttlwrite/write-time
		ms.hold(from, x.Rider, -time.Hour)                                                      // want ttlwrite/already-expired
	}
	return ms.flush(ctx, w.plain)
}

// Audit reads all the families that a row of the list can have.
func (w *Waitlist) Audit(ctx context.Context, trip string) (n int, err error) {
	row, err := w.plain.ReadRow(ctx, trip, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, items := range row {
		n += len(items)
	}
	return n, nil
}

// Options builds the options of a read step by step.
func (w *Waitlist) Options(ctx context.Context, trip string, limit int64) ([]bigtable.ReadItem, error) {
	opts := []bigtable.ReadOption{bigtable.LimitRows(limit)}
	f := bigtable.FamilyFilter(dal.FamHold)
	f = bigtable.ChainFilters(f, bigtable.ColumnFilter("w:.*"))
	f = bigtable.ChainFilters(f, dal.Live(w.clock))
	opts = append(opts, bigtable.RowFilter(f))
	row, err := w.plain.ReadRow(ctx, trip, opts...) // ok ttlread/missing-filter
	return row[dal.FamHold], err
}

// OptionsLoose forgets one step.
func (w *Waitlist) OptionsLoose(ctx context.Context, trip string, limit int64) ([]bigtable.ReadItem, error) {
	opts := []bigtable.ReadOption{bigtable.LimitRows(limit)}
	f := bigtable.FamilyFilter(dal.FamHold)
	f = bigtable.ChainFilters(f, bigtable.ColumnFilter("w:.*")) // want ttlread/missing-filter[optloose]
	opts = append(opts, bigtable.RowFilter(f))                  // want ttlread/missing-filter[optloose]
	row, err := w.plain.ReadRow(ctx, trip, opts...)             // want ttlread/missing-filter[optloose]
	return row[dal.FamHold], err
}

// OptionsTwice adds an option that replaces the first.
func (w *Waitlist) OptionsTwice(ctx context.Context, trip string) ([]bigtable.ReadItem, error) {
	opts := []bigtable.ReadOption{dal.LiveOnly(w.clock)}
	opts = append(opts, bigtable.RowFilter(bigtable.FamilyFilter(dal.FamHold))) // want ttlread/overridden-filter[opttwice]
	row, err := w.plain.ReadRow(ctx, trip, opts...)                             // want ttlread/overridden-filter[opttwice] // maybe ttlread/missing-filter
	return row[dal.FamHold], err
}

// Each calls f for each family that the list was made with.
func (w *Waitlist) Each(ctx context.Context, trip string, f func(string)) error {
	for _, fam := range w.families {
		row, err := w.plain.ReadRow(ctx, trip, bigtable.RowFilter(dal.Family(fam, dal.Latest(1)))) // want ttlread/missing-filter
		if err != nil {
			return err
		}
		for _, it := range row[fam] {
			f(string(it.Value))
		}
	}
	return nil
}
