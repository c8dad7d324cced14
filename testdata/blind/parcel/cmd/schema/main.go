// Schema creates the tables.
package main

import (
	"context"
	"flag"
	"log"
	"log/slog"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/config"
	"northlane.example/parcel/internal/schema"
	"northlane.example/parcel/internal/store/kiosk"
)

func main() {
	staging := flag.Bool("staging", false, "the staging instance")
	region := flag.String("region", "", "create the tables of a region")
	flag.Parse()
	cfg, err := config.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	admin, err := bigtable.NewAdminClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		log.Fatal(err)
	}
	defer admin.Close()
	switch {
	case *region != "":
		err = schema.Region(ctx, admin, *region)
	case *staging:
		err = schema.EnsureStaging(ctx, admin)
	default:
		if err = schema.Ensure(ctx, admin, slog.Default()); err == nil {
			err = kiosk.EnsureTable(ctx, admin)
		}
	}
	if err != nil {
		log.Fatal(err)
	}
}
