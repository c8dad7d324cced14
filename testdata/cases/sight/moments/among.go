package moments

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Helpers that compare two times: which those are, the call says.

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func Later(a, b bigtable.Timestamp) bool { return a > b }

func (s *store) first(ctx context.Context) (t time.Time) {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	for _, it := range row["code"] {
		t = earlier(t, it.Timestamp.Time())
	}
	return t
}

func (s *store) okCapped(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	now := time.Now()
	for _, it := range row["code"] {
		if earlier(now, it.Timestamp.Time()) == now {
			n++
		}
	}
	return n
}

func (s *store) last(ctx context.Context) (t bigtable.Timestamp) {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	for _, it := range row["code"] {
		if Later(it.Timestamp, t) {
			t = it.Timestamp
		}
	}
	return t
}

func (s *store) okLater(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if Later(it.Timestamp, bigtable.Now()) {
			n++
		}
	}
	return n
}

// A method of a cell's own type, by way of another helper.
type entry struct {
	at    time.Time
	value []byte
}

func (e entry) newer(than entry) bool { return later(e.at, than.at) }

func later(a, b time.Time) bool { return a.After(b) }

func entryOf(it bigtable.ReadItem) entry { return entry{it.Timestamp.Time(), it.Value} }

func (s *store) newestEntry(ctx context.Context) (best entry) {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	for _, it := range row["code"] {
		if e := entryOf(it); e.newer(best) {
			best = e
		}
	}
	return best
}

// Cells go into the helper whole.
func newer(a, b bigtable.ReadItem) bool { return a.Timestamp > b.Timestamp }

func (s *store) newestCell(ctx context.Context) (best bigtable.ReadItem) {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	for _, it := range row["code"] {
		if newer(it, best) {
			best = it
		}
	}
	return best
}

func after(it bigtable.ReadItem, t time.Time) bool { return it.Timestamp.Time().After(t) }

func (s *store) okAfter(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["code"] {
		if after(it, time.Now()) {
			n++
		}
	}
	return n
}

func (s *store) afterAnother(ctx context.Context) (n int) {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	items := row["code"]
	for _, it := range items {
		if after(it, items[0].Timestamp.Time()) {
			n++
		}
	}
	return n
}

var _ = []any{(*store).first, (*store).okCapped, (*store).last, (*store).okLater, (*store).newestEntry, (*store).newestCell, (*store).okAfter, (*store).afterAnother}
