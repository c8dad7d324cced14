package store

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"tramline.example/dal"
	"tramline.example/fleet"
)

// recorder keeps mutations.
type recorder struct {
	dal.Table
	muts map[string][]*bigtable.Mutation
}

func (r *recorder) Apply(_ context.Context, key string, m *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	if r.muts == nil {
		r.muts = map[string][]*bigtable.Mutation{}
	}
	r.muts[key] = append(r.muts[key], m)
	return nil
}

type testClock time.Time

func (c testClock) Now() time.Time { return time.Time(c) }

func TestAppend(t *testing.T) {
	r := &recorder{}
	j := &Journal{tbl: r, seq: NewCounter(), clock: testClock(time.Unix(1_700_000_000, 0)), per: map[string]int64{}} // ok ttlwrite/clock-in-sequence
	for range 3 {
		if err := j.Append(t.Context(), "v1", fleet.Entry{Text: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(r.muts["v1"]); n != 3 {
		t.Errorf("%d mutations", n)
	}
}

func TestCounter(t *testing.T) {
	c := NewCounter()
	for want := int64(1); want <= 3; want++ {
		if got, _ := c.Next(t.Context(), "k"); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
	if got, _ := c.Next(t.Context(), "other"); got != 1 {
		t.Errorf("got %d", got)
	}
}

func TestRecord(t *testing.T) {
	r := &recorder{}
	p := &Positions{Table: r, clock: testClock(time.Unix(1_700_000_000, 0))} // ok ttlwrite/already-expired
	if err := p.Record(t.Context(), fleet.Position{Vehicle: "v1"}); err != nil {
		t.Fatal(err)
	}
	if len(r.muts) != 1 {
		t.Error("not written")
	}
}

func TestSeq(t *testing.T) {
	for _, n := range []int64{0, 1, 7, 1 << 40} {
		if got := dal.SeqOf(dal.Seq(n)); got != n {
			t.Errorf("%d became %d", n, got)
		}
	}
}
