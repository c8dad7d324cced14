package audit

import (
	"context"
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"medboard.example/board/btx"
	"medboard.example/board/btx/btxtest"
	"medboard.example/board/clock"
	"medboard.example/board/schema"
)

var day = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

func newFake() (*Trail, *btxtest.Table, *clock.Local) {
	tbl, nums := btxtest.NewTable(), clock.NewLocal()
	return New(tbl, nums, clock.NewFake(day)), tbl, nums
}

// newFixture opens the trail of a ward on an emulator.
func newFixture(t *testing.T, ward string) (*Trail, *bigtable.Table) {
	t.Helper()
	client, admin := btxtest.Emulator(t)
	btxtest.Must(t, schema.EnsureAudit(context.Background(), admin, ward))
	return OpenTrail(client, ward, clock.NewLocal(), clock.System{}), client.Open("test-audit")
}

// bare opens a trail on a table that has no policies.
func bare(t *testing.T) (*Trail, *bigtable.Table) {
	t.Helper()
	client, admin := btxtest.Emulator(t)
	btxtest.Create(t, admin, "bare-audit", famEntry, famActor) // want ttlgc/no-policy
	tbl := client.Open("bare-audit")
	return New(tbl, clock.NewLocal(), clock.System{}), tbl
}

func TestAddNumbers(t *testing.T) {
	tr, tbl, nums := newFake()
	nums.Seed("bed-1", 7)
	for _, want := range []int64{8, 9, 10} {
		got, err := tr.Add(context.Background(), "bed-1", Entry{Actor: "n", Action: "move"})
		btxtest.Must(t, err)
		if got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
	if tbl.Applied["bed-1"] != 3 {
		t.Errorf("applied %d", tbl.Applied["bed-1"])
	}
}

func TestNumberRoundTrip(t *testing.T) {
	cases := []struct {
		n    int64
		want bigtable.Timestamp
	}{
		{0, 0},
		{1, 1000},
		{42, 42000},
		{1 << 40, 1 << 40 * 1000},
	}
	for _, tc := range cases {
		ts := btx.Number(tc.n)
		if ts != tc.want {
			t.Errorf("%d: got %d", tc.n, ts)
		}
		if got := btx.NumberOf(bigtable.ReadItem{Timestamp: ts}); got != tc.n {
			t.Errorf("%d: back as %d", tc.n, got)
		}
	}
}

func TestHistoryOnEmulator(t *testing.T) {
	tr, _ := newFixture(t, "test")
	ctx := context.Background()
	for i := range 8 {
		_, err := tr.Add(ctx, "bed-1", Entry{Actor: "n", Action: fmt.Sprintf("step-%d", i)})
		btxtest.Must(t, err)
	}
	got, err := tr.History(ctx, "bed-1")
	btxtest.Must(t, err)
	if len(got) != schema.EntryVersions {
		t.Errorf("got %d entries", len(got))
	}
	last, err := tr.Latest(ctx, "bed-1")
	btxtest.Must(t, err)
	if last.Seq != 8 {
		t.Errorf("last is %d", last.Seq)
	}
}

func TestSeededVersions(t *testing.T) {
	tr, tbl := newFixture(t, "test")
	ctx := context.Background()
	for n := int64(1); n <= 6; n++ {
		mut := bigtable.NewMutation()
		mut.Set(famEntry, "log", bigtable.Timestamp(n*1000), tr.encode(Entry{Seq: n})) // ok ttlwrite/unscaled-sequence
		btxtest.Must(t, tbl.Apply(ctx, "s-1", mut))
	}
	for i := 1; i <= 6; i++ {
		mut := bigtable.NewMutation()
		mut.Set(famEntry, "log", bigtable.Timestamp(i), tr.encode(Entry{Seq: int64(i)})) // want ttlwrite/unscaled-sequence
		mut.Set(famActor, "name", bigtable.Timestamp(int64(i)*1e6), []byte("n"))         // ok ttlwrite/unscaled-sequence ttlunit/wrong-unit
		btxtest.Must(t, tbl.Apply(ctx, "s-2", mut))
	}
	cases := []struct {
		col string
		ts  bigtable.Timestamp
	}{
		{"a", 1000},
		{"b", 2000},
		{"c", 3}, // want ttlwrite/unscaled-sequence[seeds]
		{"d", btx.Number(4)},
	}
	for _, tc := range cases {
		mut := bigtable.NewMutation()
		mut.Set(famEntry, tc.col, tc.ts, nil) // want ttlwrite/unscaled-sequence[seeds]
		btxtest.Must(t, tbl.Apply(ctx, "s-3", mut))
	}

	row, err := tbl.ReadRow(ctx, "s-1") // want ttlread/missing-filter
	btxtest.Must(t, err)
	if n := len(row[famEntry]); n < schema.EntryVersions {
		t.Errorf("%d cells", n)
	}
	row, err = tbl.ReadRow(ctx, "s-1", bigtable.RowFilter(bigtable.LatestNFilter(3))) // ok ttlread/version-limit
	btxtest.Must(t, err)
	if n := len(row[famEntry]); n != 3 {
		t.Errorf("%d cells", n)
	}
	row, err = tbl.ReadRow(ctx, "s-1", bigtable.RowFilter(bigtable.LatestNFilter(6))) // want ttlread/version-limit
	btxtest.Must(t, err)
	if n := len(row[famEntry]); n != 6 {
		t.Errorf("%d cells", n)
	}
	row, err = tbl.ReadRow(ctx, "s-2", bigtable.RowFilter(bigtable.FamilyFilter(famEntry))) // want ttlread/version-limit
	btxtest.Must(t, err)
	if n := len(row[famEntry]); n != 1 {
		t.Errorf("%d cells", n)
	}
	row, err = tbl.ReadRow(ctx, "s-2", bigtable.RowFilter(bigtable.FamilyFilter(famActor))) // ok ttlread/version-limit ttlread/missing-filter
	btxtest.Must(t, err)
	if n := len(row[famActor]); n != 6 {
		t.Errorf("%d cells", n)
	}
	row, err = tbl.ReadRow(ctx, "s-1", bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(btx.Number(2), btx.Number(4)))) // ok ttlread/wrong-bound // maybe ttlread/*
	btxtest.Must(t, err)
	if n := len(row[famEntry]); n != 2 {
		t.Errorf("%d cells", n)
	}
}

