package scopes

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type query struct {
	table  *bigtable.Table
	wheres []bigtable.Filter
}

type Own struct{ query *query }

func Owned(c *bigtable.Client) *Own {
	return &Own{&query{table: c.Open("clicks"), wheres: []bigtable.Filter{bigtable.FamilyFilter("event"), bigtable.LatestNFilter(1)}}}
}

func (o *Own) Since(t time.Time) *Own {
	o.query.wheres = append(o.query.wheres, bigtable.TimestampRangeFilter(t, time.Time{}))
	return o
}

// What its makers have put into the query is not all that is there.
func (o *Own) Find(ctx context.Context) (out []string, err error) {
	err = o.query.table.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		out = append(out, string(row["event"][0].Value))
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(o.query.wheres...)))
	return out, err
}

func ownRecent(ctx context.Context, c *bigtable.Client) ([]string, error) {
	return Owned(c).Since(time.Now().Add(-2000 * time.Hour)).Find(ctx) // want `wrong-bound: .*"event"`
}

func ownLive(ctx context.Context, c *bigtable.Client) ([]string, error) {
	return Owned(c).Since(time.Now().Add(-720 * time.Hour)).Find(ctx)
}
