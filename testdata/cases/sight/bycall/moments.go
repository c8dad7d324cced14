// Package bycall reads by helpers and objects of many kinds: what counts is what one call
// gives, and what a condition hangs on.
package bycall

import (
	"cmp"
	"context"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"
)

type store struct{ tbl *bigtable.Table }

func New(c *bigtable.Client) *store { return &store{c.Open("otp")} }

func (s *store) ok1(ctx context.Context, now time.Time) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if ttl := it.Timestamp.Time().Sub(now); ttl.Seconds() < 1 {
			continue
		}
		n++
	}
	return n
}

func leftOf(it bigtable.ReadItem) bigtable.Timestamp { return it.Timestamp - bigtable.Now() }

func (s *store) ok2(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if leftOf(it) > 0 {
			n++
		}
	}
	return n
}

type entry struct {
	left time.Duration
	v    []byte
}

func (s *store) ok3(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	var es []entry
	for _, it := range row["code"] {
		es = append(es, entry{time.Until(it.Timestamp.Time()), it.Value})
	}
	for _, e := range es {
		if e.left > 0 {
			n++
		}
	}
	return n
}

func (s *store) ok10(ctx context.Context, now time.Time) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if time.UnixMicro(int64(it.Timestamp)).Before(now) {
			n++
		}
	}
	return n
}

func (s *store) ok11(ctx context.Context, now time.Time) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if now.UnixMicro() > int64(it.Timestamp) {
			n++
		}
	}
	return n
}

func after[T cmp.Ordered](a, b T) bool { return a > b }

func (s *store) ok13(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if after(it.Timestamp, bigtable.Now()) {
			n++
		}
	}
	return n
}

func (s *store) bad13(ctx context.Context) (best bigtable.Timestamp) {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	for _, it := range row["code"] {
		if after(it.Timestamp, best) {
			best = it.Timestamp
		}
	}
	return best
}

func maxBy[T any](items []T, less func(a, b T) bool) (best T) {
	for _, it := range items {
		if less(best, it) {
			best = it
		}
	}
	return best
}

func (s *store) bad15(ctx context.Context) bigtable.ReadItem {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	return maxBy(row["code"], func(a, b bigtable.ReadItem) bool { return a.Timestamp < b.Timestamp })
}

func (s *store) bad16(ctx context.Context) []bigtable.ReadItem {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	items := slices.Clone(row["code"])
	slices.SortStableFunc(items, func(a, b bigtable.ReadItem) int { return -cmp.Compare(a.Timestamp, b.Timestamp) })
	return items
}

func (s *store) bad17(ctx context.Context) (gap time.Duration) {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	var prev time.Time
	for _, it := range row["code"] {
		if d := it.Timestamp.Time().Sub(prev); !prev.IsZero() && d > gap {
			gap = d
		}
		prev = it.Timestamp.Time()
	}
	return gap
}

// within reports whether t is in a span.
func within(t, from, to time.Time) bool { return !t.Before(from) && t.Before(to) }

func (s *store) ok18(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if within(it.Timestamp.Time(), time.Now(), time.Now().Add(time.Hour)) {
			n++
		}
	}
	return n
}

func (s *store) ok19(ctx context.Context) (out []bigtable.ReadItem) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	items := row["code"]
	i := slices.IndexFunc(items, func(it bigtable.ReadItem) bool { return it.Timestamp.Time().Before(time.Now()) })
	if i < 0 {
		return items
	}
	return items[:i]
}

func (s *store) ok20(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if d := time.Since(it.Timestamp.Time()); d < 0 {
			n++
		}
	}
	return n
}

type cell struct{ it bigtable.ReadItem }

func (c cell) until() time.Time    { return c.it.Timestamp.Time() }
func (c cell) left() time.Duration { return time.Until(c.until()) }
func (c cell) before(d cell) bool  { return c.until().Before(d.until()) }

func (s *store) ok21(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if (cell{it}).left() > 0 {
			n++
		}
	}
	return n
}

func (s *store) bad21(ctx context.Context) (best cell) {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	for _, it := range row["code"] {
		if best.before(cell{it}) {
			best = cell{it}
		}
	}
	return best
}

func (s *store) bad22(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	for _, it := range row["code"] {
		if it.Timestamp.Time().Hour() > 12 {
			n++
		}
	}
	return n
}
