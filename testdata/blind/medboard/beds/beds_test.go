package beds

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"medboard.example/board/btx"
	"medboard.example/board/btx/btxtest"
	"medboard.example/board/clock"
	"medboard.example/board/schema"
)

var morning = time.Date(2026, 3, 1, 7, 0, 0, 0, time.UTC)

// fixture is a store on a fake table, with a clock that stands still.
type fixture struct {
	*Store
	tbl *btxtest.Table
	clk *clock.Fake
}

func newFixture() fixture {
	tbl := btxtest.NewTable()
	clk := clock.NewFake(morning) // ok ttlwrite/stale-clock
	return fixture{New(tbl, clk, &clock.Counting{Prefix: "hold"}), tbl, clk}
}

// live is a store on an emulator, with the real clock.
func live(t *testing.T) (*Store, *bigtable.Table) {
	t.Helper()
	client, admin := btxtest.Emulator(t)
	btxtest.CreateWith(t, admin, schema.Beds, map[string]bigtable.GCPolicy{
		famHold: bigtable.MaxAgePolicy(time.Second), // ok ttlgc/age-mismatch
		famBed:  bigtable.MaxVersionsPolicy(1),
	})
	tbl := client.Open(schema.Beds)
	return New(tbl, clock.System{}, clock.Random{}), tbl
}

func TestReserveTaken(t *testing.T) {
	cases := []struct {
		name    string
		holder  string
		expires time.Duration
		patient string
		want    error
	}{
		{"free", "", 0, "p-1", nil},
		{"same patient", "p-1", time.Minute, "p-1", nil},
		{"other patient", "p-2", time.Minute, "p-1", ErrTaken},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			f := newFixture()
			if tc.holder != "" {
				f.tbl.With("icu#1", famHold, colPatient, bigtable.Time(morning.Add(tc.expires)), tc.holder)
			}
			h, err := f.Reserve(context.Background(), "icu", "1", tc.patient, time.Minute)
			if !errors.Is(err, tc.want) {
				t.Fatalf("got %v, want %v", err, tc.want)
			}
			if err == nil && !h.ExpiresAt.Equal(morning.Add(time.Minute)) {
				t.Errorf("expires at %v", h.ExpiresAt)
			}
		})
	}
}

func TestUntil(t *testing.T) {
	f := newFixture()
	for _, d := range []time.Duration{0, time.Second, schema.HoldTTL} {
		if got := f.until(d).Time(); !got.Equal(morning.Add(d)) {
			t.Errorf("%v: got %v", d, got)
		}
	}
}

