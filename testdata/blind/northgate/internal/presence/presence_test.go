package presence

import (
	"log/slog"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/schema"
	"github.com/northgate/identity/internal/testkit"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func TestLeave(t *testing.T) {
	in := testkit.Start(t)
	tr := NewTracker(in.Table(schema.Presence), slog.Default(), WithClock(testkit.Fixed(noon))) // ok ttlwrite/already-expired
	if err := tr.Leave(t.Context(), "u", "s"); err != nil {
		t.Fatal(err)
	}
	if on, err := tr.IsOnline(t.Context(), "u"); err != nil || on {
		t.Errorf("%v, %v", on, err)
	}
}

func TestBeat(t *testing.T) {
	in := testkit.Start(t)
	tr := NewTracker(in.Table(schema.Presence), slog.Default())
	if err := tr.Beat(t.Context(), "u", "s"); err != nil {
		t.Fatal(err)
	}
	if on, err := tr.IsOnline(t.Context(), "u"); err != nil || !on {
		t.Errorf("%v, %v", on, err)
	}
	row, err := in.Client.Open("presence").ReadRow(t.Context(), "u", bigtable.RowFilter(bigtable.FamilyFilter("online"))) // want ttlread/missing-filter
	if err != nil || len(row["online"]) != 2 {
		t.Errorf("%v, %v", row, err)
	}
}

func TestTypingRooms(t *testing.T) {
	in := testkit.Start(t)
	tbl := in.Table(schema.Presence)
	tr := NewTracker(tbl, slog.Default())
	if err := tr.TypingIn(t.Context(), "u", "r1", "r2"); err != nil {
		t.Fatal(err)
	}
	live := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamTyping), bigtable.TimestampRangeFilter(time.Now().Add(-schema.TypingTTL), time.Time{}))
	row, err := tbl.ReadRow(t.Context(), "u", bigtable.RowFilter(live)) // ok ttlread/wrong-bound
	if err != nil || len(row[schema.FamTyping]) == 0 {
		t.Errorf("%v, %v", row, err)
	}
}
