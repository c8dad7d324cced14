// Package gathered keeps rows in a slice before it looks at them.
package gathered

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func tokens(ctx context.Context, tbl *bigtable.Table, keys []string) (out []string, err error) {
	fetch := func(keys []string) ([]bigtable.Row, error) {
		rows := make([]bigtable.Row, len(keys))
		for i, key := range keys {
			var err error
			rows[i], err = tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `missing-filter: .*"token"`
			if err != nil {
				return nil, err
			}
		}
		return rows, nil
	}
	rows, err := fetch(keys)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		for _, item := range row["token"] {
			out = append(out, string(item.Value))
		}
	}
	return out, nil
}

func profiles(ctx context.Context, c *bigtable.Client, keys []string) (out []string, err error) {
	var rows []bigtable.Row
	err = c.Open("sessions").ReadRows(ctx, bigtable.RowList(keys), func(row bigtable.Row) bool {
		rows = append(rows, row)
		return true
	})
	for _, row := range rows {
		for _, item := range row["profile"] {
			out = append(out, string(item.Value))
		}
	}
	return out, err
}