func TestFakeErrorsComeThrough(t *testing.T) {
	f := newFixture()
	f.tbl.Err = errors.New("down")
	ctx := context.Background()
	for name, op := range map[string]func() error{
		"assign":   func() error { return f.Assign(ctx, "icu", "1", "n") },
		"annotate": func() error { return f.Annotate(ctx, "icu", "1", "n") },
		"flag":     func() error { return f.Flag(ctx, "icu", "1", "red") },
		"release":  func() error { return f.Release(ctx, "icu", "1") },
		"peek":     func() error { return f.Peek(ctx, "icu", "1") },
	} {
		if err := op(); !errors.Is(err, f.tbl.Err) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestFakeTableIsFake(t *testing.T) {
	tbl := btxtest.NewTable().With("icu#1", famHold, colPatient, bigtable.Now(), "p-1") // ok ttlwrite/write-time
	row, err := tbl.ReadRow(context.Background(), "icu#1")                              // ok ttlread/missing-filter
	btxtest.Must(t, err)
	if got := btx.Value(row, famHold, colPatient); got != "p-1" {
		t.Errorf("got %q", got)
	}
}

func TestRemainingWithFake(t *testing.T) {
	f := newFixture()
	f.tbl.With("icu#1", famHold, colPatient, bigtable.Time(morning.Add(10*time.Minute)), "p-1")
	for _, step := range []time.Duration{0, time.Minute, 2 * time.Minute} {
		f.clk.Advance(step)
		if _, err := f.Remaining(context.Background(), "icu", "1"); err != nil {
			t.Errorf("after %v: %v", step, err)
		}
	}
}

func TestReserveOnEmulator(t *testing.T) {
	s, tbl := live(t)
	ctx := context.Background()
	_, err := s.Reserve(ctx, "icu", "1", "p-1", time.Hour)
	btxtest.Must(t, err)

	row, err := tbl.ReadRow(ctx, Key("icu", "1")) // want ttlread/missing-filter
	btxtest.Must(t, err)
	if got := btx.Value(row, famHold, colPatient); got != "p-1" {
		t.Errorf("got %q", got)
	}
	row, err = tbl.ReadRow(ctx, Key("icu", "1"), bigtable.RowFilter(btx.Family(famHold, btx.Live(time.Now())))) // ok ttlread/missing-filter
	btxtest.Must(t, err)
	if got := btxtest.Values(row, famHold, colPatient); len(got) != 1 {
		t.Errorf("got %q", got)
	}
	row, err = tbl.ReadRow(ctx, Key("icu", "1"), bigtable.RowFilter(bigtable.FamilyFilter(famBed))) // ok ttlread/missing-filter
	btxtest.Must(t, err)
	if got := btx.Value(row, famBed, "reserved"); got != "p-1" {
		t.Errorf("got %q", got)
	}
}

func TestExpiredHoldIsNotRead(t *testing.T) {
	s, tbl := live(t)
	ctx := context.Background()
	mut := bigtable.NewMutation()
	mut.Set(famHold, colPatient, bigtable.Time(time.Now().Add(-time.Hour)), []byte("gone")) // want ttlwrite/already-expired
	mut.Set(famBed, colPatient, bigtable.Time(time.Now().Add(-time.Hour)), []byte("gone"))  // ok ttlwrite/already-expired
	btxtest.Must(t, tbl.Apply(ctx, Key("icu", "2"), mut))
	if _, err := s.Get(ctx, "icu", "2"); !errors.Is(err, btx.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestSeededHolds(t *testing.T) {
	s, tbl := live(t)
	ctx := context.Background()
	now := time.Now()
	cases := []struct {
		bed, family string
		ts          bigtable.Timestamp
		live        bool
	}{
		{"1", famHold, bigtable.Time(now.Add(time.Minute)), true}, // ok ttlwrite/write-time
		{"2", famHold, bigtable.Time(now), false},                 // want ttlwrite/write-time[seed]
		{"3", famBed, bigtable.Time(now), false},                  // ok ttlwrite/write-time
		{"4", famHold, btx.In(time.Hour), true},                   // ok ttlwrite/write-time
		{"5", famBed, bigtable.ServerTime, false},                 // ok ttlwrite/server-timestamp
		{"6", "scratch", 0, false},
	}
	for _, tc := range cases {
		mut := bigtable.NewMutation()
		mut.Set(tc.family, colPatient, tc.ts, []byte("p-"+tc.bed)) // want ttlwrite/write-time[seed]
		_ = tbl.Apply(ctx, Key("er", tc.bed), mut)
	}
	for _, tc := range cases {
		_, err := s.Get(ctx, "er", tc.bed)
		if (err == nil) != tc.live {
			t.Errorf("bed %s: %v", tc.bed, err)
		}
	}
}

func mustPut(t *testing.T, tbl *bigtable.Table, row, family string, ts bigtable.Timestamp) {
	t.Helper()
	mut := bigtable.NewMutation()
	mut.Set(family, colPatient, ts, []byte("p"))
	btxtest.Must(t, tbl.Apply(context.Background(), row, mut))
}

func TestFreeAndTaken(t *testing.T) {
	s, tbl := live(t)
	ctx := context.Background()
	mustPut(t, tbl, Key("er", "1"), famHold, btx.In(time.Minute))                        // ok ttlwrite/write-time
	mustPut(t, tbl, Key("er", "2"), famHold, bigtable.ServerTime)                        // want ttlwrite/server-timestamp
	mustPut(t, tbl, Key("er", "3"), famBed, bigtable.ServerTime)                         // ok ttlwrite/server-timestamp
	mustPut(t, tbl, Key("er", "4"), famHold, bigtable.Now())                             // want ttlwrite/write-time
	mustPut(t, tbl, Key("er", "5"), famBed, bigtable.Now())                              // ok ttlwrite/write-time
	mustPut(t, tbl, Key("er", "6"), famHold, 0)                                          // want ttlwrite/already-expired
	mustPut(t, tbl, Key("er", "7"), famHold, btx.Stamp())                                // want ttlwrite/write-time
	mustPut(t, tbl, Key("er", "8"), famBed, btx.Stamp())                                 // ok ttlwrite/write-time
	mustPut(t, tbl, Key("er", "9"), famHold, btx.Expiry(time.Now().Add(schema.HoldTTL))) // ok ttlwrite/write-time
	for bed, want := range map[string]bool{"1": false, "3": true, "5": true} {
		got, err := s.Free(ctx, "er", bed)
		btxtest.Must(t, err)
		if got != want {
			t.Errorf("bed %s: free is %v", bed, got)
		}
	}
}

func TestScratchTable(t *testing.T) {
	client, admin := btxtest.Emulator(t)
	btxtest.Create(t, admin, "scratch-beds", famHold, famBed) // ok ttlgc/no-policy
	tbl := client.Open("scratch-beds")
	ctx := context.Background()
	mut := bigtable.NewMutation()
	mut.Set(famHold, colPatient, bigtable.Now(), []byte("p-1"))  // ok ttlwrite/write-time
	mut.Set(famHold, colNurse, bigtable.ServerTime, []byte("n")) // ok ttlwrite/server-timestamp
	btxtest.Must(t, tbl.Apply(ctx, "r", mut))
	row, err := tbl.ReadRow(ctx, "r") // ok ttlread/missing-filter
	btxtest.Must(t, err)
	if len(row[famHold]) != 2 {
		t.Errorf("got %v", row)
	}
}

func TestRawTableWithoutPolicies(t *testing.T) {
	client, admin := btxtest.Emulator(t)
	btxtest.Create(t, admin, schema.Beds, famBed, famHold) // want ttlgc/no-policy
	tbl := client.Open(schema.Beds)
	s := New(tbl, clock.System{}, clock.Random{})
	btxtest.Must(t, s.Assign(context.Background(), "icu", "1", "n-1"))
	n := 0
	err := tbl.ReadRows(context.Background(), bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	})
	btxtest.Must(t, err)
	if n != 1 {
		t.Errorf("got %d rows", n)
	}
}

func TestDumpGolden(t *testing.T) {
	f := newFixture()
	f.tbl.With("icu#1", famHold, colPatient, bigtable.Time(morning), "p-1")
	var buf bytes.Buffer
	btxtest.Must(t, f.Dump(context.Background(), "icu", json.NewEncoder(&buf)))
	const golden = `{"bed":"icu#1","patient":"p-1","expires_at":"0001-01-01T00:00:00Z","created_at":"2026-03-01T07:00:00Z"}` + "\n"
	if got := buf.String(); got != golden {
		t.Errorf("got  %s\nwant %s", got, golden)
	}
}

func TestStaleDeletesOnlyDead(t *testing.T) {
	s, tbl := live(t)
	ctx := context.Background()
	mustPut(t, tbl, Key("or", "1"), famHold, btx.In(time.Minute))
	mustPut(t, tbl, Key("or", "2"), famHold, bigtable.Time(time.Now().Add(-2*time.Minute))) // want ttlwrite/already-expired
	n, err := s.Stale(ctx, "or")
	btxtest.Must(t, err)
	if n != 1 {
		t.Errorf("deleted %d", n)
	}
	row, err := tbl.ReadRow(ctx, Key("or", "2"), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famHold), bigtable.TimestampRangeFilter(time.Time{}, time.Now())))) // want ttlread/expired-only
	btxtest.Must(t, err)
	if len(row[famHold]) != 0 {
		t.Errorf("left over: %v", row)
	}
}
