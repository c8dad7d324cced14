package otherobjects

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A record says of its own time that it is the time of writing.
type record struct {
	UpdatedAt time.Time
	Until     time.Time
}

func recordOf(row bigtable.Row) (out []record) {
	for _, it := range row["token"] {
		out = append(out, record{
			UpdatedAt: it.Timestamp.Time(), // want `not-write-time: .*"token"`
			Until:     it.Timestamp.Time(),
		})
	}
	return out
}

// Who copies it is not told again.
func okViews(rs []record) (out []view) {
	for _, r := range rs {
		out = append(out, view{UpdatedAt: r.UpdatedAt.UTC().UnixMilli() / 1000})
	}
	return out
}

func okCopied(ctx context.Context, c *bigtable.Client) []view {
	row, err := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	if err != nil {
		return nil
	}
	return okViews(recordOf(row))
}

func renamed(rs []record) (out []view) {
	for _, r := range rs {
		out = append(out, view{CreatedAt: r.Until.Unix()})
	}
	return out
}

func copied(ctx context.Context, c *bigtable.Client) []view {
	row, err := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	if err != nil {
		return nil
	}
	return renamed(recordOf(row)) // want `not-write-time: .*"token"`
}
