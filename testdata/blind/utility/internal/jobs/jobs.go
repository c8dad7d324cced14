// Package jobs holds backfills, imports and clean-ups.
package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"nordkraft.example/grid/internal/billing"
	bm "nordkraft.example/grid/internal/btmodel"
	"nordkraft.example/grid/internal/btrt"
	"nordkraft.example/grid/internal/obs"
)

// Loader writes one family's columns from a file.
type Loader struct {
	tbl    *bigtable.Table
	family string
	ts     bigtable.Timestamp
}

// NewLoader makes a loader.
func NewLoader(tbl *bigtable.Table, family string, ts bigtable.Timestamp) *Loader {
	return &Loader{tbl: tbl, family: family, ts: ts}
}

// Load reads lines of JSON.
func (l *Loader) Load(ctx context.Context, r io.Reader) error {
	dec := json.NewDecoder(r)
	for {
		var line struct {
			Key, Column, Value string
		}
		if err := dec.Decode(&line); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		m := bigtable.NewMutation()
		m.Set(l.family, line.Column, l.ts, []byte(line.Value)) // ok ttlwrite/server-timestamp
		if err := l.tbl.Apply(ctx, line.Key, m); err != nil {
			return btrt.Wrap("load", err)
		}
	}
}

// Restore loads the families of a backup.
func Restore(ctx context.Context, c *bigtable.Client, open func(string) (io.Reader, error)) error {
	defer obs.Timed("restore")()
	loaders := map[string]*Loader{
		"area.json": NewLoader(c.Open(bm.OutagesName), bm.OutagesFamilyArea, bigtable.ServerTime),        // ok ttlwrite/server-timestamp
		"ack.json":  NewLoader(c.Open(bm.OutagesName), bm.OutagesFamilyAck, bigtable.ServerTime),         // want ttlwrite/server-timestamp
		"last.json": NewLoader(c.Open(bm.MeterStateName), bm.MeterStateFamilyLast, bigtable.Now()),       // want ttlwrite/clock-in-zero
		"rev.json":  NewLoader(c.Open(bm.ConsumptionName), bm.ConsumptionFamilyRev, bigtable.Now()),      // ok ttlwrite/clock-in-sequence
		"tar.json":  NewLoader(c.Open(bm.TariffsName), bm.TariffsFamilyRev, bigtable.ServerTime),         // want ttlwrite/clock-in-sequence
		"load.json": NewLoader(c.Open("staging_sessions"), bm.MeterSessionsFamilySess, bigtable.Now()),   // ok ttlwrite/write-time
		"sess.json": NewLoader(c.Open(bm.MeterSessionsName), bm.MeterSessionsFamilySess, bigtable.Now()), // want ttlwrite/write-time
	}
	for name, l := range loaders {
		r, err := open(name)
		if err != nil {
			return err
		}
		if err := l.Load(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// Correction makes a revision's cell at the present time.
func Correction(why string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("rev", "why", bigtable.Now(), []byte(why)) // ok ttlwrite/clock-in-sequence
	return m
}

// CorrectAll notes a reason on the consumption and on the tariff.
func CorrectAll(ctx context.Context, cons *bm.Consumption, tar *bm.Tariffs, key, why string) error {
	if err := cons.Apply(ctx, key, Correction(why)); err != nil { // ok ttlwrite/clock-in-sequence
		return err
	}
	return tar.Apply(ctx, key, Correction(why)) // want ttlwrite/clock-in-sequence
}

// Repost writes a ledger's entries again, in order.
func Repost(ctx context.Context, l *billing.Ledger, acct string, es []*bm.LedgerEntry) error {
	for i, e := range es {
		if err := l.Write(ctx, acct, e, btrt.Raw(int64(i))); err != nil { // want ttlwrite/unscaled-sequence
			return err
		}
	}
	for i := range es {
		if err := l.PostAt(ctx, acct, int64(i+1), es[i].Ore); err != nil { // ok ttlwrite/unscaled-sequence
			return err
		}
	}
	return l.Write(ctx, acct, &bm.LedgerEntry{Ref: "end"}, bigtable.ServerTime) // want ttlwrite/clock-in-sequence
}

// Audit reads a ledger that was opened by name.
func Audit(ctx context.Context, c *bigtable.Client) (int, error) {
	n := 0
	err := c.Open("oslo-ledger").ReadRows(ctx, bigtable.PrefixRange("a#"), func(r bigtable.Row) bool { // want ttlread/missing-filter
		for _, items := range r {
			n += len(items)
		}
		return true
	})
	return n, err
}

// Legacy copies the notices of the old table, which nobody collects.
func Legacy(ctx context.Context, c *bigtable.Client) ([]string, error) {
	var out []string
	err := c.Open("legacy_notices").ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[bm.OutagesFamilyNotice] {
			out = append(out, fmt.Sprint(string(it.Value), it.Timestamp.Time()))
		}
		return true
	})
	return out, err
}

func get[T any](ctx context.Context, t *bigtable.Table, key string, f bigtable.Filter, decode func(bigtable.Row) T) (T, error) {
	row, err := t.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	return decode(row), err
}

// Codes reads a meter's pairing code twice, for the comparison with the old reader.
func Codes(ctx context.Context, t *bm.MeterSessions, key string) (string, string, error) {
	dec := func(r bigtable.Row) string {
		var p bm.MeterSessionsPair
		p.Unmarshal(r)
		return p.Code
	}
	old, err := get(ctx, t.Table(), key, bigtable.FamilyFilter(bm.MeterSessionsFamilyPair), dec) // want ttlread/missing-filter
	if err != nil {
		return "", "", err
	}
	live, err := get(ctx, t.Table(), key, btrt.Family(bm.MeterSessionsFamilyPair, btrt.Live()), dec) // ok ttlread/missing-filter
	return old, live, err
}

// RawWrites builds what the ingest proxy sends for a meter.
func RawWrites(instance, key, tok string, until time.Time) []*btpb.MutateRowRequest {
	set := func(c *btpb.Mutation_SetCell) []*btpb.Mutation {
		return []*btpb.Mutation{{Mutation: &btpb.Mutation_SetCell_{SetCell: c}}}
	}
	table := instance + "/tables/" + bm.MeterSessionsName
	return []*btpb.MutateRowRequest{
		{TableName: table, RowKey: []byte(key), Mutations: set(&btpb.Mutation_SetCell{FamilyName: bm.MeterSessionsFamilySess, Value: []byte(tok)})},                                            // want ttlwrite/unset-timestamp
		{TableName: table, RowKey: []byte(key), Mutations: set(&btpb.Mutation_SetCell{FamilyName: bm.MeterSessionsFamilySess, TimestampMicros: -1, Value: []byte(tok)})},                       // want ttlwrite/server-timestamp
		{TableName: table, RowKey: []byte(key), Mutations: set(&btpb.Mutation_SetCell{FamilyName: bm.MeterSessionsFamilySess, TimestampMicros: until.UnixMilli() * 1000, Value: []byte(tok)})}, // ok ttlwrite/unset-timestamp
		{TableName: table, RowKey: []byte(key), Mutations: set(&btpb.Mutation_SetCell{FamilyName: bm.MeterSessionsFamilyDev, TimestampMicros: -1, Value: []byte(tok)})},                        // ok ttlwrite/server-timestamp
	}
}
