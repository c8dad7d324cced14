// Package numbertimes computes times and sequence numbers.
package numbertimes

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type store struct {
	sessions *bigtable.Table
	tickets  *bigtable.Table
	clicks   *bigtable.Table
	ledger   *bigtable.Table
	seqs     map[string]int64
	slots    [16]int64
	last     []int64
}

// Open opens the tables.
func Open(c *bigtable.Client) *store {
	return &store{sessions: c.Open("sessions"), tickets: c.Open("tickets"), clicks: c.Open("clicks"), ledger: c.Open("eu-ledger"), seqs: map[string]int64{}}
}

func midnight() time.Time {
	now := time.Now().UTC()
	return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
}

func tomorrow() time.Time {
	y, m, d := time.Now().Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, time.Local)
}

// elsewhere may lie ahead: the date is another in UTC.
func elsewhere() time.Time {
	y, m, d := time.Now().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

func firstOfMonth() time.Time {
	now := time.Now()
	return time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, now.Location())
}

func (s *store) PutMidnight(ctx context.Context, key string, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Time(midnight()), v) // want `write-time: .*"token"`
	mut.Set("token", "b", bigtable.Time(tomorrow()), v)
	mut.Set("token", "e", bigtable.Time(elsewhere()), v)
	mut.Set("token", "f", bigtable.Time(firstOfMonth().AddDate(0, 1, 0)), v)
	mut.Set("token", "g", bigtable.Time(firstOfMonth().AddDate(0, -1, 0)), v) // want `already-expired: .*"token"`
	mut.Set("token", "c", bigtable.Time(midnight().Add(48*time.Hour)), v)
	mut.Set("token", "d", bigtable.Time(midnight().AddDate(0, 0, 2)), v)
	return s.sessions.Apply(ctx, key, mut)
}

func (s *store) ScanToday(ctx context.Context, f func(bigtable.Row) bool) error {
	end := time.Now().Truncate(24 * time.Hour).Add(24 * time.Hour)
	return s.clicks.ReadRows(ctx, bigtable.InfiniteRange(""), f,
		bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), end))) // want `upper-bound: .*"event"`
}

func (s *store) ScanMinute(ctx context.Context, f func(bigtable.Row) bool) error {
	start := time.Now()
	return s.tickets.ReadRows(ctx, bigtable.InfiniteRange(""), f,
		bigtable.RowFilter(bigtable.TimestampRangeFilter(start, start.Truncate(time.Minute).Add(time.Minute)))) // want `upper-bound: .*"ticket"`
}

func (s *store) ScanFrom(ctx context.Context, f func(bigtable.Row) bool) error {
	return s.tickets.ReadRows(ctx, bigtable.InfiniteRange(""), f,
		bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), midnight().AddDate(0, 0, 7))))
}

func (s *store) PutUnix(ctx context.Context, key string, n int64, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("ticket", "a", bigtable.Timestamp(time.Unix(n, 0).Unix()), v)             // want `wrong-unit`
	mut.Set("ticket", "b", bigtable.Timestamp(time.UnixMilli(n).UnixMilli()), v)      // want `wrong-unit`
	mut.Set("ticket", "c", bigtable.Timestamp(time.Unix(n, 0).UnixMicro()), v)        // a time in microseconds
	mut.Set("ticket", "d", bigtable.Timestamp(n*1000), v)                             // what n is nobody knows
	mut.Set("ticket", "e", bigtable.Timestamp(n*1000000), v)                          // nor here
	mut.Set("ticket", "f", bigtable.Timestamp(time.UnixMilli(n).UTC().UnixNano()), v) // want `wrong-unit`
	mut.Set("ticket", "g", bigtable.Time(time.Unix(time.Unix(n, 0).Unix(), 0)), v)
	return s.tickets.Apply(ctx, key, mut)
}

func (s *store) Append(ctx context.Context, key string, v []byte) error {
	s.seqs[key]++
	mut := bigtable.NewMutation()
	mut.Set("entry", "a", bigtable.Timestamp(s.seqs[key]), v) // want `unscaled-sequence: .*"entry"`
	mut.Set("entry", "b", bigtable.Timestamp(s.seqs[key]*1000), v)
	return s.ledger.Apply(ctx, key, mut)
}

func (s *store) AppendSlot(ctx context.Context, key string, slot int, v []byte) error {
	s.slots[slot]++
	n := s.slots[slot]
	mut := bigtable.NewMutation()
	mut.Set("entry", "a", bigtable.Timestamp(n), v) // want `unscaled-sequence: .*"entry"`
	mut.Set("entry", "b", bigtable.Timestamp(1000*n), v)
	return s.ledger.Apply(ctx, key, mut)
}

func (s *store) AppendNext(ctx context.Context, key string, v []byte) error {
	n := s.seqs[key] + 1
	s.seqs[key] = n
	mut := bigtable.NewMutation()
	mut.Set("entry", "a", bigtable.Timestamp(n), v) // want `unscaled-sequence: .*"entry"`
	return s.ledger.Apply(ctx, key, mut)
}

func (s *store) Backfill(ctx context.Context, key string, vs [][]byte) error {
	mut := bigtable.NewMutation()
	for i, v := range vs {
		mut.Set("entry", "a", bigtable.Timestamp(len(vs)-i), v)        // want `unscaled-sequence: .*"entry"`
		mut.Set("entry", "b", bigtable.Timestamp((len(vs)-i)*1000), v) // counts down, scaled
	}
	return s.ledger.Apply(ctx, key, mut)
}
