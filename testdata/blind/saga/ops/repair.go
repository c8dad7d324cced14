package ops

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/bt"
	"example.com/saga/schema"
)

type fixer func(ctx context.Context, a *App, tbl *bigtable.Table) error

var fixers = map[string]fixer{
	schema.Carts:         repairCarts,
	schema.Stock:         repairStock,
	schema.Payments:      repairPayments,
	schema.Outbox:        repairOutbox,
	schema.WarehouseSync: repairWarehouse,
}

func repair(ctx context.Context, a *App, args []string) error {
	if len(args) == 0 {
		return errors.New("which table?")
	}
	f := fixers[args[0]]
	if f == nil {
		return fmt.Errorf("nothing to repair in %q", args[0])
	}
	return f(ctx, a, a.Client.Open(args[0]))
}

// night is the start of the night in which it happened, as told once at the start of the tool.
var night = sync.OnceValue(func() time.Time { return time.Now().Add(-12 * time.Hour) }) // want ttlwrite/stale-clock[night]

// repairCarts gives lines that never expire an end.
func repairCarts(ctx context.Context, a *App, _ *bigtable.Table) error {
	tbl := a.Client.Open(schema.Carts)
	end := bt.ExpiresIn(a.Clock, schema.CartTTL)
	fixed := bigtable.NewMutation()
	var last error
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter
		mut := bigtable.NewMutation()
		for _, it := range row[schema.FamLine] {
			_, col, _ := strings.Cut(it.Column, ":")
			mut.DeleteCellsInColumn(schema.FamLine, col)
			mut.Set(schema.FamLine, col, end, it.Value)                              // ok ttlwrite/delete-after-set
			fixed.Set(schema.FamLine, "repaired", end, []byte(row.Key()))            // want ttlwrite/same-timestamp
			fixed.Set(schema.FamLine, "repaired."+row.Key(), end, []byte(row.Key())) // ok ttlwrite/same-timestamp
		}
		last = tbl.Apply(ctx, row.Key(), mut)
		return last == nil
	})
	return errors.Join(err, last, tbl.Apply(ctx, "repair", fixed))
}

// repairStock counts holds anew.
func repairStock(ctx context.Context, a *App, _ *bigtable.Table) error {
	tbl := a.Client.Open(schema.Stock)
	mut := bigtable.NewMutation()
	mut.AddIntToCell("sums", "repaired", bigtable.ServerTime, 1) // want ttlwrite/aggregate-server-time
	mut.AddIntToCell("sums", "repairs", 0, 1)                    // ok ttlwrite/aggregate-server-time
	err := tbl.Apply(ctx, "repair", mut)
	sample := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamHold),
		bigtable.RowSampleFilter(0.1),
		bt.Live(a.Clock),
		bigtable.LatestNFilter(0), // want ttlunit/invalid-filter
	)
	return errors.Join(err, tbl.ReadRows(ctx, bigtable.PrefixRange("sku#"), func(row bigtable.Row) bool {
		show(a.Out, schema.Stock, row)
		return true
	}, bigtable.RowFilter(sample)))
}

// repairPayments takes the answers of the night away and looks at the rest.
func repairPayments(ctx context.Context, a *App, _ *bigtable.Table) error {
	tbl := a.Client.Open(schema.Payments)
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(schema.FamIdem, "body", 0, 999)                        // want ttlunit/sub-millisecond
	mut.DeleteTimestampRange(schema.FamIdem, "body", 0, 1000)                       // ok ttlunit/sub-millisecond
	mut.Set(schema.FamIdem, "repaired", bigtable.Time(night()), []byte("x"))        // want ttlwrite/stale-clock[night]
	mut.Set(schema.FamAttempt, "repaired", bigtable.Timestamp(1500), []byte("x"))   // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamAttempt, "repairs", bigtable.Timestamp(2000), []byte("x"))    // ok ttlwrite/unscaled-sequence
	mut.Set(schema.FamLedger, "repaired", bigtable.Time(time.Time{}), []byte("x"))  // want ttlunit/out-of-range
	mut.Set(schema.FamLedger, "since", bigtable.Time(time.Unix(0, 0)), []byte("x")) // ok ttlunit/out-of-range
	mut.Set(schema.FamLedger, "none", bigtable.Timestamp(-2), []byte("x"))          // want ttlunit/out-of-range
	if err := tbl.Apply(ctx, "repair", mut); err != nil {
		return err
	}
	tagged := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[tag]
		bt.In(schema.FamIdem, bt.Since(a.Clock, schema.IdemTTL)),
		bt.In(schema.FamAttempt, bigtable.ColumnFilter("outcome")), // want ttlread/unfiltered-branch[tag]
	)
	row, err := tbl.ReadRow(ctx, "repair", bigtable.RowFilter(tagged)) // want ttlread/unfiltered-branch[tag]
	if err != nil {
		return err
	}
	show(a.Out, schema.Payments, row)
	either := bigtable.ConditionFilter(bt.In(schema.FamIdem, bt.Since(a.Clock, schema.IdemTTL)), bt.In(schema.FamIdem, bt.Newest()), bigtable.BlockAllFilter()) // want ttlread/unfiltered-branch[cond]
	row, err = tbl.ReadRow(ctx, "repair", bigtable.RowFilter(either))                                                                                           // want ttlread/unfiltered-branch[cond]
	if err != nil {
		return err
	}
	show(a.Out, schema.Payments, row)
	both := bigtable.ConditionFilter(bigtable.ColumnFilter("body"), bt.In(schema.FamIdem, bt.Since(a.Clock, schema.IdemTTL)), bigtable.BlockAllFilter())
	row, err = tbl.ReadRow(ctx, "repair", bigtable.RowFilter(both)) // ok ttlread/unfiltered-branch
	if err != nil {
		return err
	}
	show(a.Out, schema.Payments, row)
	return nil
}

