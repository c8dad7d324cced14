// Package purgeiter purges by scans of which the rows, or the columns that are
// deleted, come from iterators.
package purgeiter

import (
	"context"
	"fmt"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/purgeiter/rows"
)

func old() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("event"), bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-720*time.Hour))))
}

func all(ctx context.Context, t *bigtable.Table, opts ...bigtable.ReadOption) iter.Seq[bigtable.Row] {
	return func(yield func(bigtable.Row) bool) {
		_ = t.ReadRows(ctx, bigtable.PrefixRange(""), func(r bigtable.Row) bool { return yield(r) }, opts...)
	}
}

// columns is used by purges and by others: what they do with names, they answer for.
func columns(row bigtable.Row, family string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, it := range row[family] {
			if !yield(it.Column[len(family)+1:]) {
				return
			}
		}
	}
}

func okRows(ctx context.Context, c *bigtable.Client) {
	tbl := c.Open("clicks")
	for row := range all(ctx, tbl, old()) {
		m := bigtable.NewMutation()
		for _, it := range row["event"] {
			m.DeleteCellsInColumn("event", it.Column[6:])
		}
		_ = tbl.Apply(ctx, row.Key(), m)
	}
}

func okRowsElsewhere(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("clicks")
	for row, err := range rows.All(ctx, tbl, old()) {
		if err != nil {
			return err
		}
		m := bigtable.NewMutation()
		for _, it := range row["event"] {
			m.DeleteCellsInColumn("event", it.Column[6:])
		}
		if err := tbl.Apply(ctx, row.Key(), m); err != nil {
			return err
		}
	}
	return nil
}

func okColumns(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("clicks")
	return tbl.ReadRows(ctx, bigtable.PrefixRange(""), func(row bigtable.Row) bool {
		m := bigtable.NewMutation()
		for col := range columns(row, "event") {
			m.DeleteCellsInColumn("event", col)
		}
		return tbl.Apply(ctx, row.Key(), m) == nil
	}, old())
}

func okColumnsElsewhere(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("clicks")
	return tbl.ReadRows(ctx, bigtable.PrefixRange(""), func(row bigtable.Row) bool {
		m := bigtable.NewMutation()
		for col := range rows.Columns(row, "event") {
			m.DeleteCellsInColumn("event", col)
		}
		return tbl.Apply(ctx, row.Key(), m) == nil
	}, old())
}

func okBoth(ctx context.Context, c *bigtable.Client) {
	tbl := c.Open("clicks")
	for row := range all(ctx, tbl, old()) {
		m := bigtable.NewMutation()
		for col := range columns(row, "event") {
			m.DeleteCellsInColumn("event", col)
		}
		_ = tbl.Apply(ctx, row.Key(), m)
	}
}

// okEdits hands its deletions to a batch.
func okEdits(ctx context.Context, c *bigtable.Client) error {
	b := &batch{tbl: c.Open("clicks")}
	for row, err := range rows.All(ctx, b.tbl, old()) {
		if err != nil {
			return err
		}
		for col := range rows.Columns(row, "event") {
			b.add(row.Key(), func(m *bigtable.Mutation) {
				m.DeleteTimestampRange("event", col, 0, bigtable.Time(time.Now().Add(-720*time.Hour)))
			})
		}
	}
	return b.flush(ctx)
}

type batch struct {
	tbl  *bigtable.Table
	keys []string
	muts []*bigtable.Mutation
}

func (b *batch) add(key string, edits ...func(*bigtable.Mutation)) {
	m := bigtable.NewMutation()
	for _, edit := range edits {
		edit(m)
	}
	b.keys, b.muts = append(b.keys, key), append(b.muts, m)
}

func (b *batch) flush(ctx context.Context) error {
	_, err := b.tbl.ApplyBulk(ctx, b.keys, b.muts)
	return err
}

// clicks hands its iterator on.
type clicks struct{ tbl *bigtable.Table }

