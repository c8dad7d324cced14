package tariff

import (
	"testing"

	"cloud.google.com/go/bigtable"

	bm "nordkraft.example/grid/internal/btmodel"
	"nordkraft.example/grid/internal/btrt"
)

func fill(t *testing.T, tbl *bm.Tariffs, ts bigtable.Timestamp) {
	t.Helper()
	m := bigtable.NewMutation()
	row(Tariff{Name: "test"}).Marshal(m, ts) // ok ttlwrite/clock-in-sequence
	if err := tbl.Apply(t.Context(), "t1", m); err != nil {
		t.Fatal(err)
	}
}

func TestRevisions(t *testing.T) {
	if testing.Short() {
		t.Skip("needs the emulator")
	}
	c, err := bigtable.NewClient(t.Context(), "p", "i")
	if err != nil {
		t.Fatal(err)
	}
	tbl := bm.NewTariffs(c)
	fill(t, tbl, btrt.Seq(1))    // ok ttlwrite/unscaled-sequence
	fill(t, tbl, bigtable.Now()) // want ttlwrite/clock-in-sequence
	for n := int64(2); n < 5; n++ {
		fill(t, tbl, bigtable.Timestamp(n)) // want ttlwrite/unscaled-sequence
	}
	r, err := tbl.GetRev(t.Context(), "t1")
	if err != nil || r == nil {
		t.Fatal(err)
	}
	if r.Body == "" {
		t.Error("no body")
	}
}
