// Command daemon hands the store on to somebody who is not in view.
package main

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/neverset/stocked"
)

type user interface {
	Use(ctx context.Context) error
}

var users []user

func main() {
	c, err := bigtable.NewClient(context.Background(), "p", "i")
	if err != nil {
		panic(err)
	}
	users = append(users, stocked.Open(c, &stocked.Config{Env: "prod"}, "x")) // not seen: write-time
}
