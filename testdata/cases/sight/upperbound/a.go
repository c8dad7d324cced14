// Package upperbound has statements with an upper bound only, which keeps out
// nothing that has expired, whatever it is.
package upperbound

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func asOf(ctx context.Context, c *bigtable.Client, at time.Time) error {
	ps, err := c.PrepareStatement(ctx, "SELECT _key, ticket['id'] FROM tickets(as_of => @at)", map[string]bigtable.SQLType{"at": bigtable.TimestampSQLType{}}) // want `sql: .*with an upper bound only`
	if err != nil {
		return err
	}
	bs, err := ps.Bind(map[string]any{"at": at})
	if err != nil {
		return err
	}
	return bs.Execute(ctx, func(bigtable.ResultRow) bool { return true })
}

func before(ctx context.Context, c *bigtable.Client) (*bigtable.PreparedStatement, error) {
	return c.PrepareStatement(ctx, "SELECT event FROM clicks(with_history => TRUE, before => @end)", nil) // want `sql: .*"event".*with an upper bound only`
}

func later(ctx context.Context, c *bigtable.Client) (*bigtable.PreparedStatement, error) {
	return c.PrepareStatement(ctx, "SELECT ticket FROM tickets(as_of => TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR))", nil) // want `sql: .*with an upper bound only`
}

func okOthers(ctx context.Context, c *bigtable.Client) (list []*bigtable.PreparedStatement) {
	for _, text := range []string{
		"SELECT ticket FROM tickets(with_history => TRUE, after_or_equal => @now, before => @end)",
		"SELECT entry FROM `a-ledger`(as_of => @at)",
		"SELECT profile FROM sessions(as_of => @at)",
	} {
		ps, err := c.PrepareStatement(ctx, text, nil)
		if err == nil {
			list = append(list, ps)
		}
	}
	return list
}
