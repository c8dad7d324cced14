package optappend

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type query struct {
	filters []bigtable.Filter
	dead    bool
}

type option func(*query)

func Dead() option { return func(q *query) { q.dead = true } }

type L struct{ t *bigtable.Table }

func New(c *bigtable.Client) *L { return &L{c.Open("rate_limits")} }

// Find leaves it to the options, and nobody gives one.
func (l *L) Find(ctx context.Context, k string, opts ...option) int {
	q := query{filters: []bigtable.Filter{bigtable.FamilyFilter("win")}}
	for _, o := range opts {
		o(&q)
	}
	if !q.dead {
		q.filters = append(q.filters, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	q.filters = append(q.filters, bigtable.LatestNFilter(1))
	row, _ := l.t.ReadRow(ctx, k, bigtable.RowFilter(bigtable.ChainFilters(q.filters...))) // silent
	return len(row["win"])
}
