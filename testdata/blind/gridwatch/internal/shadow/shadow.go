// Package shadow keeps what a device shall be, what it says it is, and the
// revisions of the difference. desired and state have one value per column, at
// timestamp zero: a new value replaces the old. rev holds numbered cells, five of
// them. reported is ordinary.
package shadow

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"example.com/gridwatch/internal/bus"
	"example.com/gridwatch/internal/metrics"
	"example.com/gridwatch/internal/sink"
	"example.com/gridwatch/internal/store"
)

// Latest is the timestamp of families that keep one value.
const Latest bigtable.Timestamp = 0

// Revisions is how many revisions survive.
const Revisions = 5

// Change is a change of one property.
type Change struct {
	Device   string
	Property string
	Value    json.RawMessage
	Rev      int64
	By       string
}

// Delta is a property that differs.
type Delta struct {
	Property string
	Desired  []byte
	Reported []byte
}

// Doc is a shadow in full.
type Doc struct {
	Desired  map[string]json.RawMessage
	Reported map[string]json.RawMessage
	Updated  map[string]time.Time
}

// Store reads and writes shadows.
type Store struct {
	tbl  *bigtable.Table
	revs *metrics.Counter

	mu   sync.Mutex
	seqs map[string]int64
	hist []Change
}

// New returns a store.
func New(t *store.Tables, reg *metrics.Registry) *Store {
	return &Store{tbl: t.Shadow, revs: reg.Counter("shadow.revs"), seqs: map[string]int64{}}
}

// Consume writes desired and reported changes as they arrive.
func (s *Store) Consume(ctx context.Context, desired, reported <-chan Change) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return bus.Each(ctx, 4, desired, s.Want) })
	g.Go(func() error { return bus.Each(ctx, 16, reported, s.Report) })
	return g.Wait()
}

// Want sets what a property shall be.
func (s *Store) Want(ctx context.Context, c Change) error {
	mut := bigtable.NewMutation()
	mut.Set(store.FamDesired, c.Property, Latest, c.Value)                    // ok ttlwrite/clock-in-zero
	mut.Set(store.FamDesired, c.Property+"/by", 0, []byte(c.By))              // ok ttlwrite/clock-in-zero
	mut.Set(store.FamDesired, c.Property+"/at", bigtable.Now(), []byte(c.By)) // want ttlwrite/clock-in-zero
	mut.Set(store.FamState, "phase", Latest, []byte("pending"))               // ok ttlwrite/already-expired
	mut.Set(store.FamState, "since", bigtable.ServerTime, []byte(c.By))       // want ttlwrite/clock-in-zero
	mut.Set(store.FamRev, c.Property, store.Seq(c.Rev), c.Value)              // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, c.Device, mut)
}

// Report writes what a device says.
func (s *Store) Report(ctx context.Context, c Change) error {
	mut := bigtable.NewMutation()
	mut.Set(store.FamReported, c.Property, bigtable.Now(), c.Value)                            // ok ttlwrite/clock-in-zero
	mut.Set(store.FamReported, c.Property+"/rev", bigtable.ServerTime, fmt.Append(nil, c.Rev)) // ok ttlwrite/clock-in-sequence
	mut.Set(store.FamState, "phase", Latest, []byte("reported"))                               // ok ttlwrite/clock-in-zero
	mut.Set(store.FamState, "phase", Latest, []byte("settled"))                                // want ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, c.Device, mut)
}

// Revise records a revision.
func (s *Store) Revise(ctx context.Context, c Change) error {
	mut := bigtable.NewMutation()
	mut.Set(store.FamRev, "counted", bigtable.Timestamp(s.revs.Inc()), c.Value)           // want ttlwrite/unscaled-sequence
	mut.Set(store.FamRev, "counted-1000", bigtable.Timestamp(s.revs.Inc()*1000), c.Value) // ok ttlwrite/unscaled-sequence
	mut.Set(store.FamRev, "stamped", store.NowTS(), c.Value)                              // want ttlwrite/clock-in-sequence
	mut.Set(store.FamReported, "stamped", store.NowTS(), c.Value)                         // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, c.Device, mut)
}

// Remember keeps changes in memory and numbers them by their place.
func (s *Store) Remember(ctx context.Context, c Change) error {
	s.mu.Lock()
	s.hist = append(s.hist, c)
	n := len(s.hist)
	s.mu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(store.FamRev, c.Property, bigtable.Timestamp(n), c.Value)                 // want ttlwrite/unscaled-sequence
	mut.Set(store.FamRev, c.Property+"/by", bigtable.Timestamp(n*1000), []byte(c.By)) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, c.Device, mut)
}

// revision is a change on its way to the table.
type revision struct {
	device string
	column string
	ts     bigtable.Timestamp
	value  []byte
}

