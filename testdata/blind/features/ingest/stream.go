package ingest

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"example.com/featureplat/btx"
	"example.com/featureplat/dedupe"
	"example.com/featureplat/schema"
)

// Update is one message of the stream.
type Update struct {
	ID      string
	Entity  btx.Entity
	Feature string
	Value   float64
	At      time.Time
}

// change is an update on its way to the table.
type change struct {
	key string
	mut *bigtable.Mutation
}

// Updater applies a stream.
type Updater struct {
	tbl    *bigtable.Table
	window *dedupe.Window
	out    chan change
	log    *slog.Logger
}

// NewUpdater makes an Updater.
func NewUpdater(client *bigtable.Client, window *dedupe.Window, log *slog.Logger) *Updater {
	return &Updater{tbl: client.Open(schema.Online), window: window, out: make(chan change, 256), log: log}
}

// Run applies updates until the channel ends.
func (u *Updater) Run(ctx context.Context, in <-chan Update, workers int) error {
	done := make(chan error, 1)
	go func() {
		done <- btx.Pool(ctx, workers, u.out, func(ctx context.Context, c change) error {
			return u.tbl.Apply(ctx, c.key, c.mut)
		})
	}()
	err := btx.Pool(ctx, workers, in, u.handle)
	close(u.out)
	return errors.Join(err, <-done)
}

func (u *Updater) handle(ctx context.Context, up Update) error {
	first, err := u.window.First(ctx, up.Entity.Kind, up.ID)
	if err != nil || !first {
		return err
	}
	u.out <- change{up.Entity.Key(), encode(up)}
	u.out <- change{up.Entity.Key(), u.window15(up)}
	u.out <- change{up.Entity.Key(), u.window60(up)}
	return nil
}

func encode(up Update) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(schema.FamValue, up.Feature, bigtable.Time(up.At), btx.EncodeFloat(up.Value)) // ok ttlwrite/already-expired
	m.Set(schema.FamMeta, "stream", bigtable.ServerTime, []byte(up.ID))                 // ok ttlwrite/server-timestamp
	return m
}

func (u *Updater) window15(up Update) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(schema.FamWindow, up.Feature+"_15m", btx.ExpiresIn(schema.WindowTTL), btx.EncodeFloat(up.Value)) // ok ttlwrite/write-time
	return m
}

func (u *Updater) window60(up Update) *bigtable.Mutation {
	m := bigtable.NewMutation()
	ts := bigtable.Now().TruncateToMilliseconds()
	m.Set(schema.FamWindow, up.Feature+"_60m", ts, btx.EncodeFloat(up.Value)) // want ttlwrite/write-time
	return m
}

// put is what the small handlers below share.
func (u *Updater) put(ctx context.Context, e btx.Entity, family, column string, ts bigtable.Timestamp, v float64) error {
	m := bigtable.NewMutation()
	m.Set(family, column, ts, btx.EncodeFloat(v))
	return u.tbl.Apply(ctx, e.Key(), m)
}

// Peak keeps an entity's peak in the window.
func (u *Updater) Peak(ctx context.Context, up Update) error {
	return u.put(ctx, up.Entity, schema.FamWindow, "peak", bigtable.ServerTime, up.Value) // want ttlwrite/server-timestamp
}

// PeakWeek keeps it for the week.
func (u *Updater) PeakWeek(ctx context.Context, up Update) error {
	return u.put(ctx, up.Entity, schema.FamValue, "peak", bigtable.ServerTime, up.Value) // ok ttlwrite/server-timestamp
}

// PeakWindow keeps it until the window ends.
func (u *Updater) PeakWindow(ctx context.Context, up Update) error {
	return u.put(ctx, up.Entity, schema.FamWindow, "peak", btx.ExpiresIn(schema.WindowTTL), up.Value) // ok ttlwrite/server-timestamp
}

// Trough keeps the lowest value.
func (u *Updater) Trough(ctx context.Context, up Update) error {
	return u.put(ctx, up.Entity, schema.FamWindow, "trough", btx.NowTS(), up.Value) // want ttlwrite/write-time
}

// TroughOr keeps the lowest value, for a time that depends on the feature.
func (u *Updater) TroughOr(ctx context.Context, up Update, slow map[string]bool) error {
	ts := bigtable.ServerTime
	if slow[up.Feature] {
		ts = btx.ExpiresIn(4 * schema.WindowTTL)
	}
	return u.put(ctx, up.Entity, schema.FamWindow, "trough", ts, up.Value) // want ttlwrite/server-timestamp
}

// setCell is one cell of a raw request.
func setCell(family, column string, micros int64, v []byte) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{
		FamilyName:      family,
		ColumnQualifier: []byte(column),
		TimestampMicros: micros,
		Value:           v,
	}}}
}

// dedupeTable is the full name that the raw client wants.
const dedupeTable = "projects/featureplat/instances/prod/tables/" + schema.Dedupe

// Raw talks to the data API itself, for batches over the client's limits.
type Raw struct {
	api bigtablepb.BigtableClient
}

// NewRaw makes a Raw.
func NewRaw(api bigtablepb.BigtableClient) *Raw { return &Raw{api: api} }

// Mark marks an event.
func (r *Raw) Mark(ctx context.Context, key string) error {
	_, err := r.api.MutateRow(ctx, &bigtablepb.MutateRowRequest{
		TableName: dedupeTable,
		RowKey:    []byte(key),
		Mutations: []*bigtablepb.Mutation{setCell(schema.FamSeen, "at", time.Now().Add(schema.SeenTTL).UnixMilli()*1000, nil)}, // ok ttlwrite/unset-timestamp ttlwrite/write-time
	})
	return err
}

// MarkServer marks an event with the server's time, which raw requests have
// as -1.
func (r *Raw) MarkServer(ctx context.Context, key string) error {
	_, err := r.api.MutateRow(ctx, &bigtablepb.MutateRowRequest{ // want ttlwrite/server-timestamp[rawserver]
		TableName: dedupeTable,
		RowKey:    []byte(key),
		Mutations: []*bigtablepb.Mutation{setCell(schema.FamSeen, "at", -1, nil)}, // want ttlwrite/server-timestamp[rawserver]
	})
	return err
}

// MarkPlain forgot something.
func (r *Raw) MarkPlain(ctx context.Context, key string) error {
	cell := &bigtablepb.Mutation_SetCell{FamilyName: schema.FamSeen, ColumnQualifier: []byte("at")} // want ttlwrite/unset-timestamp
	_, err := r.api.MutateRow(ctx, &bigtablepb.MutateRowRequest{
		TableName: dedupeTable,
		RowKey:    []byte(key),
		Mutations: []*bigtablepb.Mutation{{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: cell}}},
	})
	return err
}

// Marks streams all marks.
func (r *Raw) Marks(ctx context.Context) (bigtablepb.Bigtable_ReadRowsClient, error) {
	return r.api.ReadRows(ctx, &bigtablepb.ReadRowsRequest{TableName: dedupeTable, RowsLimit: 1000}) // want ttlread/missing-filter
}

// MarksLive streams the open marks.
func (r *Raw) MarksLive(ctx context.Context) (bigtablepb.Bigtable_ReadRowsClient, error) {
	live := &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_TimestampRangeFilter{
		TimestampRangeFilter: &bigtablepb.TimestampRange{StartTimestampMicros: time.Now().UnixMilli() * 1000},
	}}
	return r.api.ReadRows(ctx, &bigtablepb.ReadRowsRequest{TableName: dedupeTable, Filter: live}) // ok ttlread/missing-filter
}
