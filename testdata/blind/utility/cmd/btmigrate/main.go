// Command btmigrate creates tables and runs migrations.
package main

import (
	"context"
	"flag"
	"log"

	"cloud.google.com/go/bigtable"

	"nordkraft.example/grid/internal/config"
	"nordkraft.example/grid/internal/schema"
)

func main() {
	from := flag.Int("from", 0, "last migration that was run")
	ledgers := flag.Bool("ledgers", false, "create the regions' ledgers")
	flag.Parse()
	cfg, err := config.Load()
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	admin, err := bigtable.NewAdminClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		log.Fatal(err)
	}
	defer admin.Close()
	if err := schema.Up(ctx, admin, *from); err != nil {
		log.Fatal(err)
	}
	for _, r := range cfg.Regions {
		if !*ledgers {
			break
		}
		if err := schema.Ledger(ctx, admin, r); err != nil {
			log.Fatal(err)
		}
	}
}
