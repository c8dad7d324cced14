// Package app says which families there are.
package app

import (
	"context"

	"cloud.google.com/go/bigtable"

	configured "example.com/cases/sight/configured"
)

// Right reads profiles.
func Right(ctx context.Context, c *bigtable.Client) string {
	cfg := configured.Config{Token: "token", Profile: "profile"}
	s := configured.Open(c, cfg)
	return s.Email(ctx, "k") + configured.NewFar(c, configured.Config{Token: "profile"}).Value(ctx, "k")
}

// Wrong reads tokens.
func Wrong(ctx context.Context, c *bigtable.Client) string {
	cfg := configured.Config{Token: "token", Profile: "profile"}
	return configured.NewFar(c, cfg).Value(ctx, "k") // want `missing-filter: .*"token"`
}
