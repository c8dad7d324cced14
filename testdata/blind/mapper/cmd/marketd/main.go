// Command marketd serves the marketplace.
package main

import (
	"context"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"marketmap.example/market/internal/cartsvc"
	"marketmap.example/market/internal/httpapi"
	"marketmap.example/market/internal/listingsvc"
	"marketmap.example/market/internal/offersvc"
	"marketmap.example/market/internal/ops"
	"marketmap.example/market/internal/pricesvc"
	"marketmap.example/market/internal/schema"
	"marketmap.example/market/internal/sessionsvc"
)

func main() {
	project := flag.String("project", "market", "project")
	instance := flag.String("instance", "market", "instance")
	addr := flag.String("addr", ":8080", "address")
	demo := flag.Bool("demo", false, "write demo data")
	flag.Parse()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	ctx := context.Background()
	if err := run(ctx, *project, *instance, *addr, *demo, log); err != nil {
		log.Error("marketd", "err", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, project, instance, addr string, demo bool, log *slog.Logger) error {
	client, err := bigtable.NewClient(ctx, project, instance)
	if err != nil {
		return err
	}
	defer client.Close()
	if demo {
		if err := ops.Demo(ctx, client); err != nil {
			return err
		}
	}
	api := &httpapi.API{
		Carts:    cartsvc.New(client, log),
		Sessions: sessionsvc.New(client, log),
		Books:    map[string]*offersvc.Book{},
		Prices:   pricesvc.New(client, log),
		Catalog:  listingsvc.New(client, log),
		Audit:    client.Open(schema.TableCarts),
		Log:      log,
	}
	for _, r := range schema.Regions {
		api.Books[r] = offersvc.Open(client, r, log)
	}
	mut := bigtable.NewMutation()
	mut.Set(schema.FamHold, "boot", bigtable.Now(), []byte(addr))                           // want ttlwrite/write-time
	mut.Set(schema.FamMeta, "boot", bigtable.Now(), []byte(addr))                           // ok ttlwrite/write-time
	mut.Set(schema.FamItem, "boot", bigtable.Time(time.Now().Add(time.Hour)), []byte(addr)) // ok ttlwrite/write-time
	if err := api.Audit.Apply(ctx, "hold#boot", mut); err != nil {
		return err
	}
	return http.ListenAndServe(addr, api.Handler())
}
