// Package grouped groups what is asked for by table, in a map of structs that
// are read, changed and put back.
package grouped

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type query struct{ table, hash string }

type group struct {
	name    string
	queries map[string]query
	rows    bigtable.RowList
}

func pages(ctx context.Context, c *bigtable.Client, queries []query, f func(query, []bigtable.ReadItem) bool) error {
	groups := map[string]group{}
	for _, q := range queries {
		g, ok := groups[q.table]
		if !ok {
			g = group{name: q.table, queries: map[string]query{}}
		}
		g.queries[q.hash] = q
		g.rows = append(g.rows, q.hash)
		groups[q.table] = g
	}
	errs := make(chan error)
	for _, g := range groups {
		table := c.Open(g.name)
		for i := 0; i < len(g.rows); i += 100 {
			page := g.rows[i:min(i+100, len(g.rows))]
			go func(page bigtable.RowList, g group) {
				errs <- table.ReadRows(ctx, page, func(row bigtable.Row) bool { // want `missing-filter`
					q, ok := g.queries[row.Key()]
					return ok && f(q, row["token"])
				})
			}(page, g)
		}
	}
	return <-errs
}
