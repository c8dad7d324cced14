// Package prefixed opens tables by an interface that a type of another
// package implements, which changes their names.
package prefixed

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/prefixed/tenant"
)

type opener interface{ Open(string) *bigtable.Table }

func get(ctx context.Context, o opener) (bigtable.Row, error) {
	return o.Open("sessions").ReadRow(ctx, "k")
}

// Use reads tables of a tenant.
func Use(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return get(ctx, tenant.Opener{C: c, Tenant: "staging"})
}
