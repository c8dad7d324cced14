// Package formattedabroad writes down times of cells, which another package formats.
package formattedabroad

import (
	"context"
	"log"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/formattedabroad/timeutil"
)

func list(ctx context.Context, c *bigtable.Client) error {
	return c.Open("tickets").ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["ticket"] {
			log.Print(map[string]any{"created_at": timeutil.ISO(it.Timestamp.Time())}) // want `not-write-time`
			log.Print(map[string]any{"expires_at": timeutil.ISO(it.Timestamp.Time())})
			created := timeutil.Text(it.Timestamp.Time()) // want `not-write-time`
			log.Print(created)
			until := timeutil.Text(it.Timestamp.Time())
			log.Print(until)
			log.Print(map[string]any{"created_at": timeutil.ISO(time.Now())})
		}
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}

func okProfile(row bigtable.Row) map[string]any {
	return map[string]any{"created_at": timeutil.ISO(row["profile"][0].Timestamp.Time())}
}
