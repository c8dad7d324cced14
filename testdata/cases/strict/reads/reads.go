// Package reads reads families with real timestamps of which garbage collection
// removes cells: a read is right when it is bounded as narrowly.
package reads

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func samples(ctx context.Context, c *bigtable.Client) (v [][]byte) {
	row, err := c.Open("metrics").ReadRow(ctx, "r") // want `missing-filter: .*real-timestamps family "sample".*720\*time.Hour`
	if err != nil {
		return nil
	}
	for _, it := range row["sample"] {
		v = append(v, it.Value)
	}
	return v
}

func meta(ctx context.Context, c *bigtable.Client) []byte {
	row, err := c.Open("metrics").ReadRow(ctx, "r", bigtable.RowFilter(bigtable.FamilyFilter("meta"))) // want `missing-filter: .*"meta".*superseded versions.*LatestNFilter\(1\)`
	if err != nil {
		return nil
	}
	return row["meta"][0].Value
}

func tooMany(ctx context.Context, c *bigtable.Client) []byte {
	row, err := c.Open("metrics").ReadRow(ctx, "r", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("meta"), bigtable.LatestNFilter(3)))) // want `missing-filter: .*"meta"`
	if err != nil {
		return nil
	}
	return row["meta"][0].Value
}

func tooOld(ctx context.Context, c *bigtable.Client) (n int) {
	filter := bigtable.ChainFilters(bigtable.FamilyFilter("sample"), bigtable.TimestampRangeFilter(time.Now().Add(-1000*time.Hour), time.Time{}))
	_ = c.Open("metrics").ReadRows(ctx, bigtable.PrefixRange("r"), func(row bigtable.Row) bool { // want `missing-filter: .*"sample"`
		n += len(row["sample"])
		return true
	}, bigtable.RowFilter(filter))
	return n
}

func both(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("metrics").ReadRow(ctx, "r") // want `missing-filter: .*"sample", "meta"`
}

func profile(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "r", bigtable.RowFilter(bigtable.FamilyFilter("profile")))
}

func narrow(ctx context.Context, c *bigtable.Client, since time.Duration, opts ...bigtable.ReadOption) {
	t := c.Open("metrics")
	use := func(row bigtable.Row, err error) { println(len(row["sample"]), len(row["meta"]), err) }
	for _, f := range []bigtable.Filter{
		bigtable.ChainFilters(bigtable.FamilyFilter("sample"), bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), time.Time{})),
		bigtable.ChainFilters(bigtable.FamilyFilter("sample"), bigtable.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{})),
		bigtable.ChainFilters(bigtable.FamilyFilter("sample"), bigtable.TimestampRangeFilter(time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour))),
		bigtable.ChainFilters(bigtable.FamilyFilter("sample"), bigtable.TimestampRangeFilter(time.Now().Add(-since), time.Time{})),
		bigtable.ChainFilters(bigtable.FamilyFilter("meta"), bigtable.LatestNFilter(1)),
		bigtable.ChainFilters(bigtable.FamilyFilter("meta"), bigtable.CellsPerRowLimitFilter(1)),
		bigtable.InterleaveFilters(
			bigtable.ChainFilters(bigtable.FamilyFilter("sample"), bigtable.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{})),
			bigtable.ChainFilters(bigtable.FamilyFilter("meta"), bigtable.LatestNFilter(1)),
		),
	} {
		use(t.ReadRow(ctx, "r", bigtable.RowFilter(f)))
	}
	use(t.ReadRow(ctx, "r", opts...))
}

// checked compares the times of cells by hand.
func checked(ctx context.Context, c *bigtable.Client) (n int) {
	row, err := c.Open("metrics").ReadRow(ctx, "r", bigtable.RowFilter(bigtable.FamilyFilter("sample")))
	if err != nil {
		return 0
	}
	for _, it := range row["sample"] {
		if it.Timestamp.Time().After(time.Now().Add(-720 * time.Hour)) {
			n++
		}
	}
	return n
}

// keys collects keys.
func keys(ctx context.Context, c *bigtable.Client) (ks []string) {
	_ = c.Open("metrics").ReadRows(ctx, bigtable.PrefixRange("r"), func(row bigtable.Row) bool {
		ks = append(ks, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	return ks
}
