// Package app wires.
package app

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/s1_place/dal"
	"example.com/cases/sight/s1_place/store"
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
