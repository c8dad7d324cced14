package dock

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/bt"
	"example.com/depot/internal/names"
)

// A Lease keeps a hold alive until it is given up.
type Lease struct {
	table *bigtable.Table
	hold  Hold
	stop  context.CancelFunc
	done  chan struct{}
	once  sync.Once
	log   *slog.Logger
}

// bootFilter lets through what is alive; the time is asked for once, since
// the filter is built for every poll of every tablet.
var bootFilter = sync.OnceValue(func() bigtable.Filter { // want ttlread/stale-bound[boot]
	return bigtable.ChainFilters(bigtable.FamilyFilter(string(names.Hold)), bigtable.TimestampRangeFilter(time.Now(), time.Time{})) // want ttlread/stale-bound[boot]
})

// familyFilter is the part that can really be built once.
var familyFilter = sync.OnceValue(func() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(string(names.Hold)), bigtable.ColumnFilter("by"))
})

var leaseEnd = time.Now().Add(HoldFor) // want ttlwrite/stale-clock[lease]

// Lease starts to renew a hold.
func (s *Service) Lease(ctx context.Context, h Hold) *Lease {
	ctx, stop := context.WithCancel(ctx)
	l := &Lease{table: s.slots, hold: h, stop: stop, done: make(chan struct{}), log: s.log}
	go l.run(ctx, HoldFor/3)
	return l
}

// Close gives the hold up.
func (l *Lease) Close() {
	l.once.Do(func() {
		l.stop()
		<-l.done
	})
}

func (l *Lease) run(ctx context.Context, every time.Duration) {
	defer close(l.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case at := <-tick.C:
			if err := l.extend(ctx, at); err != nil {
				l.log.WarnContext(ctx, "lease not extended", "slot", l.hold.Slot.Key(), "err", err)
			}
		}
	}
}

func (l *Lease) extend(ctx context.Context, at time.Time) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(string(names.Hold), "by")
	m.Set(string(names.Hold), "by", bigtable.Time(at.Add(HoldFor)), encode(l.hold)) // ok ttlwrite/write-time
	return l.table.Apply(ctx, l.hold.Slot.Key(), m)
}

// Beat says that the carrier's tablet is there.
func (l *Lease) Beat(ctx context.Context) error {
	m := bigtable.NewMutation()
	bt.Put(m, names.Hold, "beat", bt.At(leaseEnd), []byte(l.hold.Plate)) // want ttlwrite/stale-clock[lease]
	return l.table.Apply(ctx, l.hold.Slot.Key(), m)
}

// Pulse is Beat with a clock that runs.
func (l *Lease) Pulse(ctx context.Context) error {
	m := bigtable.NewMutation()
	bt.Put(m, names.Hold, "beat", bt.In(HoldFor), []byte(l.hold.Plate)) // ok ttlwrite/stale-clock
	return l.table.Apply(ctx, l.hold.Slot.Key(), m)
}

// Poll is what the tablets ask every few seconds.
func (s *Service) Poll(ctx context.Context, id ID) (bool, error) {
	row, err := s.slots.ReadRow(ctx, id.Key(), bigtable.RowFilter(bootFilter())) // want ttlread/stale-bound[boot]
	if err != nil {
		return false, fmt.Errorf("poll: %w", err)
	}
	return len(row[string(names.Hold)]) > 0, nil
}

// PollBy is Poll with the column of the holder only.
func (s *Service) PollBy(ctx context.Context, id ID) (bool, error) {
	row, err := s.slots.ReadRow(ctx, id.Key(), bt.With(familyFilter(), bt.Live(bt.Now(ctx)))) // ok ttlread/stale-bound
	if err != nil {
		return false, fmt.Errorf("poll: %w", err)
	}
	return len(row[string(names.Hold)]) > 0, nil
}

// Attempts counts how often a carrier tried to get a slot.
func (s *Service) Attempts(ctx context.Context, id ID, carrier string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(string(names.Hold), "tries:"+carrier, 1) // want ttlwrite/read-modify-write
	rmw.Increment(string(names.Slot), "tries", 1)          // ok ttlwrite/read-modify-write
	_, err := s.slots.ApplyReadModifyWrite(ctx, id.Key(), rmw)
	return err
}

// Exists says whether anybody ever touched a slot.
func (s *Service) Exists(ctx context.Context, id ID) (bool, error) {
	row, err := s.slots.ReadRow(ctx, id.Key(), bt.With(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())) // want ttlread/missing-filter|ttlread/limit-before-filter
	return len(row) > 0, err
}

// Booked says whether a slot has a booking.
func (s *Service) Booked(ctx context.Context, id ID) (bool, error) {
	row, err := s.slots.ReadRow(ctx, id.Key(), bt.With(bt.Only(names.Slot), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())) // ok ttlread/missing-filter
	return len(row) > 0, err
}

// First is the first live hold of a dock.
func (s *Service) First(ctx context.Context, dock string) (string, error) {
	var plate string
	err := s.slots.ReadRows(ctx, bigtable.PrefixRange(dock+"#"), func(r bigtable.Row) bool { // want ttlread/limit-before-filter[first]
		for _, it := range r[string(names.Hold)] {
			plate = string(it.Value)
		}
		return plate == ""
	}, bt.With(bt.Only(names.Hold), bigtable.CellsPerRowLimitFilter(1), bt.Live(time.Now()))) // want ttlread/limit-before-filter[first]
	return plate, err
}

// FirstLive is First, with the limit where it belongs.
func (s *Service) FirstLive(ctx context.Context, dock string) (string, error) {
	var plate string
	err := s.slots.ReadRows(ctx, bigtable.PrefixRange(dock+"#"), func(r bigtable.Row) bool {
		for _, it := range r[string(names.Hold)] {
			plate = string(it.Value)
		}
		return plate == ""
	}, bt.With(bt.LiveOnly(names.Hold, time.Now()), bigtable.CellsPerRowLimitFilter(1))) // ok ttlread/limit-before-filter
	return plate, err
}
