// Package testtables gives a store of another package its table.
package testtables

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/testtables/store"
)

func put(ctx context.Context, client *bigtable.Client) error {
	return store.New(client, "sessions").Put(ctx, "k")
}
