// Command fleet-schema creates tables and changes their policies.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"cloud.google.com/go/bigtable"

	"example.com/fleetio/internal/logx"
	"example.com/fleetio/internal/schema"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: fleet-schema PROJECT INSTANCE apply|migrate N|relax|tighten|test|show")
		os.Exit(2)
	}
	ctx := context.Background()
	ac, err := bigtable.NewAdminClient(ctx, os.Args[1], os.Args[2])
	if err == nil {
		switch os.Args[3] {
		case "apply":
			err = schema.Apply(ctx, ac, logx.New("schema", true))
		case "migrate":
			n, _ := strconv.Atoi(os.Args[len(os.Args)-1])
			err = schema.Migrate(ctx, ac, n)
		case "relax":
			err = schema.Relax(ctx, ac)
		case "tighten":
			err = schema.Tighten(ctx, ac)
		case "test":
			err = schema.Test(ctx, ac, "leases-test")
		default:
			schema.Describe(func(s string) { fmt.Println(s) })
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
