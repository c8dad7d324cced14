package trace

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/bt"
	"example.com/lumen/internal/names"
)

func (s *Store) Migrate(ctx context.Context, tenant string) (int, error) {
	b := bt.NewBatch(s.spans, 200)
	n := 0
	var bad error
	err := s.legacy.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		mut := bigtable.NewMutation()
		for _, it := range r[names.FamSpan] {
			mut.Set(names.FamSpan, it.Column[len(names.FamSpan)+1:], it.Timestamp, it.Value) // ok ttlwrite/already-expired
			n++
		}
		bad = b.Add(ctx, r.Key(), mut)
		return bad == nil
	})
	if err != nil || bad != nil {
		return n, err
	}
	return n, b.Flush(ctx)
}

func (s *Store) Retire(ctx context.Context, tenant string) error {
	b := bt.NewBatch(s.legacy, 200)
	var bad error
	err := s.spans.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(r bigtable.Row) bool { // want ttlread/missing-filter
		mut := bigtable.NewMutation()
		for _, it := range r[names.FamSpan] {
			mut.Set(names.FamSpan, it.Column[len(names.FamSpan)+1:], it.Timestamp, it.Value)
		}
		bad = b.Add(ctx, r.Key(), mut)
		return bad == nil
	})
	if err != nil {
		return err
	}
	if bad != nil {
		return bad
	}
	return b.Flush(ctx)
}

func (s *Store) Age(ctx context.Context, tenant, service, trace string, hour time.Time) (time.Duration, error) {
	row, err := s.index.ReadRow(ctx, indexKey(tenant, service, hour), bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter(trace), bt.Younger(names.SpanRetention)))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := bt.Cell(row, names.FamIndex, trace)
	if !ok {
		return 0, bt.ErrNoRow
	}
	return time.Now().Sub(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

func (s *Store) Left(ctx context.Context, tenant, service, trace string, hour time.Time) (time.Duration, error) {
	row, err := s.index.ReadRow(ctx, indexKey(tenant, service, hour), bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter(trace), bt.Younger(names.SpanRetention)))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := bt.Cell(row, names.FamIndex, trace)
	if !ok {
		return 0, bt.ErrNoRow
	}
	gone := it.Timestamp.Time().Add(names.SpanRetention)
	return time.Until(gone), nil // ok ttlage/not-write-time
}
