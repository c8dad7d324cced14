package chargingstore

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/charging"
	"github.com/parkwise/parkwise/internal/clock"
)

type fakeTable struct {
	bt.Table
	rows    map[string]bigtable.Row
	applied map[string]int
}

func (f *fakeTable) ReadRow(_ context.Context, row string, _ ...bigtable.ReadOption) (bigtable.Row, error) {
	return f.rows[row], nil
}

func (f *fakeTable) Apply(_ context.Context, row string, _ *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	f.applied[row]++
	return nil
}

func (f *fakeTable) ApplyBulk(_ context.Context, keys []string, _ []*bigtable.Mutation, _ ...bigtable.ApplyOption) ([]error, error) {
	for _, k := range keys {
		f.applied[k]++
	}
	return nil, nil
}

func sampleRow(t *testing.T, at time.Time, samples ...charging.Sample) bigtable.Row {
	t.Helper()
	row := bigtable.Row{}
	for _, s := range samples {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		row[bt.FamSample] = append(row[bt.FamSample], bigtable.ReadItem{
			Row: "acme#chg#s1", Column: bt.FamSample + ":" + column(s.At), Timestamp: bigtable.Time(at), Value: raw,
		})
	}
	return row
}

func TestSamples(t *testing.T) {
	start := time.Date(2025, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name    string
		samples []charging.Sample
		want    int
	}{
		{"none", nil, 0},
		{"one", []charging.Sample{{At: start, KW: 11}}, 1},
		{"two", []charging.Sample{{At: start.Add(time.Minute), KW: 22}, {At: start, KW: 11}}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tbl := &fakeTable{rows: map[string]bigtable.Row{"acme#chg#s1": sampleRow(t, start, tc.samples...)}, applied: map[string]int{}}
			ctx := clock.With(context.Background(), clock.Fixed{At: start})
			s := New(tbl, slog.Default())
			got, err := s.Samples(ctx, "acme", "s1")
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != tc.want {
				t.Fatalf("got %d samples, want %d", len(got), tc.want)
			}
			for i := 1; i < len(got); i++ {
				if got[i].At.Before(got[i-1].At) {
					t.Error("not in order")
				}
			}
			if err := s.AppendBatch(ctx, "acme", "s1", tc.samples); err != nil {
				t.Fatal(err)
			}
			if tbl.applied["acme#chg#s1"] != len(tc.samples) {
				t.Errorf("applied %d, want %d", tbl.applied["acme#chg#s1"], len(tc.samples))
			}
		})
	}
}

func TestFakeRow(t *testing.T) {
	tbl := &fakeTable{rows: map[string]bigtable.Row{}, applied: map[string]int{}}
	row, err := bt.Get(context.Background(), tbl, "k") // ok ttlread/missing-filter
	if err == nil {
		t.Fatalf("got %v", row)
	}
}
