package dedupe

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/featureplat/btx"
)

// fakeTable answers what it is told.
type fakeTable struct {
	row     bigtable.Row
	applied int
}

func (f *fakeTable) ReadRow(context.Context, string, ...bigtable.ReadOption) (bigtable.Row, error) {
	return f.row, nil
}

func (f *fakeTable) ReadRows(_ context.Context, _ bigtable.RowSet, fn func(bigtable.Row) bool, _ ...bigtable.ReadOption) error {
	if f.row != nil {
		fn(f.row)
	}
	return nil
}

func (f *fakeTable) Apply(context.Context, string, *bigtable.Mutation, ...bigtable.ApplyOption) error {
	f.applied++
	return nil
}

func (f *fakeTable) ApplyBulk(_ context.Context, keys []string, _ []*bigtable.Mutation, _ ...bigtable.ApplyOption) ([]error, error) {
	f.applied += len(keys)
	return nil, nil
}

func (f *fakeTable) ApplyReadModifyWrite(context.Context, string, *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	return f.row, nil
}

func newTestWindow(f *fakeTable) *Window {
	return &Window{
		tbl:   f,
		life:  time.Minute,
		now:   func() time.Time { return time.Unix(1_700_000_000, 0) },
		log:   slog.Default(),
		local: map[string]time.Time{},
	}
}

func TestFirst(t *testing.T) {
	f := &fakeTable{}
	w := newTestWindow(f)
	first, err := w.First(t.Context(), "clicks", "1")
	if err != nil || !first {
		t.Fatalf("First = %v, %v", first, err)
	}
	again, err := w.First(t.Context(), "clicks", "1")
	if err != nil || again {
		t.Fatalf("second First = %v, %v", again, err)
	}
	if f.applied != 1 {
		t.Errorf("applied %d mutations", f.applied)
	}
}

func TestSeenByHand(t *testing.T) {
	ended := bigtable.Time(time.Unix(1_600_000_000, 0))
	f := &fakeTable{row: bigtable.Row{"seen": {{Row: "r", Column: "seen:at", Timestamp: ended}}}}
	seen, err := newTestWindow(f).SeenByHand(t.Context(), "clicks", "1")
	if err != nil || seen {
		t.Errorf("SeenByHand = %v, %v", seen, err)
	}
}

func TestMarkBatch(t *testing.T) {
	f := &fakeTable{}
	if err := newTestWindow(f).MarkBatch(t.Context(), "clicks", []string{"a", "b", "c"}); err != nil {
		t.Fatal(err)
	}
	if f.applied != 3 {
		t.Errorf("applied %d", f.applied)
	}
}

func TestSeqRoundTrip(t *testing.T) {
	for _, n := range []int64{0, 1, 41, 1 << 40} {
		if got := btx.SeqOf(btx.Seq(n)); got != n {
			t.Errorf("SeqOf(Seq(%d)) = %d", n, got)
		}
	}
}
