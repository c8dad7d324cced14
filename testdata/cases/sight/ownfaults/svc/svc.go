// Package svc calls what is wrong by itself.
package svc

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/ownfaults/store"
)

type service struct{ store *store.Store }

func newService(c *bigtable.Client) *service { return &service{store: store.New(c)} }

func (s *service) user(ctx context.Context, id string) ([]byte, error) { return s.store.User(ctx, id) }

func (s *service) any(ctx context.Context, id string) (int, error) {
	row, err := s.store.Any(ctx, id)
	return len(row["val"]), err
}

func (s *service) save(ctx context.Context, id string) error {
	if err := s.store.Lock(ctx, id); err != nil {
		return err
	}
	return s.store.SaveUser(ctx, id, nil)
}

func direct(ctx context.Context, c *bigtable.Client, id string) error {
	st := store.New(c)
	if err := st.SaveOrg(ctx, id, nil); err != nil {
		return err
	}
	return st.SaveToken(ctx, c, id, nil)
}