// repairOutbox takes leases of the night away.
func repairOutbox(ctx context.Context, a *App, _ *bigtable.Table) error {
	tbl := a.Client.Open(schema.Outbox)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamLease), bigtable.TimestampRangeFilter(night(), time.Time{}))
	err := tbl.ReadRows(ctx, bigtable.PrefixRange("lease#"), func(row bigtable.Row) bool { // ok ttlread/stale-bound
		del := bigtable.NewMutation()
		del.DeleteRow()
		return tbl.Apply(ctx, row.Key(), del) == nil
	}, bigtable.RowFilter(f))
	if err != nil {
		return err
	}
	row, err := tbl.ReadRow(ctx, "repair", // want ttlread/overridden-filter[rep]
		bigtable.RowFilter(bigtable.FamilyFilter(schema.FamMsg)), // want ttlread/overridden-filter[rep]
		bigtable.RowFilter(bigtable.LatestNFilter(1)))            // want ttlread/overridden-filter[rep]
	if err != nil {
		return err
	}
	for _, it := range row[schema.FamMsg] {
		fmt.Fprintf(a.Out, "%s %q\n", it.Column, it.Value)
	}
	none := bigtable.TimestampRangeFilterMicros(5000, 5000)                                                                                                 // want ttlunit/empty-range[none]
	row, err = tbl.ReadRow(ctx, "repair", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamMsg), none, bigtable.LatestNFilter(1)))) // want ttlunit/empty-range[none]
	if err != nil {
		return err
	}
	show(a.Out, schema.Outbox, row)
	mut := bigtable.NewMutation()
	mut.Set(schema.FamMsg, "repaired", bigtable.Time(a.Clock.Now()), []byte("x"))       // want ttlwrite/clock-in-sequence
	mut.Set(schema.FamLease, "repaired", bigtable.ServerTime, []byte("x"))              // want ttlwrite/server-timestamp
	mut.Set(schema.FamLease, "repairer", bt.ExpiresIn(a.Clock, time.Hour), []byte("x")) // ok ttlwrite/write-time
	return tbl.Apply(ctx, "repair", mut)
}

// repairWarehouse is about a table that is not ours.
func repairWarehouse(ctx context.Context, a *App, _ *bigtable.Table) error {
	tbl := a.Client.Open(schema.WarehouseSync)
	mut := bigtable.NewMutation()
	mut.Set(schema.FamQuote, "repaired", bigtable.ServerTime, []byte("x")) // ok ttlwrite/server-timestamp
	mut.Set(schema.FamLevel, "repaired", bigtable.Now(), []byte("x"))      // ok ttlwrite/clock-in-zero
	if err := tbl.Apply(ctx, "repair", mut); err != nil {
		return err
	}
	row, err := tbl.ReadRow(ctx, "repair", bigtable.RowFilter(bigtable.FamilyFilter(schema.FamQuote))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[schema.FamQuote] {
		fmt.Fprintf(a.Out, "%s updated %s\n", it.Column, it.Timestamp.Time().Format(time.RFC3339)) // ok ttlage/not-write-time
	}
	return nil
}
