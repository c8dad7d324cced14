// Package sql prepares GoogleSQL statements.
package sql

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func plain(ctx context.Context, c *bigtable.Client) (*bigtable.PreparedStatement, error) {
	return c.PrepareStatement(ctx, "SELECT code['otp'] FROM otp WHERE _key = 'k'", nil) // want `sql: .*"code"`
}

func okLive(ctx context.Context, c *bigtable.Client) (*bigtable.PreparedStatement, error) {
	return c.PrepareStatement(ctx, "SELECT code['otp'] FROM otp(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())", nil)
}

func onlyExpired(ctx context.Context, c *bigtable.Client) (*bigtable.PreparedStatement, error) {
	return c.PrepareStatement(ctx, "SELECT code['otp'] FROM otp(as_of => CURRENT_TIMESTAMP())", nil) // want `sql: .*"code"`
}

func defaultExpiration(ctx context.Context, c *bigtable.Client) (*bigtable.PreparedStatement, error) {
	const query = `SELECT event['url'] FROM clicks`
	return c.PrepareStatement(ctx, query, nil) // want `sql: .*"event"`
}

func okSequenceLatest(ctx context.Context, c *bigtable.Client) (*bigtable.PreparedStatement, error) {
	return c.PrepareStatement(ctx, "SELECT entry['amount'] FROM `bank-ledger`", nil)
}

func okOtherFamily(ctx context.Context, c *bigtable.Client) (*bigtable.PreparedStatement, error) {
	return c.PrepareStatement(ctx, "SELECT profile['name'] FROM sessions", nil)
}

func okOtherTable(ctx context.Context, c *bigtable.Client) (*bigtable.PreparedStatement, error) {
	return c.PrepareStatement(ctx, "SELECT * FROM plain", nil)
}

func okUnknown(ctx context.Context, c *bigtable.Client, query string) (*bigtable.PreparedStatement, error) {
	return c.PrepareStatement(ctx, query, nil)
}
