// Command idpadmin creates tables and families.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/idp/internal/ids"
	"example.com/idp/internal/provision"
	"example.com/idp/internal/schema"
)

func main() {
	project := flag.String("project", "local", "project")
	instance := flag.String("instance", "idp", "instance")
	tenant := flag.String("tenant", "", "create the directory of a tenant")
	upgrade := flag.Bool("upgrade", false, "bring an old instance to the present schema")
	keep := flag.Duration("keep", 0, "keep the tallies for another time")
	flag.Parse()
	if err := run(*project, *instance, *tenant, *upgrade, *keep); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(project, instance, tenant string, upgrade bool, keep time.Duration) error {
	ctx := context.Background()
	admin, err := bigtable.NewAdminClient(ctx, project, instance)
	if err != nil {
		return err
	}
	defer admin.Close()
	p := provision.New(admin, slog.Default())
	switch {
	case tenant != "":
		return p.Tenant(ctx, ids.TenantID(tenant))
	case upgrade:
		return p.Upgrade(ctx)
	case keep > 0:
		return admin.SetGCPolicy(ctx, schema.TableThrottle, schema.FamTally, bigtable.MaxAgePolicy(keep)) // ok ttlgc/policy-mismatch
	}
	return p.Apply(ctx)
}