func newClicks(c *bigtable.Client) *clicks { return &clicks{c.Open("clicks")} }

func (c *clicks) expired(ctx context.Context) iter.Seq[bigtable.Row] { return all(ctx, c.tbl, old()) }

func (c *clicks) okPurge(ctx context.Context) {
	for row := range c.expired(ctx) {
		m := bigtable.NewMutation()
		for _, it := range row["event"] {
			m.DeleteCellsInColumn("event", it.Column[6:])
		}
		_ = c.tbl.Apply(ctx, row.Key(), m)
	}
}

// A wrapper that is given the function, to which it gives the rows.
func each(ctx context.Context, t *bigtable.Table, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	return t.ReadRows(ctx, bigtable.PrefixRange(""), f, opts...)
}

func okEach(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("clicks")
	return each(ctx, tbl, func(row bigtable.Row) bool {
		m := bigtable.NewMutation()
		for _, it := range row["event"] {
			m.DeleteCellsInColumn("event", it.Column[6:])
		}
		return tbl.Apply(ctx, row.Key(), m) == nil
	}, old())
}

func okEachElsewhere(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("clicks")
	return rows.Each(ctx, tbl, func(row bigtable.Row) bool {
		m := bigtable.NewMutation()
		for _, it := range row["event"] {
			m.DeleteCellsInColumn("event", it.Column[6:])
		}
		return tbl.Apply(ctx, row.Key(), m) == nil
	}, old())
}

// list returns all rows at once.
func list(ctx context.Context, t *bigtable.Table, opts ...bigtable.ReadOption) (out []bigtable.Row, err error) {
	err = t.ReadRows(ctx, bigtable.PrefixRange(""), func(r bigtable.Row) bool {
		out = append(out, r)
		return true
	}, opts...)
	return out, err
}

func okList(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("clicks")
	expired, err := list(ctx, tbl, old())
	if err != nil {
		return err
	}
	for _, row := range expired {
		m := bigtable.NewMutation()
		for _, it := range row["event"] {
			m.DeleteCellsInColumn("event", it.Column[6:])
		}
		if err := tbl.Apply(ctx, row.Key(), m); err != nil {
			return err
		}
	}
	return nil
}

// The family is what the object, or the caller, says.
type named struct {
	tbl *bigtable.Table
	fam string
}

func newNamed(c *bigtable.Client) *named { return &named{c.Open("clicks"), "event"} }

func (n *named) okCallback(ctx context.Context) error {
	return n.tbl.ReadRows(ctx, bigtable.PrefixRange(""), func(row bigtable.Row) bool {
		m := bigtable.NewMutation()
		for _, it := range row[n.fam] {
			m.DeleteCellsInColumn(n.fam, it.Column[len(n.fam)+1:])
		}
		return n.tbl.Apply(ctx, row.Key(), m) == nil
	}, old())
}

func (n *named) rows(ctx context.Context, opts ...bigtable.ReadOption) iter.Seq[bigtable.Row] {
	return func(yield func(bigtable.Row) bool) {
		_ = n.tbl.ReadRows(ctx, bigtable.PrefixRange(""), func(r bigtable.Row) bool { return yield(r) }, opts...)
	}
}

func (n *named) okRows(ctx context.Context) {
	for row := range n.rows(ctx, old()) {
		m := bigtable.NewMutation()
		for _, it := range row[n.fam] {
			m.DeleteCellsInColumn(n.fam, it.Column[len(n.fam)+1:])
		}
		_ = n.tbl.Apply(ctx, row.Key(), m)
	}
}

func purge(ctx context.Context, tbl *bigtable.Table, family string) error {
	return tbl.ReadRows(ctx, bigtable.PrefixRange(""), func(row bigtable.Row) bool {
		m := bigtable.NewMutation()
		for _, it := range row[family] {
			m.DeleteCellsInColumn(family, it.Column[len(family)+1:])
		}
		return tbl.Apply(ctx, row.Key(), m) == nil
	}, old())
}

