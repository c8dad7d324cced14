// Package rowshanded hands rows on.
package rowshanded

import (
	"context"
	"iter"
	"log"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/rowshanded/lib"
)

type store struct {
	tbl     *bigtable.Table
	handle  func(bigtable.Row)
	mappers map[string]func(bigtable.Row) string
	out     chan bigtable.Row
	mapper  mapper
}

func captured(ctx context.Context, tbl *bigtable.Table) int {
	var rows []bigtable.Row
	tbl.ReadRows(ctx, bigtable.PrefixRange("x"), func(r bigtable.Row) bool { // want `missing-filter: .*"token"`
		rows = append(rows, r)
		return true
	})
	n := 0
	count := func() {
		for _, r := range rows {
			n += len(r["token"])
		}
	}
	count()
	return n
}

func (s *store) field(ctx context.Context) {
	row, _ := s.open().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	s.handle(row)
}

func (s *store) open() *bigtable.Table { return client.Open("sessions") }

var client *bigtable.Client

func (s *store) inMap(ctx context.Context, kind string) string {
	row, _ := s.open().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return s.mappers[kind](row)
}

func (s *store) parameter(ctx context.Context, f func(bigtable.Row) error) error {
	row, err := s.open().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	if err != nil {
		return err
	}
	return f(row)
}

func (s *store) appended(ctx context.Context, all []bigtable.Row) []bigtable.Row {
	row, _ := s.open().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return append(all, row)
}

func (s *store) sent(ctx context.Context) {
	row, _ := s.open().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	s.out <- row
}

func (s *store) seq(ctx context.Context) iter.Seq[bigtable.Row] {
	return func(yield func(bigtable.Row) bool) {
		s.open().ReadRows(ctx, bigtable.PrefixRange("x"), func(r bigtable.Row) bool { return yield(r) }) // want `missing-filter: .*"token"`
	}
}

type result struct {
	row bigtable.Row
	at  time.Time
}

func (s *store) structured(ctx context.Context) result {
	row, _ := s.open().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return result{row, time.Now()}
}

func (s *store) second(ctx context.Context) (bool, bigtable.Row) {
	row, err := s.open().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return err == nil, row
}

func (s *store) sink(ctx context.Context, to lib.Sink) {
	row, _ := s.open().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	to.Put(row)
}

func (s *store) okBio(ctx context.Context) string {
	row, _ := s.open().ReadRow(ctx, "k")
	return lib.Bio(row)
}

func (s *store) token(ctx context.Context) string {
	row, _ := s.open().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return lib.Token(row)
}

// Row mappers held in fields.

type mapper interface{ Map(bigtable.Row) string }

type profileMapper struct{}

func (profileMapper) Map(r bigtable.Row) string { return string(r["profile"][0].Value) }

func newStore() *store { return &store{mapper: profileMapper{}} }

func (s *store) okMapped(ctx context.Context) string {
	row, _ := s.open().ReadRow(ctx, "k")
	return s.mapper.Map(row)
}

type repo[T any] struct {
	tbl *bigtable.Table
	fn  func(bigtable.Row) (T, error)
}

type profile struct{ bio string }

func profiles(c *bigtable.Client) *repo[profile] {
	return &repo[profile]{tbl: c.Open("sessions"), fn: func(r bigtable.Row) (profile, error) {
		return profile{string(r["profile"][0].Value)}, nil
	}}
}

func (r *repo[T]) okGet(ctx context.Context, key string) (T, error) {
	row, err := r.tbl.ReadRow(ctx, key)
	if err != nil {
		var zero T
		return zero, err
	}
	return r.fn(row)
}

// Iterators of rows.

func (s *store) all(ctx context.Context) iter.Seq[bigtable.Row] {
	return func(yield func(bigtable.Row) bool) {
		s.open().ReadRows(ctx, bigtable.PrefixRange("x"), yield)
	}
}

func (s *store) okRange(ctx context.Context) {
	for row := range s.all(ctx) {
		for _, item := range row["token"] {
			if item.Timestamp.Time().Before(time.Now()) {
				continue
			}
			log.Print(string(item.Value))
		}
	}
}

// Checked by hand means compared with a time.

type cell struct {
	value []byte
	at    time.Time
}

func (s *store) storedOnly(ctx context.Context) []cell {
	var out []cell
	row, _ := s.open().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	for _, item := range row["token"] {
		out = append(out, cell{item.Value, item.Timestamp.Time()})
	}
	return out
}

func (s *store) logged(ctx context.Context) []byte {
	row, _ := s.open().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	item := row["token"][0]
	log.Printf("%v", item.Timestamp.Time())
	return item.Value
}

func (s *store) mapped(ctx context.Context) map[string]time.Time {
	out := map[string]time.Time{}
	row, _ := s.open().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	for _, item := range row["token"] {
		out[item.Column] = item.Timestamp.Time()
	}
	return out
}

func (s *store) returned(ctx context.Context) (time.Time, []byte) {
	row, _ := s.open().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return row["token"][0].Timestamp.Time(), row["token"][0].Value
}

func (s *store) otherRead(ctx context.Context) []byte {
	a, _ := s.open().ReadRow(ctx, "a")
	for _, item := range a["token"] {
		if item.Timestamp.Time().After(time.Now()) {
			return item.Value
		}
	}
	b, _ := s.open().ReadRow(ctx, "b") // want `missing-filter: .*"token"`
	return b["token"][0].Value
}

func (s *store) newest(ctx context.Context) []byte {
	row, _ := s.open().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	best := row["token"][0]
	for _, item := range row["token"] {
		if item.Timestamp > best.Timestamp {
			best = item
		}
	}
	return best.Value
}

func (s *store) okReturnedAndCompared(ctx context.Context) []byte {
	at, value := s.latest(ctx)
	if at.Before(time.Now()) {
		return nil
	}
	return value
}

func (s *store) latest(ctx context.Context) (time.Time, []byte) {
	row, _ := s.open().ReadRow(ctx, "k")
	return row["token"][0].Timestamp.Time(), row["token"][0].Value
}
