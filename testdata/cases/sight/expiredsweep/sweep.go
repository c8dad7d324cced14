// Package expiredsweep deletes what has expired, with helpers of its own.
package expiredsweep

import (
	"context"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/expiredsweep/names"
)

func dead() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, time.Now())))
}

func qualifier(it bigtable.ReadItem) string {
	_, q, _ := strings.Cut(it.Column, ":")
	return q
}

func cut(name string) (family, column string, ok bool) { return strings.Cut(name, ":") }

type column struct{ family, name string }

func columnOf(it bigtable.ReadItem) column {
	family, name, _ := strings.Cut(it.Column, ":")
	return column{family, name}
}

func (c column) delete(mut *bigtable.Mutation) { mut.DeleteCellsInColumn(c.family, c.name) }

func remove(mut *bigtable.Mutation, it bigtable.ReadItem) {
	mut.DeleteTimestampRange("token", qualifier(it), 0, until(it.Timestamp))
}

func until(ts bigtable.Timestamp) bigtable.Timestamp { return ts + 1000 }

func removeAll(row bigtable.Row) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	for _, it := range row["token"] {
		remove(mut, it)
	}
	return mut
}

// okQualifier has a helper for the column, okSplit for the family too, of the text.
func okQualifier(ctx context.Context, c *bigtable.Client) (int, error) {
	tbl := c.Open("sessions")
	var keys []string
	var muts []*bigtable.Mutation
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		mut := bigtable.NewMutation()
		for _, it := range row["token"] {
			mut.DeleteTimestampRange("token", qualifier(it), 0, it.Timestamp+1000)
		}
		keys, muts = append(keys, row.Key()), append(muts, mut)
		return true
	}, dead())
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	_, err = tbl.ApplyBulk(ctx, keys, muts)
	return len(keys), err
}

func okSplit(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("sessions")
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		mut := bigtable.NewMutation()
		for _, it := range row["token"] {
			family, name, ok := cut(it.Column)
			if !ok {
				continue
			}
			mut.DeleteTimestampRange(family, name, 0, until(it.Timestamp))
		}
		return tbl.Apply(ctx, row.Key(), mut) == nil
	}, dead())
}

func okStruct(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("sessions")
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		mut := bigtable.NewMutation()
		for _, it := range row["token"] {
			columnOf(it).delete(mut)
		}
		return tbl.Apply(ctx, row.Key(), mut) == nil
	}, dead())
}

func okRemove(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("sessions")
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		mut := bigtable.NewMutation()
		for _, it := range row["token"] {
			remove(mut, it)
		}
		return tbl.Apply(ctx, row.Key(), mut) == nil
	}, dead())
}

func okRemoveAll(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("sessions")
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		return tbl.Apply(ctx, row.Key(), removeAll(row)) == nil
	}, dead())
}

func okElsewhere(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("sessions")
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		mut := bigtable.NewMutation()
		for _, it := range row["token"] {
			mut.DeleteTimestampRange("token", names.Qualifier(it), 0, it.Timestamp+1000)
			family, name := names.Split(it.Column)
			mut.DeleteCellsInColumn(family, name)
			names.Delete(mut, it)
		}
		return tbl.Apply(ctx, row.Key(), mut) == nil
	}, dead())
}

// valued returns what it deletes, shown tells somebody, kept stores it.
func valued(ctx context.Context, c *bigtable.Client) (out []string, err error) {
	tbl := c.Open("sessions")
	err = tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want "has a time range of expired cells only"
		mut := bigtable.NewMutation()
		for _, it := range row["token"] {
			q := qualifier(it)
			out = append(out, q)
			mut.DeleteCellsInColumn("token", q)
		}
		return tbl.Apply(ctx, row.Key(), mut) == nil
	}, dead())
	return out, err
}

var seen []string

func noted(it bigtable.ReadItem) string {
	seen = append(seen, string(it.Value))
	return it.Column[6:]
}

func shown(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("sessions")
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want "has a time range of expired cells only"
		mut := bigtable.NewMutation()
		for _, it := range row["token"] {
			mut.DeleteCellsInColumn("token", noted(it))
		}
		return tbl.Apply(ctx, row.Key(), mut) == nil
	}, dead())
}

func kept(ctx context.Context, c *bigtable.Client) (last bigtable.Timestamp, err error) {
	tbl := c.Open("sessions")
	err = tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want "has a time range of expired cells only"
		mut := bigtable.NewMutation()
		for _, it := range row["token"] {
			last = until(it.Timestamp)
			mut.DeleteCellsInColumn("token", qualifier(it))
		}
		return tbl.Apply(ctx, row.Key(), mut) == nil
	}, dead())
	return last, err
}
