// Package manytables hands over what another package opens: many tables.
package manytables

import (
	"context"

	"example.com/cases/sight/manytables/repo"
	"example.com/cases/sight/manytables/store"
)

func run(ctx context.Context) (int, error) {
	tables, err := store.Open(ctx, &store.Options{Project: "p"})
	if err != nil {
		return 0, err
	}
	if n, err := repo.NewHandlers(repo.NewProfiles(tables)).All(ctx); err != nil {
		return n, err
	}
	h := repo.NewHandlers(repo.New(tables)) // want `missing-filter: .*"val" of table "cache"`
	return h.All(ctx)
}
