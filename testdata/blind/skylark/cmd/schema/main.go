// Command schema makes the tables.
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/leases"
	"example.com/skylark/internal/schema"
)

func main() {
	project := flag.String("project", "", "project")
	instance := flag.String("instance", "", "instance")
	env := flag.String("env", "staging", "staging or production")
	flag.Parse()
	ctx := context.Background()
	ac, err := bigtable.NewAdminClient(ctx, *project, *instance)
	if err != nil {
		slog.Error("schema", "err", err)
		os.Exit(1)
	}
	defer ac.Close()
	m := schema.New(ac, slog.Default())
	apply := m.Staging
	if *env == "production" {
		apply = m.Apply
	}
	for _, f := range []func(context.Context) error{apply, m.Retention, func(ctx context.Context) error { return leases.Setup(ctx, ac) }} {
		if err := f(ctx); err != nil {
			slog.Error("schema", "err", err)
			os.Exit(1)
		}
	}
}
