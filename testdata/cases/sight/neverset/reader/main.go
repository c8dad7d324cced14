// Command reader only reads: what it leaves out, nobody writes with.
package main

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/neverset/stocked"
)

type app struct{ store *stocked.Store }

func open(c *bigtable.Client, id string) *stocked.Store {
	cfg := &stocked.Config{Env: "prod"}
	return stocked.Open(c, cfg, id)
}

func main() {
	c, err := bigtable.NewClient(context.Background(), "p", "i")
	if err != nil {
		panic(err)
	}
	a := app{open(c, "x")}
	a.store.Read(context.Background())
	// Set, and wrong, whoever uses it.
	b := app{stocked.Open(c, &stocked.Config{Limits: stocked.Limits{Hold: 0}}, "y")} // want "write to one-second-expiration family .token.*uses the current time"
	b.store.Read(context.Background())
}
