// Command dispatch has commands that create families, and others that set
// their policies.
package main

import (
	"context"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
)

func main() {
	ctx := context.Background()
	a, err := bigtable.NewAdminClient(ctx, "p", "i")
	if err != nil {
		panic(err)
	}
	switch os.Args[1] {
	case "relax":
		relax(ctx, a)
	case "init":
		initTables(ctx, a)
	case "both":
		if err := create(ctx, a); err != nil {
			panic(err)
		}
		collect(ctx, a)
	case "raw":
		raw(ctx, nil)
	case "rules":
		rules(ctx, a)
	default:
		commands[os.Args[1]](ctx, a)
	}
}

var commands = map[string]func(context.Context, *bigtable.AdminClient) error{"make": makeLog, "gc": collectLog, "all": all}

func makeLog(ctx context.Context, a *bigtable.AdminClient) error {
	return a.CreateColumnFamily(ctx, "mixed", "log") // want "no-policy"
}

func collectLog(ctx context.Context, a *bigtable.AdminClient) error {
	return a.SetGCPolicy(ctx, "mixed", "log", bigtable.MaxAgePolicy(24*time.Hour))
}

// all does both, one after the other.
func all(ctx context.Context, a *bigtable.AdminClient) error {
	for _, step := range []func(context.Context, *bigtable.AdminClient) error{makeHot, collectHot} {
		if err := step(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

func makeHot(ctx context.Context, a *bigtable.AdminClient) error {
	return a.CreateColumnFamily(ctx, "mixed", "hot")
}

func collectHot(ctx context.Context, a *bigtable.AdminClient) error {
	return a.SetGCPolicy(ctx, "mixed", "hot", bigtable.MaxAgePolicy(time.Second))
}

func relax(ctx context.Context, a *bigtable.AdminClient) error {
	return a.CreateColumnFamily(ctx, "clicks", "event") // want "no-policy"
}

func initTables(ctx context.Context, a *bigtable.AdminClient) error {
	return a.SetGCPolicy(ctx, "clicks", "event", bigtable.MaxAgePolicy(720*time.Hour))
}

// create and collect are one command.
func create(ctx context.Context, a *bigtable.AdminClient) error {
	return a.CreateColumnFamily(ctx, "tickets", "ticket")
}

func collect(ctx context.Context, a *bigtable.AdminClient) error {
	return a.SetGCPolicy(ctx, "tickets", "ticket", bigtable.MaxAgePolicy(time.Second))
}

func raw(ctx context.Context, c adminpb.BigtableTableAdminClient) error {
	_, err := c.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: "projects/p/instances/i/tables/otp",
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id:  "code",
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{}}, // want "no-policy"
		}},
	})
	return err
}

func rules(ctx context.Context, a *bigtable.AdminClient) error {
	return a.SetGCPolicy(ctx, "otp", "code", bigtable.MaxAgePolicy(time.Millisecond))
}
