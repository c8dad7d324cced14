package commerce

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"skyward.example/dal/names"
)

func TestQuoteOf(t *testing.T) {
	end := time.Date(2024, 6, 1, 10, 0, 0, 0, time.UTC)
	row := bigtable.Row{names.FamPrice: {
		{Row: "q", Column: "price:total", Timestamp: bigtable.Time(end.Add(-names.QuoteFor)), Value: []byte("99.00")},
		{Row: "q", Column: "price:currency", Timestamp: bigtable.Time(end), Value: []byte("EUR")},
	}}
	q := quoteOf(row)
	if q.Total != "99.00" || !q.ValidTill.Equal(end) {
		t.Errorf("got %+v", q)
	}
}

// TestQuotesEmulator needs BIGTABLE_EMULATOR_HOST.
func TestQuotesEmulator(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, "p", "i")
	if err != nil {
		t.Skip(err)
	}
	tbl := c.Open(names.TableQuotes)
	ages := []struct {
		name string
		fam  string
		ts   bigtable.Timestamp
	}{
		{"server", names.FamPrice, bigtable.ServerTime},                            // ok ttlwrite/server-timestamp
		{"short", names.FamPrice, bigtable.Time(time.Now().Add(-5 * time.Minute))}, // ok ttlwrite/already-expired
		{"dead", names.FamPrice, bigtable.Time(time.Now().Add(-time.Hour))},        // want ttlwrite/already-expired[testdead]
		{"fare", names.FamFare, bigtable.Time(time.Now().Add(-time.Hour))},         // ok ttlwrite/already-expired
	}
	for _, a := range ages {
		m := bigtable.NewMutation()
		m.Set(a.fam, "total", a.ts, []byte(a.name)) // want ttlwrite/already-expired[testdead]
		if err := tbl.Apply(ctx, a.name, m); err != nil {
			t.Fatal(err)
		}
	}
	row, err := tbl.ReadRow(ctx, "server", bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil || len(row) == 0 {
		t.Fatal(row, err)
	}
	row, err = tbl.ReadRow(ctx, "fare", bigtable.RowFilter(bigtable.FamilyFilter(names.FamFare))) // ok ttlread/missing-filter
	if err != nil || len(row) == 0 {
		t.Fatal(row, err)
	}
}
