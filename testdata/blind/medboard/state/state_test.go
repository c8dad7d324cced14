package state

import (
	"context"
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"medboard.example/board/btx"
	"medboard.example/board/btx/btxtest"
	"medboard.example/board/clock"
	"medboard.example/board/schema"
)

var evening = time.Date(2026, 3, 1, 19, 0, 0, 0, time.UTC)

func newStore() (*Store, *btxtest.Cells) {
	cells := btxtest.NewCells()
	return New(cells, clock.NewFake(evening)), cells
}

func TestPut(t *testing.T) {
	s, cells := newStore()
	ctx := context.Background()
	for i, v := range []string{"on", "off", "on"} {
		btxtest.Must(t, s.Put(ctx, "pump-1", v))
		last, rev := cells.Puts[2*i], cells.Puts[2*i+1]
		if last.TS != 0 || last.Family != famLast {
			t.Errorf("%d: %+v", i, last)
		}
		if want := bigtable.Timestamp(1000 * (i + 1)); rev.TS != want { // ok ttlunit/wrong-unit
			t.Errorf("%d: revision at %d, want %d", i, rev.TS, want)
		}
	}
}

func TestFakesTakeEverything(t *testing.T) {
	_, cells := newStore()
	ctx := context.Background()
	btxtest.Must(t, cells.Put(ctx, "x", famLast, "v", bigtable.Now(), nil)) // ok ttlwrite/clock-in-zero
	btxtest.Must(t, cells.Put(ctx, "x", famRev, "n", 1, nil))               // ok ttlwrite/unscaled-sequence
	if _, err := cells.Bump(ctx, "x", famRev, "n", 1); err != nil {         // ok ttlwrite/read-modify-write
		t.Fatal(err)
	}
	if _, err := cells.Get(ctx, "y", nil); !errors.Is(err, btx.ErrNotFound) { // ok ttlread/missing-filter
		t.Errorf("got %v", err)
	}
}

func newTable(t *testing.T) (*bigtable.Table, *bigtable.AdminClient) {
	t.Helper()
	client, admin := btxtest.Emulator(t)
	ctx := context.Background()
	btxtest.Must(t, admin.CreateTable(ctx, schema.State))
	btxtest.Must(t, admin.CreateColumnFamily(ctx, schema.State, famLast)) // ok ttlgc/no-policy
	btxtest.Must(t, admin.CreateColumnFamily(ctx, schema.State, famRev))  // want ttlgc/no-policy
	return client.Open(schema.State), admin
}

func TestZeroReplaces(t *testing.T) {
	tbl, _ := newTable(t)
	ctx := context.Background()
	for _, v := range []string{"a", "b", "c"} {
		mut := bigtable.NewMutation()
		mut.Set(famLast, "v", 0, []byte(v)) // ok ttlwrite/clock-in-zero
		btxtest.Must(t, tbl.Apply(ctx, "x", mut))
	}
	row, err := tbl.ReadRow(ctx, "x", bigtable.RowFilter(bigtable.FamilyFilter(famLast))) // ok ttlread/missing-filter
	btxtest.Must(t, err)
	if got := btxtest.Values(row, famLast, "v"); len(got) != 1 || got[0] != "c" {
		t.Errorf("got %q", got)
	}
}

func TestRevisions(t *testing.T) {
	tbl, _ := newTable(t)
	ctx := context.Background()
	rev := 0
	for range 4 {
		rev++
		mut := bigtable.NewMutation()
		mut.Set(famRev, "n", bigtable.Timestamp(rev), nil)      // want ttlwrite/unscaled-sequence
		mut.Set(famRev, "m", bigtable.Timestamp(rev)*1000, nil) // ok ttlwrite/unscaled-sequence
		btxtest.Must(t, tbl.Apply(ctx, "x", mut))
	}
	row, err := tbl.ReadRow(ctx, "x", bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	btxtest.Must(t, err)
	if len(row[famRev]) != 2 {
		t.Errorf("got %v", row)
	}
	row, err = tbl.ReadRow(ctx, "x", bigtable.RowFilter(bigtable.LatestNFilter(2))) // want ttlread/version-limit
	btxtest.Must(t, err)
	if len(row[famRev]) != 3 {
		t.Errorf("got %v", row)
	}
	row, err = tbl.ReadRow(ctx, "x") // want ttlread/missing-filter
	btxtest.Must(t, err)
	if len(row[famRev]) != 5 {
		t.Errorf("got %v", row)
	}
}

func TestClockHidesZero(t *testing.T) {
	tbl, admin := newTable(t)
	ctx := context.Background()
	btxtest.Must(t, admin.SetGCPolicy(ctx, schema.State, famLast, bigtable.MaxAgePolicy(time.Hour))) // want ttlgc/age-on-zero
	btxtest.Must(t, admin.SetGCPolicy(ctx, schema.State, famRev, bigtable.MaxVersionsPolicy(1)))     // ok ttlgc/policy-mismatch
	mut := bigtable.NewMutation()
	mut.Set(famLast, "v", bigtable.Time(time.Now()), []byte("old")) // want ttlwrite/clock-in-zero
	mut.Set(famLast, "w", 0, []byte("new"))                         // ok ttlwrite/clock-in-zero
	btxtest.Must(t, tbl.Apply(ctx, "x", mut))
	btxtest.Must(t, tbl.Apply(ctx, "y", Seen(clock.NewFake(evening), "a", "b")))
	btxtest.Must(t, tbl.Apply(ctx, "z", Snapshot([]State{{Thing: "a", Value: "1"}})))
	if got := btxtest.Values(mustRow(t, tbl, "x"), famLast, "v"); len(got) != 1 {
		t.Errorf("got %q", got)
	}
}

func mustRow(t *testing.T, tbl *bigtable.Table, key string) bigtable.Row {
	t.Helper()
	row, err := tbl.ReadRow(context.Background(), key, bigtable.RowFilter(bigtable.FamilyFilter(famLast))) // ok ttlread/missing-filter
	btxtest.Must(t, err)
	return row
}

func TestStoreOnEmulator(t *testing.T) {
	tbl, _ := newTable(t)
	s := New(btx.NewCells(tbl), clock.System{})
	ctx := context.Background()
	btxtest.Must(t, s.Put(ctx, "pump-1", "on"))
	st, err := s.Get(ctx, "pump-1")
	btxtest.Must(t, err)
	if st.Value != "on" {
		t.Errorf("got %+v", st)
	}
	n, err := s.Rev(ctx, "pump-1")
	btxtest.Must(t, err)
	if n != 1 {
		t.Errorf("revision %d", n)
	}
	if _, err := s.Get(ctx, "nothing"); !errors.Is(err, btx.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}