func okNamed(ctx context.Context, c *bigtable.Client) error {
	return purge(ctx, c.Open("clicks"), "event")
}

// What is done with the same rows beside deleting is a use of them.

func shownRows(ctx context.Context, c *bigtable.Client) {
	tbl := c.Open("clicks")
	for row := range all(ctx, tbl, old()) { // want `expired-only: .*"event"`
		m := bigtable.NewMutation()
		for _, it := range row["event"] {
			fmt.Println(string(it.Value))
			m.DeleteCellsInColumn("event", it.Column[6:])
		}
		_ = tbl.Apply(ctx, row.Key(), m)
	}
}

func listedRows(ctx context.Context, c *bigtable.Client) (out []string) {
	for row := range all(ctx, c.Open("clicks"), old()) { // want `expired-only: .*"event"`
		for _, it := range row["event"] {
			out = append(out, it.Column)
		}
	}
	return out
}

func shownColumns(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("clicks")
	return tbl.ReadRows(ctx, bigtable.PrefixRange(""), func(row bigtable.Row) bool { // want `expired-only: .*"event"`
		m := bigtable.NewMutation()
		for col := range columns(row, "event") {
			fmt.Println(col)
			m.DeleteCellsInColumn("event", col)
		}
		return tbl.Apply(ctx, row.Key(), m) == nil
	}, old())
}

func shownEach(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("clicks")
	return each(ctx, tbl, func(row bigtable.Row) bool { // want `expired-only: .*"event"`
		m := bigtable.NewMutation()
		for _, it := range row["event"] {
			fmt.Println(string(it.Value))
			m.DeleteCellsInColumn("event", it.Column[6:])
		}
		return tbl.Apply(ctx, row.Key(), m) == nil
	}, old())
}

// One loop over an iterator deletes, the other shows.
func shownLater(ctx context.Context, c *bigtable.Client) {
	tbl := c.Open("clicks")
	expired := all(ctx, tbl, old()) // want `expired-only: .*"event"`
	for row := range expired {
		m := bigtable.NewMutation()
		for _, it := range row["event"] {
			m.DeleteCellsInColumn("event", it.Column[6:])
		}
		_ = tbl.Apply(ctx, row.Key(), m)
	}
	for row := range expired {
		for _, it := range row["event"] {
			fmt.Println(it.Column)
		}
	}
}

func shownList(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("clicks")
	expired, err := list(ctx, tbl, old()) // want `expired-only: .*"event"`
	for _, row := range expired {
		m := bigtable.NewMutation()
		for _, it := range row["event"] {
			fmt.Println(it.Column)
			m.DeleteCellsInColumn("event", it.Column[6:])
		}
		_ = tbl.Apply(ctx, row.Key(), m)
	}
	return err
}

func (n *named) shown(ctx context.Context) error {
	return n.tbl.ReadRows(ctx, bigtable.PrefixRange(""), func(row bigtable.Row) bool { // want `expired-only: .*"event"`
		m := bigtable.NewMutation()
		for _, it := range row[n.fam] {
			fmt.Println(string(it.Value))
			m.DeleteCellsInColumn(n.fam, it.Column[len(n.fam)+1:])
		}
		return n.tbl.Apply(ctx, row.Key(), m) == nil
	}, old())
}

func shownEdits(ctx context.Context, c *bigtable.Client) error {
	b := &batch{tbl: c.Open("clicks")}
	for row, err := range rows.All(ctx, b.tbl, old()) { // want `expired-only: .*"event"`
		if err != nil {
			return err
		}
		for col := range rows.Columns(row, "event") {
			b.add(row.Key(), func(m *bigtable.Mutation) {
				fmt.Println(col)
				m.DeleteTimestampRange("event", col, 0, bigtable.Time(time.Now().Add(-720*time.Hour)))
			})
		}
	}
	return b.flush(ctx)
}
