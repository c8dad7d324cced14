package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/names"
)

// Route is a family that is copied from a table to another.
type Route struct {
	From, To, Family string
	Filter           bigtable.Filter
	Stamp            func(bigtable.ReadItem) bigtable.Timestamp
}

func keepStamp(it bigtable.ReadItem) bigtable.Timestamp { return it.Timestamp }

func nowStamp(bigtable.ReadItem) bigtable.Timestamp { return bigtable.Now() }

func serverStamp(bigtable.ReadItem) bigtable.Timestamp { return bigtable.ServerTime }

func zeroStamp(bigtable.ReadItem) bigtable.Timestamp { return 0 }

// Routes of the migration to the new layout.
var Routes = []Route{
	{From: names.TableLegacySpans, To: names.TableSpans, Family: names.FamSpan, Stamp: nowStamp},                                                         // ok ttlwrite/write-time
	{From: names.TableAlertHistory, To: names.TableAlertState, Family: names.FamState, Stamp: serverStamp},                                               // want ttlwrite/server-timestamp[route]
	{From: names.TableDashTrash, To: names.TableDashboards, Family: names.FamRev, Stamp: nowStamp},                                                       // want ttlwrite/clock-in-sequence[route]
	{From: names.TableDashboards, To: names.TableDashboards, Family: names.FamConfig, Stamp: zeroStamp},                                                  // ok ttlwrite/clock-in-zero
	{From: names.TableSpanIndex, To: "span_index_old", Family: names.FamIndex, Stamp: keepStamp},                                                         // want ttlread/missing-filter[route]
	{From: names.TableDashboards, To: names.TableDashTrash, Family: names.FamRev, Filter: bigtable.LatestNFilter(names.RevisionsKept), Stamp: keepStamp}, // ok ttlread/version-limit
}

// Copy runs the routes one after the other.
func Copy(ctx context.Context, c *bigtable.Client) error {
	for _, rt := range Routes {
		n, err := copyFamily(ctx, c.Open(rt.From), c.Open(rt.To), rt) // want ttlwrite/server-timestamp[route] ttlwrite/clock-in-sequence[route] ttlread/missing-filter[route]
		if err != nil {
			return fmt.Errorf("%s to %s: %w", rt.From, rt.To, err)
		}
		slog.Info("copied", "from", rt.From, "to", rt.To, "cells", n)
	}
	return nil
}

func copyFamily(ctx context.Context, src, dst *bigtable.Table, rt Route) (n int, err error) {
	f := bigtable.FamilyFilter(rt.Family)
	if rt.Filter != nil {
		f = bigtable.ChainFilters(f, rt.Filter)
	}
	var bad error
	err = src.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/missing-filter[route]
		mut := bigtable.NewMutation()
		for _, it := range r[rt.Family] {
			_, col, _ := strings.Cut(it.Column, ":")
			mut.Set(rt.Family, col, rt.Stamp(it), it.Value) // want ttlwrite/server-timestamp[route] ttlwrite/clock-in-sequence[route]
			n++
		}
		bad = dst.Apply(ctx, r.Key(), mut)
		return bad == nil
	}, bigtable.RowFilter(f))
	if err == nil {
		err = bad
	}
	return n, err
}
