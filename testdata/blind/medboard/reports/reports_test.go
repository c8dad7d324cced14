package reports

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"medboard.example/board/btx"
	"medboard.example/board/btx/btxtest"
	"medboard.example/board/clock"
	"medboard.example/board/schema"
)

type fixture struct {
	*Runner
	client *bigtable.Client
	ctx    context.Context
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	client, admin := btxtest.Emulator(t)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	ctx := context.Background()
	btxtest.Must(t, schema.Ensure(ctx, admin, quiet))
	return fixture{New(client, clock.System{}, quiet), client, ctx}
}

// seed puts one cell into a table.
func (f fixture) seed(t *testing.T, table, row, family, column string, ts bigtable.Timestamp, value string) {
	t.Helper()
	mut := bigtable.NewMutation()
	mut.Set(family, column, ts, []byte(value))
	btxtest.Must(t, f.client.Open(table).Apply(f.ctx, row, mut))
}

func TestTop(t *testing.T) {
	counts := map[string]int{"icu": 3, "er": 9, "or": 3}
	cases := []struct {
		n    int
		want []string
	}{
		{0, []string{}},
		{1, []string{"er"}},
		{2, []string{"er", "icu"}},
		{9, []string{"er", "icu", "or"}},
	}
	for _, tc := range cases {
		if got := Top(counts, tc.n); !slices.Equal(got, tc.want) {
			t.Errorf("%d: got %v", tc.n, got)
		}
	}
}

func TestOccupancy(t *testing.T) {
	f := newFixture(t)
	f.seed(t, schema.Beds, "icu#1", schema.Hold, "patient", btx.In(time.Hour), "p-1")                             // ok ttlwrite/write-time
	f.seed(t, schema.Beds, "icu#2", schema.Hold, "patient", bigtable.Time(time.Now().Add(-5*time.Second)), "p-2") // want ttlwrite/already-expired
	f.seed(t, schema.Beds, "icu#3", schema.Hold, "patient", bigtable.Now(), "p-3")                                // want ttlwrite/write-time
	f.seed(t, schema.Beds, "icu#3", schema.Bed, "state", bigtable.Now(), "dirty")                                 // ok ttlwrite/write-time
	f.seed(t, schema.Billing, "icu#3", schema.Hold, "patient", bigtable.Now(), "p-3")                             // ok ttlwrite/write-time
	f.seed(t, schema.Beds, "icu#4", schema.Hold, "patient", bigtable.ServerTime, "p-4")                           // want ttlwrite/server-timestamp
	f.seed(t, schema.Billing, "icu#4", schema.Hold, "patient", bigtable.ServerTime, "p-4")                        // ok ttlwrite/server-timestamp
	got, err := f.OccupancyLive(f.ctx)
	btxtest.Must(t, err)
	if len(got) == 0 {
		t.Error("nobody")
	}
}

func TestTerminals(t *testing.T) {
	f := newFixture(t)
	f.seed(t, schema.Devices, "pump-1", schema.Session, "user", bigtable.Now(), "n-1")                               // ok ttlwrite/write-time
	f.seed(t, schema.Devices, "pump-2", schema.Session, "user", bigtable.Time(time.Now().Add(-14*time.Hour)), "n-2") // want ttlwrite/already-expired
	f.seed(t, schema.Kiosks, "lobby", schema.Session, "card", bigtable.Now(), "c-1")                                 // want ttlwrite/write-time
	f.seed(t, schema.Kiosks, "lobby", schema.Session, "card", btx.In(schema.KioskTTL), "c-1")                        // ok ttlwrite/write-time
	f.seed(t, schema.Vitals, "p-1", schema.Alarm, "kind", bigtable.Now(), "asystole")                                // want ttlwrite/clock-in-sequence
	f.seed(t, schema.Vitals, "p-1", schema.Alarm, "kind", btx.Number(4), "asystole")                                 // ok ttlwrite/clock-in-sequence
	f.seed(t, schema.Vitals, "p-1", schema.Alarm, "kind", 4, "asystole")                                             // want ttlwrite/unscaled-sequence
	f.seed(t, schema.State, "p-1", schema.Last, "v", bigtable.Now(), "on")                                           // want ttlwrite/clock-in-zero
	f.seed(t, schema.State, "p-1", schema.Last, "v", 0, "on")                                                        // ok ttlwrite/clock-in-zero
	f.seed(t, schema.Journal, "icu", schema.Entry, "text", bigtable.Now(), "all quiet")                              // ok ttlwrite/clock-in-sequence
	got, err := f.Terminals(f.ctx)
	btxtest.Must(t, err)
	if _, ok := got["pump-1"]; !ok {
		t.Errorf("got %v", got)
	}
	row, err := f.client.Open(schema.Devices).ReadRow(f.ctx, "pump-2") // want ttlread/missing-filter
	btxtest.Must(t, err)
	if len(row[schema.Session]) > 1 {
		t.Errorf("got %v", row)
	}
	row, err = f.client.Open(schema.Journal).ReadRow(f.ctx, "icu") // ok ttlread/missing-filter
	btxtest.Must(t, err)
	if len(row) == 0 {
		t.Error("no journal")
	}
	row, err = f.client.Open(schema.Vitals).ReadRow(f.ctx, "p-1") // ok ttlread/missing-filter
	btxtest.Must(t, err)
	if len(row) == 0 {
		t.Error("no vitals")
	}
	row, err = f.client.Open(schema.State).ReadRow(f.ctx, "p-1", bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	btxtest.Must(t, err)
	if len(row) == 0 {
		t.Error("no state")
	}
}

func TestCSVHasAHeader(t *testing.T) {
	f := newFixture(t)
	var buf bytes.Buffer
	btxtest.Must(t, f.CSV(f.ctx, "icu", &buf))
	if strings.Contains(buf.String(), "\x00") {
		t.Errorf("got %q", buf.String())
	}
}

func TestArchiveAndRestore(t *testing.T) {
	f := newFixture(t)
	f.seed(t, schema.Beds, "icu#1", schema.Hold, "patient", btx.In(time.Minute), "p-1")
	n, err := f.Archive(f.ctx)
	btxtest.Must(t, err)
	if n != 1 {
		t.Errorf("archived %d", n)
	}
	btxtest.Must(t, f.Restore(f.ctx))
	got := 0
	err = f.client.Open(schema.Billing).ReadRows(f.ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		got += len(row[schema.Hold])
		return true
	})
	btxtest.Must(t, err)
	if got != 1 {
		t.Errorf("%d in the archive", got)
	}
}

func TestCounts(t *testing.T) {
	f := newFixture(t)
	for _, table := range []string{schema.Beds, schema.Calls, schema.State} {
		n, err := f.Counts(f.ctx, table)
		btxtest.Must(t, err)
		if n != 0 {
			t.Errorf("%s: %d rows", table, n)
		}
	}
}
