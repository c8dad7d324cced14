package ttl_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

// What was clicked on a page is kept for 30 days, and what a complaint is
// about for a year. The family had clicks already when it got the default.
var (
	Click  = ttl.Default("click", 30*24*time.Hour)
	Clicks = ttl.NewTable("clicks", Click)
)

// logClick adds a click. Each has a column of its own, or two in one
// millisecond would be one.
func logClick(mut *bigtable.Mutation, target string) error {
	return Click.Set(mut, time.Now().UTC().Format("20060102T150405.000")+"/"+rand.Text(), []byte(target))
}

// A click log. The columns begin with the time of the click, so that a range of
// columns is a range of time. Timestamps do not tell it of cells that live
// longer.
func Example_clickLog() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()
	must(Clicks.Ensure(ctx, admin))
	tbl := client.Open(Clicks.Name())

	mut := bigtable.NewMutation()
	must(logClick(mut, "buy"))
	must(logClick(mut, "buy"))
	must(Click.SetFor(mut, "20260102T030405.678/complaint", []byte("cancel"), 365*24*time.Hour))
	mut.Set("click", "20230102T030405.678/old", bigtable.Time(time.Now().AddDate(-3, 0, 0)), []byte("buy"))
	must(tbl.Apply(ctx, "page#1", mut))

	count := func(filters ...bigtable.Filter) int {
		row, err := tbl.ReadRow(ctx, "page#1", Clicks.LiveAnd(filters...))
		must(err)
		return len(row["click"])
	}
	fmt.Println("live:", count())
	today := time.Now().UTC().Add(-time.Minute).Format("20060102T150405.000")
	fmt.Println("of the last minute:", count(bigtable.ColumnRangeFilter("click", today, "")))
	fmt.Println("buy:", count(bigtable.ValueFilter("buy")))
	// Output:
	// live: 3
	// of the last minute: 2
	// buy: 2
}
