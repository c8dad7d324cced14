// Package rowcounts counts rows and collects their keys.
package rowcounts

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func scan(ctx context.Context, c *bigtable.Client, f func(bigtable.Row) bool, filter bigtable.Filter) error {
	return c.Open("sessions").ReadRows(ctx, bigtable.PrefixRange("u"), f, bigtable.RowFilter(filter))
}

func tokens(f bigtable.Filter) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter("token"), f, bigtable.StripValueFilter())
}

func dead(ctx context.Context, c *bigtable.Client) (n int, err error) {
	f := tokens(bigtable.TimestampRangeFilter(time.Time{}, time.Now()))
	err = c.Open("sessions").ReadRows(ctx, bigtable.PrefixRange("u"), func(bigtable.Row) bool { n++; return true }, bigtable.RowFilter(f)) // want `expired-only: .*"token"`
	return n, err
}

func since(ctx context.Context, c *bigtable.Client) (n int, err error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("event"), bigtable.TimestampRangeFilter(time.Now().Add(-24*time.Hour), time.Time{}))
	err = c.Open("clicks").ReadRows(ctx, bigtable.PrefixRange("u"), func(bigtable.Row) bool { n++; return true }, bigtable.RowFilter(f)) // want `wrong-bound: .*"event"`
	return n, err
}

func okLive(ctx context.Context, c *bigtable.Client) (n int, err error) {
	f := tokens(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	err = c.Open("sessions").ReadRows(ctx, bigtable.PrefixRange("u"), func(bigtable.Row) bool { n++; return true }, bigtable.RowFilter(f))
	return n, err
}

func okAll(ctx context.Context, c *bigtable.Client) (n int, err error) {
	err = c.Open("sessions").ReadRows(ctx, bigtable.PrefixRange("u"), func(bigtable.Row) bool { n++; return true }, bigtable.RowFilter(bigtable.FamilyFilter("token")))
	return n, err
}

// What is deleted may be dead.
func okSweep(ctx context.Context, c *bigtable.Client) error {
	t := c.Open("sessions")
	var keys []string
	if err := t.ReadRows(ctx, bigtable.PrefixRange("u"), func(r bigtable.Row) bool {
		keys = append(keys, r.Key())
		return true
	}, bigtable.RowFilter(tokens(bigtable.TimestampRangeFilter(time.Time{}, time.Now())))); err != nil {
		return err
	}
	for _, k := range keys {
		m := bigtable.NewMutation()
		m.DeleteRow()
		if err := t.Apply(ctx, k, m); err != nil {
			return err
		}
	}
	return nil
}

func okOther(ctx context.Context, c *bigtable.Client) (n int, err error) {
	err = scan(ctx, c, func(bigtable.Row) bool { n++; return true }, bigtable.ChainFilters(bigtable.FamilyFilter("profile"), bigtable.TimestampRangeFilter(time.Time{}, time.Now())))
	return n, err
}

// deadKeys has no keys that anybody deletes.
func deadKeys(ctx context.Context, c *bigtable.Client) (keys []string, err error) {
	old := tokens(bigtable.TimestampRangeFilter(time.Time{}, time.Now()))
	err = c.Open("sessions").ReadRows(ctx, bigtable.PrefixRange("u"), func(r bigtable.Row) bool { // want `expired-only: .*"token"`
		keys = append(keys, r.Key())
		return true
	}, bigtable.RowFilter(old))
	return keys, err
}

// sweepKeys lists what its caller deletes.
func sweepKeys(ctx context.Context, t *bigtable.Table) (keys []string, err error) {
	old := tokens(bigtable.TimestampRangeFilter(time.Time{}, time.Now()))
	err = t.ReadRows(ctx, bigtable.PrefixRange("u"), func(r bigtable.Row) bool {
		keys = append(keys, r.Key())
		return true
	}, bigtable.RowFilter(old))
	return keys, err
}

func okSweepElsewhere(ctx context.Context, c *bigtable.Client) error {
	t := c.Open("sessions")
	keys, err := sweepKeys(ctx, t)
	if err != nil {
		return err
	}
	return drop(ctx, t, keys)
}

func drop(ctx context.Context, t *bigtable.Table, keys []string) error {
	for _, k := range keys {
		m := bigtable.NewMutation()
		m.DeleteRow()
		if err := t.Apply(ctx, k, m); err != nil {
			return err
		}
	}
	return nil
}
