package calls

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"medboard.example/board/btx"
	"medboard.example/board/btx/btxtest"
	"medboard.example/board/clock"
	"medboard.example/board/schema"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newQueue() (*Queue, *btxtest.Cells, *clock.Fake) {
	cells, clk := btxtest.NewCells(), clock.NewFake(noon)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	return New(cells, clk, WithLogger(quiet), WithIDs(&clock.Counting{Prefix: "call"})), cells, clk
}

func TestOpenPutsDeadlines(t *testing.T) {
	cases := []struct {
		kind Kind
		want time.Duration
	}{
		{Assist, 20 * time.Minute},
		{Alarm, 2 * time.Hour},
		{Service, 8 * time.Hour},
		{"tea", time.Hour},
	}
	for _, tc := range cases {
		t.Run(string(tc.kind), func(t *testing.T) {
			q, cells, _ := newQueue()
			id, err := q.Open(context.Background(), "icu", Ticket{Kind: tc.kind, Room: "4"})
			btxtest.Must(t, err)
			if id != "call-1" {
				t.Errorf("id %q", id)
			}
			for _, p := range cells.Puts {
				if p.Family != schema.Ticket {
					continue
				}
				if got := p.TS.Time(); !got.Equal(noon.Add(tc.want)) {
					t.Errorf("%s: got %v", p.Column, got)
				}
			}
		})
	}
}

func TestTakeForShiftsTheTimestamp(t *testing.T) {
	for _, d := range []time.Duration{time.Minute, schema.ClaimTTL, time.Hour} {
		q, cells, _ := newQueue()
		btxtest.Must(t, q.TakeFor(context.Background(), "icu", "call-1", "n-1", d))
		if got, want := cells.Puts[0].TS.Time(), noon.Add(d-schema.ClaimTTL); !got.Equal(want) {
			t.Errorf("%v: got %v, want %v", d, got, want)
		}
	}
}

func TestFakeCells(t *testing.T) {
	cells := btxtest.NewCells()
	ctx := context.Background()
	btxtest.Must(t, cells.Put(ctx, "icu/1", schema.Ticket, "kind", bigtable.Now(), []byte("alarm")))  // ok ttlwrite/write-time
	btxtest.Must(t, cells.Put(ctx, "icu/1", schema.Ticket, "room", bigtable.ServerTime, []byte("7"))) // ok ttlwrite/server-timestamp
	if _, err := cells.Bump(ctx, "icu/1", schema.Ticket, "presses", 1); err != nil {                  // ok ttlwrite/read-modify-write
		t.Fatal(err)
	}
	row, err := cells.Get(ctx, "icu/1", nil) // ok ttlread/missing-filter
	btxtest.Must(t, err)
	if got := btx.Value(row, schema.Ticket, "kind"); got != "alarm" {
		t.Errorf("got %q", got)
	}
}

