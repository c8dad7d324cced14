// Command shop is a small web shop on Bigtable. Half of its functions have a
// mistake, which is marked; the others show the same code put right.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"

	"cloud.google.com/go/bigtable"

	"example.com/shop/handler"
	"example.com/shop/schema"
	"example.com/shop/store"
)

func main() {
	project := flag.String("project", "", "Google Cloud project")
	instance := flag.String("instance", "", "Bigtable instance")
	region := flag.String("region", "eu", "region of the ledger")
	create := flag.Bool("create", false, "create the tables and exit")
	addr := flag.String("addr", ":8080", "address to listen on")
	flag.Parse()
	ctx := context.Background()
	if *create {
		if err := createTables(ctx, *project, *instance, *region); err != nil {
			log.Fatal(err)
		}
		return
	}
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe(*addr, handler.New(store.New(client, *region))))
}

func createTables(ctx context.Context, project, instance, region string) error {
	admin, err := bigtable.NewAdminClient(ctx, project, instance)
	if err != nil {
		return err
	}
	defer admin.Close()
	if err := schema.Create(ctx, admin); err != nil {
		return err
	}
	return schema.CreateLedgerFixed(ctx, admin, region)
}
