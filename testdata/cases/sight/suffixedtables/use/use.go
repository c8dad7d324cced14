// Package use gives pages their tenants.
package use

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/suffixedtables"
)

func promote(ctx context.Context, c *bigtable.Client, args []string) error {
	return suffixedtables.Promote(ctx, suffixedtables.Open(c, args[0]), args[1])
}

func okPut(ctx context.Context, c *bigtable.Client) error {
	return suffixedtables.Put(ctx, suffixedtables.OpenAny(c, "diaries"), "r")
}
