// Command writer writes with what it leaves out.
package main

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/neverset/stocked"
)

func main() {
	c, err := bigtable.NewClient(context.Background(), "p", "i")
	if err != nil {
		panic(err)
	}
	s := stocked.Open(c, &stocked.Config{Env: "prod"}, "x") // want "write to one-second-expiration family .token.*uses the current time"
	s.Use(context.Background())
}
