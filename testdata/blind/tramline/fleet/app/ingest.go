// Package app is the application layer of the fleet service.
package app

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"tramline.example/dal"
	"tramline.example/fleet"
)

// write is a mutation on its way to a table.
type write struct {
	key string
	mut *bigtable.Mutation
}

// Ingest turns telegrams into mutations.
type Ingest struct {
	positions *bigtable.Table
	commands  *bigtable.Table
	trips     *bigtable.Table
	journal   dal.Table
	clock     dal.Clock
	out       chan write
	seq       atomic.Int64
	started   time.Time
}

// NewIngest opens the tables.
func NewIngest(c *bigtable.Client, clock dal.Clock, depot string) *Ingest {
	return &Ingest{
		positions: c.Open(dal.TablePositions),
		commands:  c.Open(dal.TableCommands),
		trips:     c.Open(dal.TableTrips),
		journal:   c.Open(depot + "-journal"),
		clock:     clock,
		out:       make(chan write, 64),
		started:   clock.Now(),
	}
}

// position is the mutation of a telegram.
func (g *Ingest) position(t fleet.Telegram) *bigtable.Mutation {
	m := bigtable.NewMutation()
	at := dal.FromUnix(t.Sec)
	m.Set(dal.FamPos, "lat", at, fmt.Append(nil, t.Lat))                             // ok ttlwrite/already-expired
	m.Set(dal.FamPos, "lon", at, fmt.Append(nil, t.Lon))                             // ok ttlwrite/already-expired
	m.Set(dal.FamPos, "raw", dal.EpochMillis(t.Millis), fmt.Append(nil, t))          // ok ttlunit/wrong-unit
	m.Set(dal.FamPos, "srv", bigtable.ServerTime, fmt.Append(nil, t.Sec))            // ok ttlwrite/server-timestamp
	m.Set(dal.FamVehicle, "seen", bigtable.Now(), fmt.Append(nil, t.Sec))            // ok ttlwrite/write-time
	m.Set(dal.FamPos, "old", bigtable.Time(time.Unix(0, 0)), fmt.Append(nil, t.Sec)) // want ttlwrite/already-expired
	return m
}

// state is the mutation of what the vehicle says; for both tables.
func (g *Ingest) state(t fleet.Telegram, ts bigtable.Timestamp) (*bigtable.Mutation, error) {
	b, err := json.Marshal(t.State)
	if err != nil {
		return nil, err
	}
	m := bigtable.NewMutation()
	m.Set(dal.FamState, "s", ts, b)
	return m, nil
}

// State writes what the vehicle says.
func (g *Ingest) State(ctx context.Context, t fleet.Telegram) error {
	m, err := g.state(t, bigtable.Now()) // ok ttlwrite/write-time
	if err != nil {
		return err
	}
	if err := g.commands.Apply(ctx, t.Vehicle, m); err != nil {
		return err
	}
	m, err = g.state(t, 0) // ok ttlwrite/already-expired
	if err != nil {
		return err
	}
	return g.trips.Apply(ctx, t.Vehicle, m)
}

// StateOnce writes one version only, or so it thinks.
func (g *Ingest) StateOnce(ctx context.Context, t fleet.Telegram) error {
	m, err := g.state(t, 0) // want ttlwrite/already-expired[stateonce]
	if err != nil {
		return err
	}
	return g.commands.Apply(ctx, t.Vehicle, m) // want ttlwrite/already-expired[stateonce]
}

// Run writes what arrives until the channel is closed.
func (g *Ingest) Run(ctx context.Context) {
	for w := range g.out {
		if err := g.positions.Apply(ctx, w.key, w.mut); err != nil {
			slog.Error("ingest", "key", w.key, "err", err)
		}
	}
}

// Accept takes a telegram.
func (g *Ingest) Accept(ctx context.Context, t fleet.Telegram) error {
	g.out <- write{t.Vehicle, g.position(t)}
	if t.Urgent {
		return g.urgent(ctx, t)
	}
	return nil
}

// urgent writes into the journal at once.
func (g *Ingest) urgent(ctx context.Context, t fleet.Telegram) error {
	n := g.seq.Add(1)
	m := bigtable.NewMutation()
	m.Set(dal.FamEntry, "urgent", bigtable.Timestamp(n), []byte(t.State.Fault))            // want ttlwrite/unscaled-sequence
	m.Set(dal.FamEntry, "urgent2", bigtable.Timestamp(n*1000), []byte(t.State.Fault))      // ok ttlwrite/unscaled-sequence
	m.Set(dal.FamEntry, "urgent3", dal.NowTS(g.clock), []byte(t.State.Fault))              // want ttlwrite/clock-in-sequence
	m.Set(dal.FamEntry, "urgent4", dal.Seq(t.Seq), []byte(t.State.Fault))                  // ok ttlwrite/clock-in-sequence
	m.Set(dal.FamEntry, "urgent5", dal.StampNow(g.clock)(), []byte(t.State.Fault))         // want ttlwrite/clock-in-sequence
	m.Set(dal.FamEntry, "urgent6", dal.ServerStamp(), []byte(t.State.Fault))               // want ttlwrite/clock-in-sequence
	m.Set(dal.FamEntry, "urgent7", bigtable.Time(g.started), []byte(t.State.Fault))        // want ttlwrite/clock-in-sequence
	m.Set(dal.FamEntry, "urgent8", bigtable.Timestamp(time.Now().UnixMicro()), []byte("")) // want ttlwrite/clock-in-sequence
	return g.journal.Apply(ctx, t.Vehicle, m)
}

