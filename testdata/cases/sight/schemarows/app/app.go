// Package app asks for the environment.
package app

import (
	"context"
	"flag"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/schemarows/schema"
)

func okRun(ctx context.Context, admin *bigtable.AdminClient) error {
	env := flag.String("env", "staging", "environment")
	return schema.Apply(ctx, admin, *env, false)
}

func okAge(ctx context.Context, admin *bigtable.AdminClient) error {
	return schema.Age(ctx, admin, "production")
}

func age(ctx context.Context, admin *bigtable.AdminClient) error {
	return schema.Age(ctx, admin, "staging") // want `age-mismatch`
}
