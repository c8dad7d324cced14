// Package decodersabroad gives makers of another package what decodes a row: which families
// are used of the table, is known at the call that makes the object.
package decodersabroad

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/decodersabroad/lister"
)

func token(row bigtable.Row) string { return string(row["token"][0].Value) }

func profile(row bigtable.Row) string { return string(row["profile"][0].Value) }

func tokens(ctx context.Context, c *bigtable.Client) ([]string, error) {
	l := lister.Over(c.Open("sessions"), token) // want `missing-filter: .*"token" of table "sessions"`
	return l.List(ctx)
}

func okProfiles(ctx context.Context, c *bigtable.Client) ([]string, error) {
	l := lister.Over(c.Open("sessions"), profile)
	return l.List(ctx)
}

func okAtOnce(ctx context.Context, c *bigtable.Client) ([]string, error) {
	return lister.Over(c.Open("sessions"), profile).List(ctx)
}

func plain(ctx context.Context, c *bigtable.Client) ([]string, error) {
	return lister.NewPlain(c.Open("sessions"), token).List(ctx) // want `missing-filter: .*"token" of table "sessions"`
}

func okPlain(ctx context.Context, c *bigtable.Client) ([]string, error) {
	return lister.NewPlain(c.Open("sessions"), profile).List(ctx)
}

func okOwn(ctx context.Context, c *bigtable.Client) ([]string, error) { // told there
	return lister.Tokens(c.Open("sessions")).List(ctx)
}
