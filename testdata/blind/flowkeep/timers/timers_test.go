package timers

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/flowkeep/internal/bt"
	"example.com/flowkeep/internal/clock"
)

func TestWheel(t *testing.T) {
	clk := clock.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	var fired []string
	w := NewWheel(nil, clk, func(_ context.Context, t Timer) error {
		fired = append(fired, t.Name)
		return nil
	})
	for _, tm := range []Timer{
		{Name: "b", FireAt: clk.Now().Add(2 * time.Minute)},
		{Name: "a", FireAt: clk.Now().Add(time.Minute)},
		{Name: "c", FireAt: clk.Now().Add(time.Hour)},
	} {
		w.add(tm)
	}
	clk.Advance(3 * time.Minute)
	if err := w.Tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(fired) != 2 || fired[0] != "a" || fired[1] != "b" {
		t.Fatalf("fired %v", fired)
	}
}

type recording struct {
	keys []string
}

func (r *recording) Apply(_ context.Context, key string, _ *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	r.keys = append(r.keys, key)
	return nil
}

func (r *recording) ApplyBulk(_ context.Context, keys []string, _ []*bigtable.Mutation, _ ...bigtable.ApplyOption) ([]error, error) {
	r.keys = append(r.keys, keys...)
	return nil, nil
}

func (r *recording) ReadRow(context.Context, string, ...bigtable.ReadOption) (bigtable.Row, error) {
	return bigtable.Row{"due": {{Column: "due:timer", Value: []byte(`{"name":"x"}`)}}}, nil
}

func (r *recording) ReadRows(context.Context, bigtable.RowSet, func(bigtable.Row) bool, ...bigtable.ReadOption) error {
	return nil
}

func (r *recording) ApplyReadModifyWrite(context.Context, string, *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	return nil, nil
}

var _ bt.ReadWriter = (*recording)(nil)

func TestScheduleAndGet(t *testing.T) {
	rec := &recording{}
	s := &Store{tbl: rec, clk: clock.Func(func() time.Time { return time.Unix(1e9, 0) }), dec: decode}
	if err := s.Schedule(t.Context(), Timer{Run: "r", Name: "n", FireAt: time.Unix(1e9, 0)}); err != nil { // ok ttlwrite/already-expired
		t.Fatal(err)
	}
	tm, err := s.Get(t.Context(), "r", "n")
	if err != nil || tm.Name != "x" || rec.keys[0] != "r#n" {
		t.Fatalf("%v %v %v", tm, err, rec.keys)
	}
}
