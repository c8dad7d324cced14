package players

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"studio.example/leaderbd/internal/kit"
	"studio.example/leaderbd/internal/schema"
)

// ImportRow is one line of the old database's export.
type ImportRow struct {
	Player  string
	Name    string
	Country string
	Joined  time.Time
	Token   string
	Expires int64 // Unix seconds
}

// ReadExport parses an export.
func ReadExport(r io.Reader) iter.Seq2[ImportRow, error] {
	return func(yield func(ImportRow, error) bool) {
		cr := csv.NewReader(r)
		cr.FieldsPerRecord = 6
		for {
			rec, err := cr.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			var row ImportRow
			if err == nil {
				row, err = parseRow(rec)
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

func parseRow(rec []string) (ImportRow, error) {
	joined, err := time.Parse(time.DateOnly, rec[3])
	if err != nil {
		return ImportRow{}, fmt.Errorf("joined: %w", err)
	}
	exp, err := strconv.ParseInt(rec[5], 10, 64)
	if err != nil {
		return ImportRow{}, fmt.Errorf("expires: %w", err)
	}
	return ImportRow{Player: rec[0], Name: rec[1], Country: rec[2], Joined: joined, Token: rec[4], Expires: exp}, nil
}

// Import loads an export.
func (s *Store) Import(ctx context.Context, rows iter.Seq2[ImportRow, error]) (int, error) {
	b := kit.NewBatch(s.tbl)
	n := 0
	for row, err := range rows {
		if err != nil {
			return n, err
		}
		exp := time.Unix(row.Expires, 0)
		b.Add(row.Player,
			kit.PutAny(schema.FamProfile, "card", bigtable.Time(row.Joined), Profile{Name: row.Name, Country: row.Country}), // ok ttlwrite/write-time
			kit.Put(schema.FamProfile, "joined", bigtable.Timestamp(row.Joined.UnixMilli()), nil),                           // want ttlunit/wrong-unit
			kit.Put(schema.FamProfile, "imported", bigtable.Timestamp(s.now().UnixMilli()*1000), nil),                       // ok ttlunit/wrong-unit
			kit.When(exp.After(s.now()), kit.Put(schema.FamSession, "token", kit.ExpireAt(exp), []byte(row.Token))),         // ok ttlwrite/write-time
			kit.Put(schema.FamWallet, "coins", 0, make([]byte, 8)),                                                          // ok ttlwrite/clock-in-zero
			kit.Put(schema.FamWallet, "imported", 1000, nil),                                                                // want ttlwrite/clock-in-zero
		)
		n++
		if b.Len() >= 500 {
			if err := b.Flush(ctx); err != nil {
				return n, err
			}
		}
	}
	return n, b.Flush(ctx)
}

// Tombstones marks sessions that the old database ended.
func (s *Store) Tombstones(ctx context.Context, players []string) error {
	b := kit.NewBatch(s.tbl)
	for _, p := range players {
		b.Add(p, kit.Put(schema.FamSession, "token", 0, nil)) // want ttlwrite/already-expired
		b.Add(p, kit.Put(schema.FamProfile, "ended", 0, nil)) // ok ttlwrite/already-expired
	}
	return b.Flush(ctx)
}

// Backfill stores when players were last seen, from the log pipeline.
func (s *Store) Backfill(ctx context.Context, seen map[string]time.Time) error {
	keys := kit.SortedKeys(seen)
	muts := make([]*bigtable.Mutation, 0, len(keys))
	for _, k := range keys {
		at := seen[k]
		m := bigtable.NewMutation()
		m.Set(schema.FamProfile, "seen", bigtable.Timestamp(at.UnixNano()), nil)         // want ttlunit/wrong-unit
		m.Set(schema.FamProfile, "seen_us", bigtable.Timestamp(at.UnixMicro()), nil)     // ok ttlunit/wrong-unit
		m.Set(schema.FamProfile, "seen_s", bigtable.Timestamp(at.Unix()*1e6), nil)       // ok ttlunit/wrong-unit
		m.Set(schema.FamProfile, "seen_ms", bigtable.Timestamp(at.Unix()*1000), nil)     // want ttlunit/wrong-unit
		m.Set(schema.FamProfile, "seen_ns", bigtable.Timestamp(at.UnixNano()/1000), nil) // ok ttlunit/wrong-unit
		muts = append(muts, m)
	}
	errs, err := s.tbl.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

// Recent lists the profiles that changed within d.
func (s *Store) Recent(ctx context.Context, d time.Duration) ([]string, error) {
	var out []string
	since := kit.In(schema.FamProfile, bigtable.TimestampRangeFilter(s.now().Add(-d), s.now()))                             // ok ttlread/upper-bound
	for row, err := range kit.Rows(ctx, s.tbl, bigtable.InfiniteRange(""), kit.Where(since, bigtable.StripValueFilter())) { // ok ttlread/missing-filter
		if err != nil {
			return nil, err
		}
		out = append(out, row.Key())
	}
	return out, nil
}

// RecentMicros is Recent for the exporter, which counts in microseconds.
func (s *Store) RecentMicros(ctx context.Context, since time.Time) (n int, err error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamProfile), bigtable.TimestampRangeFilterMicros(bigtable.Timestamp(since.Unix()), 0)) // want ttlunit/wrong-unit
	err = s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		n += len(row[schema.FamProfile])
		return true
	}, bigtable.RowFilter(f))
	return n, err
}
