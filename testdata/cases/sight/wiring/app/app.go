// Package app wires.
package app

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/wiring/dal"
	"example.com/cases/sight/wiring/store"
)

func main() {
	c, err := dal.Dial(context.Background())
	if err != nil {
		panic(err)
	}
	s := store.New(c, true)
	println(s.Owner(context.Background()))
	s.Put(bigtable.NewMutation())
}
