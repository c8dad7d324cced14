// Command schemactl creates and checks the tables.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"cloud.google.com/go/bigtable"

	"example.com/gridwatch/internal/leases"
	"example.com/gridwatch/internal/schema"
)

func main() {
	project := flag.String("project", "gridwatch", "project")
	instance := flag.String("instance", "main", "instance")
	from := flag.Int("from", 0, "first migration")
	flag.Parse()
	if err := run(context.Background(), *project, *instance, *from, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "schemactl:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, project, instance string, from int, args []string) error {
	admin, err := bigtable.NewAdminClient(ctx, project, instance)
	if err != nil {
		return err
	}
	defer admin.Close()
	if len(args) == 0 {
		args = []string{"ensure"}
	}
	switch args[0] {
	case "ensure":
		if err := leases.Setup(ctx, admin); err != nil {
			return err
		}
		return schema.Ensure(ctx, admin)
	case "migrate":
		return schema.Migrate(ctx, admin, from)
	case "repair":
		return schema.Repair(ctx, admin)
	case "staging":
		return schema.Staging(ctx, admin)
	case "scratch":
		return schema.Scratch(ctx, admin)
	case "tenant":
		for _, t := range args[1:] {
			if err := schema.Tenant(ctx, admin, t); err != nil {
				return err
			}
		}
		return nil
	case "drift":
		diffs, err := schema.Drift(ctx, admin)
		for _, d := range diffs {
			fmt.Println(d)
		}
		return err
	}
	return fmt.Errorf("unknown command %q", args[0])
}