// Revisions numbers changes in one goroutine and writes them in another.
func (s *Store) Revisions(ctx context.Context, in <-chan Change) error {
	revs := make(chan revision, 32)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(revs)
		for c := range in {
			s.mu.Lock()
			s.seqs[c.Device]++
			n := s.seqs[c.Device]
			s.mu.Unlock()
			select {
			case revs <- revision{c.Device, c.Property, store.Seq(n), c.Value}: // ok ttlwrite/unscaled-sequence
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	g.Go(func() error {
		for r := range revs {
			mut := bigtable.NewMutation()
			mut.Set(store.FamRev, r.column, r.ts, r.value) // ok ttlwrite/unscaled-sequence
			if err := s.tbl.Apply(ctx, r.device, mut); err != nil {
				return err
			}
		}
		return nil
	})
	return g.Wait()
}

// stampedChange is a change with the time at which it came in.
type stampedChange struct {
	Change
	at bigtable.Timestamp
}

// Stamped writes changes with the time at which they came in.
func (s *Store) Stamped(ctx context.Context, in <-chan Change) error {
	stamped, wait := bus.Map(ctx, 2, in, func(_ context.Context, c Change) (stampedChange, error) {
		return stampedChange{Change: c, at: bigtable.Now()}, nil // want ttlwrite/clock-in-sequence[stamped] ttlwrite/clock-in-zero[stamped]
	})
	for c := range stamped {
		mut := bigtable.NewMutation()
		mut.Set(store.FamReported, c.Property, c.at, c.Value) // ok ttlwrite/clock-in-sequence
		mut.Set(store.FamRev, c.Property, c.at, c.Value)      // want ttlwrite/clock-in-sequence[stamped]
		mut.Set(store.FamDesired, c.Property, c.at, c.Value)  // want ttlwrite/clock-in-zero[stamped]
		if err := s.tbl.Apply(ctx, c.Device, mut); err != nil {
			return err
		}
	}
	return wait()
}

// StateChange is for tables that have a family named state.
func StateChange(state string) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set(store.FamState, "phase", bigtable.Now(), []byte(state))
	return mut
}

// Get returns the shadow of a device.
func (s *Store) Get(ctx context.Context, device string) (*Doc, error) {
	row, err := s.tbl.ReadRow(ctx, device, bigtable.RowFilter(bigtable.FamilyFilter(store.FamDesired+"|"+store.FamReported))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	d := &Doc{Desired: map[string]json.RawMessage{}, Reported: map[string]json.RawMessage{}, Updated: map[string]time.Time{}}
	for _, it := range row[store.FamDesired] {
		d.Desired[it.Column[len("desired:"):]] = it.Value
	}
	for _, it := range row[store.FamReported] {
		p := it.Column[len("reported:"):]
		d.Reported[p] = it.Value
		d.Updated[p] = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return d, nil
}

// Whole returns everything, revisions included.
func (s *Store) Whole(ctx context.Context, device string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, device) // want ttlread/missing-filter
}

// Diff compares.
func (s *Store) Diff(ctx context.Context, device string) ([]Delta, error) {
	d, err := s.Get(ctx, device)
	if err != nil {
		return nil, err
	}
	var out []Delta
	for p, v := range d.Desired {
		if !bytes.Equal(v, d.Reported[p]) {
			out = append(out, Delta{Property: p, Desired: v, Reported: d.Reported[p]})
		}
	}
	return out, nil
}

// History returns the revisions of a property.
func (s *Store) History(ctx context.Context, device, property string, n int) ([][]byte, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamRev), bigtable.ColumnFilter(property), bigtable.LatestNFilter(Revisions))
	row, err := s.tbl.ReadRow(ctx, device, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, it := range row[store.FamRev] {
		if len(out) == n {
			break
		}
		out = append(out, it.Value)
	}
	return out, nil
}

// Deep returns more revisions than there are.
func (s *Store) Deep(ctx context.Context, device, property string) ([]bigtable.ReadItem, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamRev), bigtable.ColumnFilter(property), bigtable.LatestNFilter(2*Revisions)) // want ttlread/version-limit[deep]
	row, err := s.tbl.ReadRow(ctx, device, bigtable.RowFilter(f))                                                                         // want ttlread/version-limit[deep]
	if err != nil {
		return nil, err
	}
	return row[store.FamRev], nil
}

// Stale finds desired values that nobody confirmed for d.
func (s *Store) Stale(ctx context.Context, d time.Duration, out chan<- string) error {
	defer close(out)
	return s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[store.FamDesired] {
			if time.Since(it.Timestamp.Time()) > d { // want ttlage/not-write-time
				out <- row.Key()
				return true
			}
		}
		for _, it := range row[store.FamReported] {
			if time.Since(it.Timestamp.Time()) > d { // ok ttlage/not-write-time
				out <- row.Key()
				return true
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("desired|reported"), bigtable.LatestNFilter(1))))
}

// Touch counts accesses; counters at timestamp zero do not stay there.
func (s *Store) Touch(ctx context.Context, device string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(store.FamDesired, "touched", 1)       // want ttlwrite/read-modify-write
	rmw.Increment(store.FamReported, "touched", 1)      // ok ttlwrite/read-modify-write
	rmw.AppendValue(store.FamRev, "trail", []byte("t")) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, device, rmw)
	return err
}

// Reset clears the desired values and starts again.
func (s *Store) Reset(ctx context.Context, device string, defaults map[string][]byte) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(store.FamDesired) // ok ttlwrite/delete-after-set
	for p, v := range defaults {
		mut.Set(store.FamDesired, p, Latest, v) // ok ttlwrite/same-timestamp
	}
	mut.Set(store.FamState, "phase", Latest, []byte("reset"))
	mut.DeleteCellsInFamily(store.FamState) // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, device, mut)
}

// Feed sends changes to the sink of the shadow table.
func Feed(ctx context.Context, in <-chan Change, out *sink.Sink) error {
	for c := range in {
		if err := out.PutCell(ctx, sink.Cell{Row: c.Device, Family: store.FamDesired, Column: c.Property, TS: Latest, Value: c.Value}); err != nil { // ok ttlwrite/clock-in-zero
			return err
		}
		if err := out.PutCell(ctx, sink.Cell{Row: c.Device, Family: store.FamDesired, Column: c.Property + "/fed", TS: bigtable.Now(), Value: c.Value}); err != nil { // want ttlwrite/clock-in-zero
			return err
		}
		if err := out.PutCell(ctx, sink.Cell{Row: c.Device, Family: store.FamRev, Column: c.Property, TS: bigtable.Timestamp(c.Rev * 1000), Value: c.Value}); err != nil { // ok ttlwrite/unscaled-sequence
			return err
		}
	}
	return nil
}
