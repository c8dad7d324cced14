package journal

import (
	"encoding/json"
	"log/slog"
	"testing"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/testkit"
)

type total struct{ N int }

func (t *total) Apply(Event) error { t.N++; return nil }

func TestAppendReplay(t *testing.T) {
	in := testkit.Start(t)
	j := Open(in.Client, "user", slog.Default(), SnapshotEvery(2))
	v, err := j.Append(t.Context(), 0, Event{Aggregate: "u", Type: "a"}, Event{Aggregate: "u", Type: "b"})
	if err != nil || v != 2 {
		t.Fatal(v, err)
	}
	s := &total{}
	if v, err = j.Replay(t.Context(), "u", s); err != nil || v != 2 || s.N != 2 {
		t.Errorf("%d, %+v, %v", v, s, err)
	}
	if err := j.AppendIf(t.Context(), 1, Event{Aggregate: "u", Type: "c"}); err == nil {
		t.Error("no conflict")
	}
	if err := j.AppendIf(t.Context(), 2, Event{Aggregate: "u", Type: "c"}); err != nil {
		t.Error(err)
	}
}

func TestRaw(t *testing.T) {
	in := testkit.Start(t)
	tbl := in.Client.Open("journal-user")
	for i, v := range []string{"x", "y"} {
		m := bigtable.NewMutation()
		m.Set("event", "e_raw", bigtable.Timestamp(i+1)*1000, []byte(v)) // ok ttlwrite/unscaled-sequence
		m.Set("snap", "state", bigtable.Timestamp(i), []byte(v))         // want ttlwrite/unscaled-sequence
		if err := tbl.Apply(t.Context(), "u", m); err != nil {
			t.Fatal(err)
		}
	}
	row, err := tbl.ReadRow(t.Context(), "u", bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	if err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(row)
	t.Logf("%s", b)
}
