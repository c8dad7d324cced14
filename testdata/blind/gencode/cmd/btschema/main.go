// Command btschema brings an instance to the schema.
package main

import (
	"context"
	"flag"
	"log"
	"log/slog"

	"cloud.google.com/go/bigtable"

	"example.com/hotelbook/internal/config"
	"example.com/hotelbook/internal/schema"
)

func main() {
	what := flag.String("repair", "", "repair one policy")
	env := flag.String("env", "prod", "prod, staging or emulator")
	flag.Parse()
	cfg, err := config.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	a, err := bigtable.NewAdminClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	switch {
	case *what != "":
		err = schema.Repair(ctx, a, *what)
	case *env == "emulator":
		err = schema.Emulator(ctx, a)
	case *env == "staging":
		err = schema.Staging(ctx, a)
	default:
		err = schema.Apply(ctx, a, slog.Default())
	}
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range cfg.Hotels {
		if err := schema.Ledger(ctx, a, h); err != nil {
			log.Printf("ledger of %s: %v", h, err)
		}
	}
}
