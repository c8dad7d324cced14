// Package prune has scans whose callback collects the keys of what it finds
// too old, which the function deletes afterwards.
package prune

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Log struct{ tbl *bigtable.Table }

func New(c *bigtable.Client) *Log { return &Log{c.Open("sessions")} }

func (l *Log) okPrune(ctx context.Context, older time.Duration) error {
	cutoff := time.Now().Add(-older)
	var stale []string
	err := l.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, cell := range row["token"] {
			if cell.Column == "token:ts" {
				t, err := time.Parse(time.RFC3339Nano, string(cell.Value))
				if err == nil && t.Before(cutoff) {
					stale = append(stale, row.Key())
				}
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.ColumnFilter("ts")))
	if err != nil {
		return err
	}
	for _, key := range stale {
		mut := bigtable.NewMutation()
		mut.DeleteRow()
		if err := l.tbl.Apply(ctx, key, mut); err != nil {
			return err
		}
	}
	return nil
}

// Collected keys that go elsewhere, too, are what the caller believes in.
func (l *Log) report(ctx context.Context) ([]string, error) {
	var empty, full []string
	err := l.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		for _, cell := range row["token"] {
			if string(cell.Value) == "" {
				empty = append(empty, row.Key())
			} else {
				full = append(full, row.Key())
			}
		}
		return true
	})
	for _, key := range empty {
		mut := bigtable.NewMutation()
		mut.DeleteRow()
		if err := l.tbl.Apply(ctx, key, mut); err != nil {
			return nil, err
		}
	}
	return full, err
}

// What the cells say decides what is written.
func (l *Log) renew(ctx context.Context) error {
	var stale []string
	err := l.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		for _, cell := range row["token"] {
			if string(cell.Value) == "" {
				stale = append(stale, row.Key())
			}
		}
		return true
	})
	for _, key := range stale {
		mut := bigtable.NewMutation()
		mut.DeleteCellsInColumn("token", "jwt")
		mut.Set("token", "jwt", bigtable.Time(time.Now().Add(time.Minute)), nil)
		if err := l.tbl.Apply(ctx, key, mut); err != nil {
			return err
		}
	}
	return err
}

type page struct{ keys []string }

// Keys that the callback keeps in an object may be read by anybody.
func (l *Log) kept(ctx context.Context, p *page) error {
	err := l.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		for _, cell := range row["token"] {
			if string(cell.Value) == "" {
				p.keys = append(p.keys, row.Key())
			}
		}
		return true
	})
	mut := bigtable.NewMutation()
	mut.DeleteRow()
	if err := l.tbl.Apply(ctx, "last", mut); err != nil {
		return err
	}
	return err
}
