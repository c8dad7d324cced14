// Package model embeds a struct of another package, whose method its constructor calls.
package model

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/setlater/concern"
)

type Session struct {
	concern.Expirable
	Key string
}

func New(key string) *Session {
	s := &Session{Key: key}
	s.ExpireIn(30 * time.Minute)
	return s
}

// Bare leaves the time out.
func Bare(key string) *Session { return &Session{Key: key} }

func (s *Session) Save(ctx context.Context, tbl *bigtable.Table) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", bigtable.Time(s.ExpiresAt), nil)
	return tbl.Apply(ctx, s.Key, mut)
}
