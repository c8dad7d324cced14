// Command schematool creates tables and looks into them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/filter"
	"example.com/meridian/orderhub/internal/platform/bt"
	"example.com/meridian/orderhub/internal/platform/clock"
	"example.com/meridian/orderhub/internal/schema"
	"example.com/meridian/orderhub/internal/service"
)

var (
	project  = flag.String("project", "", "project")
	instance = flag.String("instance", "", "instance")
	table    = flag.String("table", "", "table of read and gc")
	family   = flag.String("family", "", "family of gc")
	age      = flag.Duration("age", 0, "age of gc")
	row      = flag.String("row", "", "row of read")
)

func run(ctx context.Context, verb string) error {
	m, err := schema.NewAdminManager(ctx, bt.ClientAdminFactory{Project: *project, Instance: *instance})
	if err != nil {
		return err
	}
	switch verb {
	case "create":
		return m.CreateAll(ctx)
	case "policies":
		return m.ApplyPolicies(ctx)
	case "legacy":
		return m.ApplyLegacy(ctx)
	case "gc":
		return gc(ctx)
	case "read":
		return read(ctx)
	case "stamp":
		return stamp(ctx)
	case "tokens":
		return tokens(ctx)
	}
	return fmt.Errorf("unknown verb %q", verb)
}

func gc(ctx context.Context) error {
	admin, err := bigtable.NewAdminClient(ctx, *project, *instance)
	if err != nil {
		return err
	}
	defer admin.Close()
	if err := admin.SetGCPolicy(ctx, *table, constants.FamilyEntry, bigtable.MaxAgePolicy(30*24*time.Hour)); err != nil { // ok ttlgc/age-on-sequence
		return err
	}
	if err := admin.SetGCPolicy(ctx, *table, constants.FamilyHold, bigtable.MaxAgePolicy(time.Second)); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	return admin.SetGCPolicy(ctx, *table, *family, bigtable.MaxAgePolicy(*age)) // ok ttlgc/age-mismatch
}

// stamp touches the entry of any table, whatever it means there.
func stamp(ctx context.Context) error {
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		return err
	}
	defer client.Close()
	m := bigtable.NewMutation()
	m.Set(constants.FamilyEntry, "touched", bigtable.Now(), nil) // ok ttlwrite/clock-in-sequence
	if err := client.Open(*table).Apply(ctx, *row, m); err != nil {
		return err
	}
	ledger := bigtable.NewMutation()
	ledger.Set(constants.FamilyEntry, "touched", bigtable.Now(), nil) // want ttlwrite/clock-in-sequence
	return client.Open("acme"+constants.LedgerSuffix).Apply(ctx, *row, ledger)
}

func read(ctx context.Context) error {
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		return err
	}
	defer client.Close()
	r, err := client.Open(*table).ReadRow(ctx, *row) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for name, items := range r {
		for _, item := range items {
			fmt.Println(name, item.Column, item.Timestamp.Time().Format(time.RFC3339), len(item.Value)) // ok ttlage/not-write-time
		}
	}
	s, err := client.Open(constants.TableSessions).ReadRow(ctx, *row, bigtable.RowFilter(filter.LiveFamily("token|device"))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	fmt.Println(len(s), "families of a session")
	o, err := client.Open(constants.TableOrders).ReadRow(ctx, *row) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for name, items := range o {
		fmt.Println(name, len(items))
	}
	n, err := client.Open(constants.TableNotifications).ReadRow(ctx, *row, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-24*time.Hour), time.Time{}))) // want ttlread/wrong-bound|ttlread/hides-other-families
	if err != nil {
		return err
	}
	fmt.Println(len(n), "families of a customer")
	return nil
}

func tokens(ctx context.Context) error {
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		return err
	}
	defer client.Close()
	alive, err := service.NewTokenInspector(client, filter.NewDefaultFactory(clock.NewSystemClock())).Inspect(ctx, *row) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	all, err := service.NewTokenInspector(client, service.ForensicFactory{}).Inspect(ctx, *row) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	fmt.Println(len(alive), "of", len(all))
	return nil
}

func main() {
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: schematool [flags] create|policies|legacy|gc|read|stamp")
		os.Exit(2)
	}
	if err := run(context.Background(), flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "schematool:", err)
		os.Exit(1)
	}
}
