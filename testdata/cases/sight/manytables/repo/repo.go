// Package repo holds objects that embed one of the tables that they are given.
package repo

import (
	"context"

	"example.com/cases/sight/manytables/store"
)

type Repo struct{ store.Base }

func New(t *store.Tables) *Repo { return &Repo{store.NewBase(t.Cache)} }

// NewProfiles has a table that is not registered.
func NewProfiles(t *store.Tables) *Repo { return &Repo{store.NewBase(t.L)} }

type Handlers struct{ repo *Repo }

func NewHandlers(r *Repo) *Handlers { return &Handlers{r} }

func (h *Handlers) All(ctx context.Context) (int, error) {
	row, err := h.repo.Table.ReadRow(ctx, "k")
	return len(row["val"]), err
}
