// Command inspect prints rows for the operators.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
	"skyward.example/dal/names"
)

func main() {
	table := flag.String("table", names.TableHolds, "table")
	key := flag.String("key", "", "row key")
	flag.Parse()
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, os.Getenv("BT_PROJECT"), os.Getenv("BT_INSTANCE"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "inspect:", err)
		os.Exit(1)
	}
	defer c.Close()
	if err := dump(ctx, c.Open(*table), *key); err != nil { // maybe ttlread/missing-filter
		fmt.Fprintln(os.Stderr, "inspect:", err)
		os.Exit(1)
	}
	if err := hold(ctx, c, *key); err != nil {
		fmt.Fprintln(os.Stderr, "inspect:", err)
	}
}

// dump prints any row; the table is whatever the operator says.
func dump(ctx context.Context, tbl *bigtable.Table, key string) error {
	row, err := tbl.ReadRow(ctx, key) // maybe ttlread/missing-filter
	if err != nil {
		return err
	}
	for fam, items := range row {
		for _, it := range items {
			fmt.Printf("%s %s %s\n", fam, it.Column, it.Timestamp.Time().Format(time.RFC3339)) // ok ttlage/not-write-time
		}
	}
	return nil
}

// hold prints a hold with its dates.
func hold(ctx context.Context, c *bigtable.Client, key string) error {
	row, err := c.Open(names.TableHolds).ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(names.FamHold))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[names.FamHold] {
		ends := it.Timestamp.Time() // ok ttlage/not-write-time
		fmt.Println("hold", it.Column, "ends", ends)
		modified := it.Timestamp.Time()                         // want ttlage/not-write-time[modified]
		fmt.Println("modified", modified.Format(time.DateTime)) // want ttlage/not-write-time[modified]
	}
	return nil
}
