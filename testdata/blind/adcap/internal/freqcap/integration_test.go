package freqcap

import (
	"context"
	"os"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/filters"
	"adcap.example/platform/internal/schema"
)

func openReal(t *testing.T) *bigtable.Table {
	t.Helper()
	if os.Getenv("BIGTABLE_EMULATOR_HOST") == "" {
		t.Skip("no emulator")
	}
	c, err := bigtable.NewClient(context.Background(), "p", "i")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.Open(schema.TableFreqCap)
}

func TestRoundTrip(t *testing.T) {
	tbl := openReal(t)
	m := bigtable.NewMutation()
	m.Set(schema.FamCap, "c1", bigtable.Time(time.Now().Add(time.Hour)), []byte("1")) // ok ttlwrite/write-time
	m.Set(schema.FamSeg, "a", bigtable.Now(), nil)                                    // ok ttlwrite/write-time
	if err := tbl.Apply(t.Context(), "u#rt", m); err != nil {
		t.Fatal(err)
	}
	row, err := tbl.ReadRow(t.Context(), "u#rt", bigtable.RowFilter(filters.FreqCap(time.Now()))) // ok ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if len(row[schema.FamCap]) != 1 {
		t.Fatal("cap is gone")
	}
}

func TestRoundTripOld(t *testing.T) {
	tbl := openReal(t)
	m := bigtable.NewMutation()
	m.Set(schema.FamCap, "c1", bigtable.Now(), []byte("1")) // want ttlwrite/write-time
	if err := tbl.Apply(t.Context(), "u#old", m); err != nil {
		t.Fatal(err)
	}
	row, err := tbl.ReadRow(t.Context(), "u#old") // want ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if len(row[schema.FamCap]) != 1 {
		t.Fatal("cap is gone")
	}
}
