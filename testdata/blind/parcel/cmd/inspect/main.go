// Inspect shows rows to operators.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/bt"
	"northlane.example/parcel/internal/config"
	"northlane.example/parcel/internal/store/hold"
	"northlane.example/parcel/internal/store/manifest"
)

func main() {
	what := flag.String("what", "token", "token, lease, tour, price or audit")
	flag.Parse()
	cfg, err := config.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	for _, key := range flag.Args() {
		switch *what {
		case "token":
			err = token(ctx, c, key)
		case "lease":
			err = leases(ctx, c, key)
		case "tour":
			err = tour(ctx, c, cfg.ManifestTbl, key)
		case "price":
			err = price(ctx, c, key)
		default:
			err = audit(ctx, c, key)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}

func token(ctx context.Context, c *bigtable.Client, key string) error {
	row, err := c.Open("sessions").ReadRow(ctx, key) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row["token"] {
		fmt.Printf("%s updated=%s\n", it.Column, it.Value)
	}
	row, err = c.Open("sessions").ReadRow(ctx, key, bigtable.RowFilter(bt.LiveFamily("token", time.Now()))) // ok ttlread/missing-filter
	fmt.Println(len(row["token"]))
	return err
}

func leases(ctx context.Context, c *bigtable.Client, prefix string) error {
	s := hold.New(c, hold.WithFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	ls, err := s.List(ctx, prefix)
	for _, l := range ls {
		fmt.Fprintf(os.Stdout, "%s %s until %s\n", l.Consignment, l.Owner, l.Until)
	}
	return err
}

func tour(ctx context.Context, c *bigtable.Client, table, key string) error {
	s := manifest.New(c, table, manifest.WithVersions(20)) // want ttlread/version-limit
	stops, err := s.Stops(ctx, key)
	for _, st := range stops {
		fmt.Println(st.Number, st.Address, st.Revision)
	}
	return err
}

func price(ctx context.Context, c *bigtable.Client, key string) error {
	tbl := c.Open("rates")
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("price"))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row["price"] {
		fmt.Println(it.Column, string(it.Value))
	}
	row, err = tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("tariff"))) // ok ttlread/missing-filter
	for _, it := range row["tariff"] {
		fmt.Println(it.Column, string(it.Value))
	}
	return err
}

func audit(ctx context.Context, c *bigtable.Client, key string) error {
	row, err := c.Open("audit").ReadRow(ctx, key) // ok ttlread/missing-filter
	for _, items := range row {
		for _, it := range items {
			fmt.Println(it.Column, it.Timestamp.Time())
		}
	}
	return err
}
