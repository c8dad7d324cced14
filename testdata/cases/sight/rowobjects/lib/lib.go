// Package lib reads rows into objects whose methods use them.
package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A View is a row, at a moment.
type View struct {
	row bigtable.Row
	now time.Time
}

// Of makes a view.
func Of(row bigtable.Row) View { return View{row, time.Now()} }

// Load reads one.
func Load(ctx context.Context, tbl *bigtable.Table) (*View, error) {
	row, err := tbl.ReadRow(ctx, "k")
	if err != nil {
		return nil, err
	}
	return &View{row: row}, nil
}

// Len returns how many cells a family has.
func (v View) Len(family string) int { return len(v.row[family]) }

// Live returns how many tokens are not expired.
func (v *View) Live() (n int) {
	for _, it := range v.row["token"] {
		if it.Timestamp.Time().After(v.now) {
			n++
		}
	}
	return n
}