func TestClockAfterNumbers(t *testing.T) {
	tr, tbl := bare(t)
	ctx := context.Background()
	_, err := tr.Add(ctx, "bed-1", Entry{Actor: "n", Action: "admit"})
	btxtest.Must(t, err)

	mut := bigtable.NewMutation()
	mut.Set(famEntry, "log", bigtable.Now(), tr.encode(Entry{Action: "import"}))          // want ttlwrite/clock-in-sequence
	mut.Set(famEntry, "imported", bigtable.Time(time.Now().Add(-time.Hour)), []byte("1")) // want ttlwrite/clock-in-sequence
	mut.Set(famActor, "imported", bigtable.Time(time.Now().Add(-time.Hour)), []byte("1")) // ok ttlwrite/clock-in-sequence
	btxtest.Must(t, tbl.Apply(ctx, "bed-1", mut))
	mut = bigtable.NewMutation()
	mut.Set(famEntry, "log", bigtable.Timestamp(time.Now().Unix()), nil) // want ttlwrite/clock-in-sequence
	mut.Set(famEntry, "day", bigtable.Time(day), nil)                    // want ttlwrite/clock-in-sequence
	mut.Set(famActor, "day", bigtable.Time(day), nil)                    // ok ttlwrite/clock-in-sequence
	btxtest.Must(t, tbl.Apply(ctx, "bed-2", mut))

	last, err := tr.Latest(ctx, "bed-1")
	btxtest.Must(t, err)
	if last.Action != "import" {
		t.Errorf("got %+v", last)
	}
}

func TestScanTrail(t *testing.T) {
	_, tbl := bare(t)
	ctx := context.Background()
	var got []string
	err := tbl.ReadRows(ctx, bigtable.PrefixRange("bed-"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row[famEntry] {
			got = append(got, string(it.Value))
		}
		return true
	})
	btxtest.Must(t, err)
	var names []string
	err = tbl.ReadRows(ctx, bigtable.PrefixRange("bed-"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		names = append(names, btx.Value(row, famActor, "name"))
		return true
	})
	btxtest.Must(t, err)
	if len(got)+len(names) != 0 {
		t.Errorf("got %v, %v", got, names)
	}
}

func TestExportTable(t *testing.T) {
	client, admin := btxtest.Emulator(t)
	btxtest.Create(t, admin, "lab-results", famEntry) // ok ttlgc/no-policy
	tbl := client.Open("lab-results")
	ctx := context.Background()
	mut := bigtable.NewMutation()
	mut.Set(famEntry, "log", bigtable.Now(), nil)            // ok ttlwrite/clock-in-sequence
	mut.Set(famEntry, "log2", bigtable.Timestamp(1000), nil) // ok ttlwrite/unscaled-sequence
	btxtest.Must(t, tbl.Apply(ctx, "r", mut))
	row, err := tbl.ReadRow(ctx, "r") // ok ttlread/missing-filter
	btxtest.Must(t, err)
	if len(row[famEntry]) != 2 {
		t.Errorf("got %v", row)
	}
}
