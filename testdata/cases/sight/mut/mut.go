// Package mut holds what broken code showed as missed.
package mut

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func unknownStart(ctx context.Context, c *bigtable.Client, start time.Time) (bigtable.Row, error) {
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(start, time.Now()))) // want `expired-only`
}

func okUnknownBoth(ctx context.Context, c *bigtable.Client, start, end time.Time) (bigtable.Row, error) {
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(start, end)))
}

func appended(ctx context.Context, c *bigtable.Client, opts []bigtable.ReadOption) (bigtable.Row, error) {
	opts = append(opts, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, time.Now())))
	return c.Open("otp").ReadRow(ctx, "k", opts...) // want `expired-only`
}

func byIndex(muts []*bigtable.Mutation) {
	for i := range muts {
		muts[i].Set("entry", "amount", bigtable.Timestamp(i*1000), nil)
		muts[i].Set("entry", "amount", bigtable.Timestamp(i*1000), nil) // want `same-timestamp`
		muts[i].Set("entry", "other", bigtable.Timestamp(i*1000), nil)
	}
	for i := range len(muts) - 1 {
		muts[i].Set("entry", "next", 1000, nil)
		muts[i+1].Set("entry", "next", 1000, nil)
	}
}

type log struct {
	mut  *bigtable.Mutation
	next int64
}

func (l *log) add() {
	l.next++
	ts := bigtable.Timestamp(l.next * 1000)
	l.mut.Set("entry", "amount", ts, nil)
	l.mut.Set("entry", "amount", ts, nil) // want `same-timestamp`
}

func (l *log) okFlush() {
	l.mut.Set("entry", "amount", 1000, nil)
	l.mut = bigtable.NewMutation()
	l.mut.Set("entry", "amount", 1000, nil)
}

type batch struct {
	*bigtable.Mutation
	key string
}

func embedded(b batch, at time.Time) {
	ts := bigtable.Time(at)
	b.Set("token", "jwt", ts, nil)
	b.Set("token", "jwt", ts, nil) // want `same-timestamp`
	b.DeleteCellsInFamily("token") // want `delete-after-set`
}

func number(n int) bigtable.Timestamp { return bigtable.Timestamp(n) * 1000 }

func ranged(muts []*bigtable.Mutation) {
	for i, m := range muts {
		ts := number(i)
		m.Set("entry", "amount", ts, nil)
		m.Set("entry", "amount", ts, nil) // want `same-timestamp`
	}
}

type stamped struct {
	ts bigtable.Timestamp
	m  *bigtable.Mutation
}

func (s *stamped) bump() { s.ts += 1000 }

func (s *stamped) okBump(v []byte) {
	s.m.Set("entry", "amount", s.ts, v)
	s.bump()
	s.m.Set("entry", "amount", s.ts, v)
}

func (s *stamped) twice(v, w []byte) {
	s.m.Set("entry", "amount", s.ts, v)
	s.m.Set("entry", "amount", s.ts, w) // want `same-timestamp`
}

func okOther(a, b *stamped, v []byte) {
	a.m.Set("entry", "amount", 1000, v)
	b.m.Set("entry", "amount", 1000, v)
}

func okLaterElement(es []stamped, m *bigtable.Mutation, v []byte) {
	for i := 1; i < len(es); i++ {
		m.Set("entry", "a", es[i-1].ts, v)
		m.Set("entry", "a", es[i].ts, v)
	}
}
