// Package genericcodecs calls methods of generic types by a generic interface: there is
// no code of such a method but that of its origin.
package genericcodecs

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

type codec[T any] interface{ encode(T) []byte }

type text[T any] struct{}

func (text[T]) encode(v T) []byte { return fmt.Append(nil, v) }

type repo[T any] struct {
	codec codec[T]
	tbl   *bigtable.Table
}

func open[T any](c *bigtable.Client) *repo[T] { return &repo[T]{text[T]{}, c.Open("sessions")} }

func (r *repo[T]) put(ctx context.Context, key string, v T) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.Now(), r.codec.encode(v)) // want `write-time: .*"token" of table "sessions"`
	return r.tbl.Apply(ctx, key, mut)
}

func (r *repo[T]) okPut(ctx context.Context, key string, v T) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.Time(time.Now().Add(time.Hour)), r.codec.encode(v))
	return r.tbl.Apply(ctx, key, mut)
}

func put(ctx context.Context, c *bigtable.Client) error {
	return open[int](c).put(ctx, "k", 1)
}
