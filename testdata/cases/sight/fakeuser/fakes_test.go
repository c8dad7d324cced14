package fakes

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
)

type fakeTable struct {
	rows map[string]bigtable.Row
	muts []*bigtable.Mutation
}

func (f *fakeTable) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return f.rows[row], nil
}

func (f *fakeTable) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	f.muts = append(f.muts, m)
	return nil
}

var start = time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)

func TestFixedClock(t *testing.T) {
	fixed := func() time.Time { return time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC) }
	tokens := newTokens(&fakeTable{}, fixed, time.Minute)
	if err := tokens.Put(context.Background(), "k", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Get(context.Background(), "k"); err != nil {
		t.Fatal(err)
	}
	s := &Tokens{tbl: &fakeTable{}, now: func() time.Time { return start }, ttl: time.Minute}
	if err := s.Put(context.Background(), "k", nil); err != nil {
		t.Fatal(err)
	}
}

func TestFixedClockOnEmulator(t *testing.T) {
	ctx := context.Background()
	var c *bigtable.Client
	tokens := newTokens(c.Open("sessions"), func() time.Time { return start }, time.Minute)
	if err := tokens.Put(ctx, "k", nil); err != nil {
		t.Fatal(err)
	}
	if err := PutAt(ctx, c.Open("sessions"), "k", start); err != nil {
		t.Fatal(err)
	}
	if err := PutAt(ctx, c.Open("sessions"), "k", time.Unix(1000, 0)); err != nil {
		t.Fatal(err)
	}
	if err := PutExpiry(ctx, c.Open("sessions"), "k", expiry(start, time.Hour)); err != nil {
		t.Fatal(err)
	}
}

func TestFake(t *testing.T) {
	ctx := context.Background()
	f := &fakeTable{}
	if _, err := Raw(ctx, f, "k", bigtable.LatestNFilter(1)); err != nil {
		t.Fatal(err)
	}
	if err := PutAt(ctx, f, "k", start); err != nil {
		t.Fatal(err)
	}
}

// What a test writes and reads itself counts like other code.
func TestReal(t *testing.T) {
	ctx := context.Background()
	var c *bigtable.Client
	tbl := c.Open("sessions")
	if err := PutExpiry(ctx, tbl, "k", bigtable.ServerTime); err != nil { // want `server-timestamp: .*"token"`
		t.Fatal(err)
	}
	if _, err := Raw(ctx, tbl, "k", bigtable.LatestNFilter(1)); err != nil { // want `missing-filter: .*"token"`
		t.Fatal(err)
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", bigtable.Now(), nil) // want `write-time: .*"token"`
	if err := tbl.Apply(ctx, "k", mut); err != nil {
		t.Fatal(err)
	}
}
