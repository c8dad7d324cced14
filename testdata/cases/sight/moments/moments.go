// Package moments checks cells by hand by whatever is made of their timestamp and a
// moment: a condition says which cell is dead.
package moments

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"
)

type store struct{ tbl *bigtable.Table }

func New(c *bigtable.Client) *store { return &store{c.Open("otp")} }

func (s *store) okCompare(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if cmp.Compare(it.Timestamp, bigtable.Now()) > 0 {
			n++
		}
	}
	return n
}

func (s *store) okLess(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if !cmp.Less(it.Timestamp, bigtable.Now()) {
			n++
		}
	}
	return n
}

func (s *store) okCompareTimes(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	now := time.Now()
	for _, it := range row["code"] {
		switch now.Compare(it.Timestamp.Time()) {
		case -1:
			n++
		}
	}
	return n
}

func (s *store) okTruncated(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if it.Timestamp.TruncateToMilliseconds() > bigtable.Now() {
			n++
		}
	}
	return n
}

func (s *store) okConverted(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if t := it.Timestamp.Time().Local().Round(time.Second).In(time.UTC); t.UnixMicro() >= time.Now().UnixMicro() {
			n++
		}
	}
	return n
}

func (s *store) okDifference(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if it.Timestamp-bigtable.Now() > 0 {
			n++
		}
	}
	return n
}

func (s *store) okDifferenceOfNumbers(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		left := int64(it.Timestamp) - time.Now().UnixMicro()
		if 0 < left {
			n++
		}
	}
	return n
}

// The sign of the difference.
func (s *store) okSign(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if math.Signbit(float64(it.Timestamp - bigtable.Now())) {
			n++
		}
	}
	return n
}

func (s *store) okShifted(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if (int64(it.Timestamp)-time.Now().UnixMicro())>>63 == 0 {
			n++
		}
	}
	return n
}

func (s *store) okLeft(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if left := time.Until(it.Timestamp.Time()).Seconds(); left > 0 {
			n++
		}
	}
	return n
}

func left(t bigtable.Timestamp, now time.Time) time.Duration { return t.Time().Sub(now) }

func (s *store) okLeftByHelper(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	now := time.Now()
	for _, it := range row["code"] {
		if left(it.Timestamp, now) > 0 {
			n++
		}
	}
	return n
}

func (s *store) okGreatest(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	now := bigtable.Now()
	for _, it := range row["code"] {
		if max(it.Timestamp, now) == it.Timestamp {
			n++
		}
	}
	return n
}

func (s *store) okDeleteFunc(ctx context.Context) int {
	row, _ := s.tbl.ReadRow(ctx, "k")
	now := time.Now()
	return len(slices.DeleteFunc(row["code"], func(it bigtable.ReadItem) bool { return it.Timestamp.Time().Compare(now) < 0 }))
}

// Cells are sorted, and those up to now are cut off.
func (s *store) okSearch(ctx context.Context) int {
	row, _ := s.tbl.ReadRow(ctx, "k")
	items, now := row["code"], bigtable.Now()
	slices.SortFunc(items, func(a, b bigtable.ReadItem) int { return cmp.Compare(a.Timestamp, b.Timestamp) })
	i := sort.Search(len(items), func(i int) bool { return items[i].Timestamp > now })
	return len(items[i:])
}

// What is left is compared with what others have left: the longest-lived, dead or alive.
func (s *store) longest(ctx context.Context) (best bigtable.Timestamp) {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	for _, it := range row["code"] {
		if left := it.Timestamp - bigtable.Now(); left > best {
			best = left
		}
	}
	return best
}

func (s *store) sorted(ctx context.Context) []bigtable.ReadItem {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	items := row["code"]
	slices.SortFunc(items, func(a, b bigtable.ReadItem) int { return cmp.Compare(a.Timestamp, b.Timestamp) })
	return items
}

func (s *store) sortedByTime(ctx context.Context) []bigtable.ReadItem {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	items := row["code"]
	slices.SortFunc(items, func(a, b bigtable.ReadItem) int { return b.Timestamp.Time().Compare(a.Timestamp.Time()) })
	return items
}

func (s *store) newest(ctx context.Context) bigtable.ReadItem {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	return slices.MaxFunc(row["code"], func(a, b bigtable.ReadItem) int { return int(a.Timestamp - b.Timestamp) })
}

func (s *store) differences(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	items := row["code"]
	for i := range items[1:] {
		if items[i].Timestamp-items[i+1].Timestamp > 1000 {
			n++
		}
	}
	return n
}

// Rounded, converted, logged: no comparison.
func (s *store) rounded(ctx context.Context) (last time.Time) {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	for _, it := range row["code"] {
		last = it.Timestamp.TruncateToMilliseconds().Time().Local()
	}
	return last
}

// How long is left is returned, and nobody asks whether that is anything.
func (s *store) remaining(ctx context.Context) (d time.Duration) {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	for _, it := range row["code"] {
		d += time.Until(it.Timestamp.Time())
	}
	return d
}

// Whether a timestamp is set says nothing of its time.
func (s *store) set(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	for _, it := range row["code"] {
		if cmp.Compare(it.Timestamp, 0) > 0 {
			n++
		}
	}
	return n
}

var _ = []any{
	(*store).okCompare, (*store).okLess, (*store).okCompareTimes, (*store).okTruncated, (*store).okConverted, (*store).okDifference, (*store).okDifferenceOfNumbers,
	(*store).okSign, (*store).okShifted, (*store).okLeft, (*store).okLeftByHelper, (*store).okGreatest, (*store).okDeleteFunc, (*store).okSearch,
	(*store).longest, (*store).sorted, (*store).sortedByTime, (*store).newest, (*store).differences, (*store).rounded, (*store).remaining, (*store).set,
}
