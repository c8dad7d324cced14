package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/schema"
)

// tap is one use of a gate.
type tap struct {
	rider, tenant, gate string
	at                  time.Time
}

// write is a mutation on its way to the table.
type write struct {
	key string
	m   *bigtable.Mutation
}

// tripWriter collects taps and writes journeys.
type tripWriter struct {
	tbl    *bigtable.Table
	taps   chan tap
	writes chan write
	max    int
}

func newTripWriter(tbl *bigtable.Table) *tripWriter {
	return &tripWriter{tbl: tbl, taps: make(chan tap, 1024), writes: make(chan write, 64), max: 100}
}

func (w *tripWriter) tap(rider, tenant, gate string) {
	select {
	case w.taps <- tap{rider, tenant, gate, time.Now()}:
	default:
		slog.Warn("tap dropped", "rider", rider, "gate", gate)
	}
}

// run turns taps into writes until ctx ends.
func (w *tripWriter) run(ctx context.Context) {
	go w.flush(ctx)
	for {
		select {
		case t := <-w.taps:
			w.writes <- write{journeyKey(t), leg(t)}
			if t.gate == "tram" {
				w.writes <- write{journeyKey(t), free(t)}
			}
		case <-ctx.Done():
			close(w.writes)
			return
		}
	}
}

func journeyKey(t tap) string {
	return fmt.Sprintf("%s#%s#%s", t.rider, t.tenant, t.at.Format("20060102"))
}

// leg is the mutation of a tap: thirty days from now.
func leg(t tap) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(schema.Leg, t.gate, bigtable.ServerTime, []byte(t.at.Format(time.RFC3339))) // ok ttlwrite/server-timestamp
	m.Set(schema.Leg, "last", bigtable.Time(t.at), []byte(t.gate))                    // ok ttlwrite/write-time
	m.Set(schema.Meta, "tenant", bigtable.ServerTime, []byte(t.tenant))               // ok ttlwrite/server-timestamp
	return m
}

// free is a ride that nobody pays for: nobody needs to know for long.
func free(t tap) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(schema.Leg, "free", bigtable.Time(time.Now().Add(-schema.LegTTL)), []byte(t.gate))                 // want ttlwrite/already-expired
	m.Set(schema.Leg, "free-day", bigtable.Time(time.Now().Add(24*time.Hour-schema.LegTTL)), []byte(t.gate)) // ok ttlwrite/already-expired
	m.Set(schema.Leg, "free-day", bigtable.ServerTime, []byte("again"))                                      // ok ttlwrite/same-timestamp
	return m
}

func (w *tripWriter) flush(ctx context.Context) {
	var keys []string
	var muts []*bigtable.Mutation
	send := func() {
		if len(keys) == 0 {
			return
		}
		errs, err := w.tbl.ApplyBulk(context.WithoutCancel(ctx), keys, muts)
		if err != nil {
			slog.Error("apply", "err", err)
		}
		for i, err := range errs {
			if err != nil {
				slog.Error("apply", "key", keys[i], "err", err)
			}
		}
		keys, muts = nil, nil
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case x, ok := <-w.writes:
			if !ok {
				send()
				return
			}
			keys, muts = append(keys, x.key), append(muts, x.m)
			if len(keys) >= w.max {
				send()
			}
		case <-tick.C:
			send()
		}
	}
}

// Trip is what the app shows.
type Trip struct {
	Key     string
	Gates   []string
	Updated time.Time
}

// trips of a rider, all that are kept.
func (w *tripWriter) list(ctx context.Context, rider string) ([]Trip, error) {
	var ts []Trip
	err := w.tbl.ReadRows(ctx, bigtable.PrefixRange(rider+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		t := Trip{Key: r.Key()}
		for _, it := range r[schema.Leg] {
			t.Gates = append(t.Gates, it.Column)
			t.Updated = it.Timestamp.Time() // want ttlage/not-write-time
		}
		ts = append(ts, t)
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.Leg),
		bigtable.TimestampRangeFilter(time.Now().Add(-schema.LegTTL), time.Time{}), // ok ttlread/wrong-bound
	)))
	return ts, err
}

// count is the number of trips.
func (w *tripWriter) count(ctx context.Context, rider string) (int, error) {
	n := 0
	err := w.tbl.ReadRows(ctx, bigtable.PrefixRange(rider+"#"), func(r bigtable.Row) bool { // want ttlread/missing-filter[tripcount]
		n += len(r[schema.Leg])
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.Leg), bigtable.StripValueFilter()))) // want ttlread/missing-filter[tripcount]
	return n, err
}

// days is the number of days on which the rider was on the way; keys have the
// day.
func (w *tripWriter) days(ctx context.Context, rider string) (int, error) {
	n := 0
	err := w.tbl.ReadRows(ctx, bigtable.PrefixRange(rider+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	return n, err
}

// first is the first journey that is kept.
func (w *tripWriter) first(ctx context.Context, rider string) (bigtable.Row, error) {
	var first bigtable.Row
	err := w.tbl.ReadRows(ctx, bigtable.PrefixRange(rider+"#"), func(r bigtable.Row) bool { // want ttlread/missing-filter[tripfirst]
		first = r
		return false
	}, bigtable.LimitRows(1)) // want ttlread/missing-filter[tripfirst]
	return first, err
}
