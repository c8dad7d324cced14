// Package celldeletes deletes cell by cell what is dead.
package celldeletes

import (
	"context"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

func columns(ctx context.Context, c *bigtable.Client) (n int, err error) {
	tbl := c.Open("sessions")
	now := bigtable.Now()
	dead := bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilterMicros(0, now)))
	err = tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		m := bigtable.NewMutation()
		for _, it := range row["token"] {
			m.DeleteTimestampRange("token", strings.TrimPrefix(it.Column, "token:"), 0, now)
			n++
		}
		return tbl.Apply(ctx, row.Key(), m) == nil
	}, dead)
	return n, err
}

func exact(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("sessions")
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		m := bigtable.NewMutation()
		for _, it := range row["token"] {
			if it.Timestamp.Time().Before(time.Now()) {
				_, column, _ := strings.Cut(it.Column, ":")
				m.DeleteTimestampRange("token", column, it.Timestamp, it.Timestamp+1000)
			}
		}
		return tbl.Apply(ctx, row.Key(), m) == nil
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, time.Now())))
}

// moved reads what it deletes.
func moved(ctx context.Context, c *bigtable.Client) (out [][]byte, err error) {
	tbl := c.Open("sessions")
	now := time.Now()
	err = tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		m := bigtable.NewMutation()
		for _, it := range row["token"] {
			out = append(out, it.Value)
			m.DeleteCellsInColumn("token", it.Column[len("token:"):])
		}
		return tbl.Apply(ctx, row.Key(), m) == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, now)))) // want "has a time range of expired cells only"
	return out, err
}

// listed returns which columns it deleted.
func listed(ctx context.Context, c *bigtable.Client) (out []string, err error) {
	tbl := c.Open("sessions")
	now := time.Now()
	err = tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		m := bigtable.NewMutation()
		for _, it := range row["token"] {
			out = append(out, it.Column)
			m.DeleteCellsInColumn("token", it.Column[len("token:"):])
		}
		return tbl.Apply(ctx, row.Key(), m) == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, now)))) // want "has a time range of expired cells only"
	return out, err
}

type job struct{ tbl *bigtable.Table }

func (j *job) each(row bigtable.Row) bool {
	m := bigtable.NewMutation()
	for _, it := range row["token"] {
		m.DeleteCellsInColumn("token", it.Column[len("token:"):])
	}
	return j.tbl.Apply(context.Background(), row.Key(), m) == nil
}

func (j *job) run(ctx context.Context) error {
	return j.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), j.each,
		bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, time.Now()))))
}
