// Package user takes locks.
package user

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/conditions"
)

type svc struct {
	c   *bigtable.Client
	tbl *bigtable.Table
}

func newSvc(c *bigtable.Client) *svc { return &svc{c: c, tbl: c.Open("sessions")} }

// What is wrong in the library is the library's.
func (s *svc) take(ctx context.Context, key string) error {
	_, err := cond.New(s.tbl).Take(ctx, key)
	return err
}

func (s *svc) grab(ctx context.Context, key string) error {
	return cond.Grab(ctx, s.tbl, key)
}

func (s *svc) grabOther(ctx context.Context, key string) error {
	return cond.Grab(ctx, s.c.Open("unregistered"), key)
}