// rawState builds the message for the proxy that speaks the protocol itself.
func rawState(table, vehicle string, b []byte, micros int64) *btpb.MutateRowRequest {
	return &btpb.MutateRowRequest{
		TableName: table,
		RowKey:    []byte(vehicle),
		Mutations: []*btpb.Mutation{
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{ // want ttlwrite/unset-timestamp[rawpos]
				FamilyName:      dal.FamPos, // want ttlwrite/unset-timestamp[rawpos]
				ColumnQualifier: []byte("s"),
				Value:           b,
			}}},
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{ // ok ttlwrite/unset-timestamp
				FamilyName:      dal.FamPos,
				ColumnQualifier: []byte("t"),
				TimestampMicros: micros,
				Value:           b,
			}}},
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{ // ok ttlwrite/unset-timestamp
				FamilyName:      dal.FamRate,
				ColumnQualifier: []byte("u"),
				Value:           b,
			}}},
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{ // want ttlwrite/server-timestamp[rawhold]
				FamilyName:      dal.FamHold,
				ColumnQualifier: []byte("v"),
				TimestampMicros: -1, // want ttlwrite/server-timestamp[rawhold]
				Value:           b,
			}}},
		},
	}
}

var _ = rawState

// Replay writes telegrams again, one batch for each table.
func (g *Ingest) Replay(ctx context.Context, ts []fleet.Telegram) error {
	pos := dal.NewBatch(g.positions, 200)
	jou := dal.NewBatch(g.journal, 200)
	for i, t := range ts {
		if err := pos.Add(ctx, t.Vehicle, g.position(t)); err != nil {
			return err
		}
		no := bigtable.Timestamp(i) // want ttlwrite/unscaled-sequence[replay]
		m := dal.Mutate(
			dal.Cell(dal.FamEntry, "replay", no, t.State.Fault),                  // want ttlwrite/unscaled-sequence[replay]
			dal.Cell(dal.FamEntry, "replayed", dal.Seq(int64(i)), t.State.Fault), // ok ttlwrite/unscaled-sequence
		)
		if err := jou.Add(ctx, t.Vehicle, m); err != nil {
			return err
		}
	}
	if err := pos.Flush(ctx); err != nil {
		return err
	}
	return jou.Flush(ctx)
}

// Watchdog reports vehicles that have been silent.
type Watchdog struct {
	tbl   dal.Table
	clock dal.Clock
	after time.Duration
	alarm func(vehicle string, silent time.Duration)
}

// NewWatchdog watches the table of positions.
func NewWatchdog(tbl dal.Table, clock dal.Clock, after time.Duration, alarm func(string, time.Duration)) *Watchdog {
	return &Watchdog{tbl: tbl, clock: clock, after: after, alarm: alarm}
}

// Sweep looks at every vehicle of a line.
func (w *Watchdog) Sweep(ctx context.Context, line string) error {
	now := w.clock.Now()
	live := bigtable.TimestampRangeFilter(now.Add(-dal.PositionTTL), time.Time{})
	return w.tbl.ReadRows(ctx, bigtable.PrefixRange(line), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[dal.FamPos] {
			if it.Column != "pos:raw" {
				continue
			}
			if silent := now.Sub(it.Timestamp.Time()); silent > w.after { // want ttlage/not-write-time
				w.alarm(it.Row, silent)
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(dal.FamPos), live, bigtable.LatestNFilter(1))))
}

// Dump writes all positions of a line to a function.
func (w *Watchdog) Dump(ctx context.Context, line string, f func(bigtable.ReadItem)) error {
	return w.tbl.ReadRows(ctx, bigtable.PrefixRange(line), func(r bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range r[dal.FamPos] {
			f(it)
		}
		return true
	})
}

// Names lists the depots of a line's vehicles.
func (w *Watchdog) Names(ctx context.Context, line string) (out []string, err error) {
	err = w.tbl.ReadRows(ctx, bigtable.PrefixRange(line), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[dal.FamVehicle] {
			out = append(out, string(it.Value))
		}
		return true
	})
	return out, err
}
