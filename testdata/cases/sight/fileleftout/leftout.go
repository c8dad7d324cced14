// Package fileleftout writes what a file says, which leaves out what it likes.
package fileleftout

import (
	"context"
	"encoding/csv"
	"io"
	"time"

	"cloud.google.com/go/bigtable"
)

type record struct {
	key  string
	when time.Time
}

func load(r *csv.Reader) ([]record, error) {
	var out []record
	for {
		row, err := r.Read()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		x := record{key: row[0]}
		if len(row) > 1 {
			x.when, _ = time.Parse(time.RFC3339, row[1])
		}
		out = append(out, x)
	}
}

func okLeftOut(ctx context.Context, tbl *bigtable.Table, r *csv.Reader) error {
	records, err := load(r)
	if err != nil {
		return err
	}
	for _, x := range records {
		m := bigtable.NewMutation()
		m.Set("sample", "v", bigtable.Time(x.when), nil)
		if err := tbl.Apply(ctx, x.key, m); err != nil {
			return err
		}
	}
	return nil
}

func never(ctx context.Context, tbl *bigtable.Table, key string) error {
	x := record{key: key}
	m := bigtable.NewMutation()
	m.Set("sample", "v", bigtable.Time(x.when), nil) // want `out-of-range`
	return tbl.Apply(ctx, x.key, m)
}
