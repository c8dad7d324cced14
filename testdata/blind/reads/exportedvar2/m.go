package exportedvar2

import (
	"context"
	"flag"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/blind/exportedvar2/conf"
)

func init() { flag.DurationVar(&conf.Retention, "retention", 14*24*time.Hour, "") }

func Imps(ctx context.Context, c *bigtable.Client, k string) int {
	row, _ := c.Open("impressions").ReadRow(ctx, k, bigtable.RowFilter( // silent
		bigtable.TimestampRangeFilter(time.Now().Add(-conf.Retention), time.Time{})))
	return len(row["imp"])
}