func TestPressCounts(t *testing.T) {
	q, _, _ := newQueue()
	for want := int64(1); want <= 3; want++ {
		got, err := q.Press(context.Background(), "icu", "call-1")
		btxtest.Must(t, err)
		if got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}

// onEmulator returns a queue and its board on an emulator.
func onEmulator(t *testing.T) (*Queue, *Board, *btx.TableCells, *bigtable.Table) {
	t.Helper()
	client, admin := btxtest.Emulator(t)
	btxtest.CreateWith(t, admin, schema.Calls, map[string]bigtable.GCPolicy{
		schema.Ticket: bigtable.MaxAgePolicy(2 * time.Second), // want ttlgc/age-mismatch
		schema.Claim:  bigtable.MaxAgePolicy(schema.ClaimTTL), // ok ttlgc/age-mismatch
		schema.Room:   bigtable.MaxVersionsPolicy(1),
	})
	tbl := client.Open(schema.Calls)
	cells := btx.NewCells(tbl)
	q := New(cells, clock.System{})
	return q, NewBoard(q, tbl), cells, tbl
}

func TestRoundTrip(t *testing.T) {
	q, b, cells, tbl := onEmulator(t)
	ctx := context.Background()
	id, err := q.Open(ctx, "icu", Ticket{Kind: Alarm, Room: "4", Text: "help"})
	btxtest.Must(t, err)

	got, err := q.Get(ctx, "icu", id)
	btxtest.Must(t, err)
	if got.Room != "4" || got.Text != "help" {
		t.Errorf("got %+v", got)
	}
	row, err := cells.Get(ctx, "icu/"+id, bigtable.LatestNFilter(1)) // want ttlread/missing-filter
	btxtest.Must(t, err)
	if v := btx.Value(row, schema.Ticket, "kind"); v != string(Alarm) {
		t.Errorf("got %q", v)
	}
	row, err = cells.Get(ctx, "icu/"+id, bigtable.FamilyFilter(schema.Room)) // ok ttlread/missing-filter
	btxtest.Must(t, err)
	if v := btx.Value(row, schema.Room, "opened"); v != "4" {
		t.Errorf("got %q", v)
	}
	row, err = tbl.ReadRow(ctx, "icu/"+id, bigtable.RowFilter(bigtable.PassAllFilter())) // want ttlread/missing-filter
	btxtest.Must(t, err)
	if len(row[schema.Ticket]) != 3 {
		t.Errorf("got %v", row)
	}
	btxtest.Must(t, b.Refresh(ctx, "icu"))
	if len(b.open) != 1 {
		t.Errorf("board has %v", b.open)
	}
}

func TestClaimWindows(t *testing.T) {
	q, _, cells, tbl := onEmulator(t)
	ctx := context.Background()
	cases := []struct {
		id   string
		back time.Duration
		live bool
	}{
		{"1", time.Minute, true},
		{"2", 9 * time.Minute, true},
	}
	for _, tc := range cases {
		btxtest.Must(t, cells.Put(ctx, "icu/"+tc.id, schema.Claim, "nurse", bigtable.Time(time.Now().Add(-tc.back)), []byte("n"))) // ok ttlwrite/already-expired
		got, err := q.Nurses(ctx, "icu", tc.id)
		if (err == nil && len(got) == 1) != tc.live {
			t.Errorf("%s: %v, %v", tc.id, got, err)
		}
	}
	btxtest.Must(t, cells.Put(ctx, "icu/3", schema.Claim, "nurse", bigtable.Time(time.Now().Add(-time.Hour)), []byte("n"))) // want ttlwrite/already-expired
	row, err := tbl.ReadRow(ctx, "icu/3", bigtable.RowFilter(btx.Family(schema.Claim)))                                     // want ttlread/missing-filter
	btxtest.Must(t, err)
	if len(row[schema.Claim]) != 1 {
		t.Errorf("got %v", row)
	}
	row, err = tbl.ReadRow(ctx, "icu/1", bigtable.RowFilter(btx.Family(schema.Claim, btx.Within(time.Now(), 10*time.Minute)))) // ok ttlread/wrong-bound
	btxtest.Must(t, err)
	if len(row[schema.Claim]) != 1 {
		t.Errorf("got %v", row)
	}
	row, err = tbl.ReadRow(ctx, "icu/2", bigtable.RowFilter(btx.Family(schema.Claim, btx.Within(time.Now(), time.Hour)))) // want ttlread/wrong-bound
	btxtest.Must(t, err)
	if len(row[schema.Claim]) != 1 {
		t.Errorf("got %v", row)
	}
}

func TestButtonOnEmulator(t *testing.T) {
	_, _, cells, _ := onEmulator(t)
	ctx := context.Background()
	if _, err := cells.Bump(ctx, "icu/1", schema.Ticket, "presses", 1); err != nil { // want ttlwrite/read-modify-write
		t.Fatal(err)
	}
	if _, err := cells.Bump(ctx, "icu/1", schema.Room, "presses", 1); err != nil { // ok ttlwrite/read-modify-write
		t.Fatal(err)
	}
	btxtest.Must(t, cells.Put(ctx, "icu/1", schema.Ticket, "kind", bigtable.Now(), nil))      // want ttlwrite/write-time
	btxtest.Must(t, cells.Put(ctx, "icu/1", schema.Ticket, "kind", btx.In(time.Minute), nil)) // ok ttlwrite/write-time
	btxtest.Must(t, cells.Put(ctx, "icu/1", schema.Ticket, "text", bigtable.ServerTime, nil)) // want ttlwrite/server-timestamp
	btxtest.Must(t, cells.Put(ctx, "icu/1", schema.Room, "opened", bigtable.ServerTime, nil)) // ok ttlwrite/server-timestamp
}

func TestDecode(t *testing.T) {
	cases := []struct {
		name string
		row  bigtable.Row
		ok   bool
	}{
		{"nothing", nil, false},
		{"room only", bigtable.Row{schema.Room: {{Column: "room:opened"}}}, false},
		{"ticket", bigtable.Row{schema.Ticket: {{Column: "ticket:kind", Value: []byte("alarm")}}}, true},
	}
	for _, tc := range cases {
		if _, err := decode("1", tc.row); (err == nil) != tc.ok {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}
