// Command cmd makes a Service, and supplies nothing but the client.
package main

import (
	"context"
	"os"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/faultplace/app"
	"example.com/cases/sight/faultplace/dal"
)

func main() {
	ctx := context.Background()
	bt, err := bigtable.NewClient(ctx, "p", "i")
	if err != nil {
		panic(err)
	}
	s := app.New(dal.Dial(bt, os.Stdout))
	s.Entries(ctx, "k")
	if _, err := app.New(dal.Dial(bt, nil)).Token(ctx, "k"); err != nil {
		panic(err)
	}
}
