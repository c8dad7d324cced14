// Package genericoptions gives options with a type parameter.
package genericoptions

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/genericoptions/repo"
)

type attempt struct {
	Failed int
	Ends   time.Time
}

type keeper struct {
	right, unstamped, unfiltered, plain *repo.Repo[attempt]
	profile                             *repo.Repo[string]
}

func newKeeper(c *bigtable.Client) *keeper {
	tbl := c.Open("sessions")
	expires := repo.Stamped(func(a attempt) bigtable.Timestamp { return bigtable.Time(a.Ends) })
	return &keeper{
		right:      repo.New(tbl, "token", expires, repo.Filtered[attempt](repo.Live)),
		unstamped:  repo.New(tbl, "token", repo.Filtered[attempt](repo.Live)), // want `write-time: .*"token"`
		unfiltered: repo.New(tbl, "token", expires),                           // want `missing-filter: .*"token"`
		profile:    repo.New[string](tbl, "profile"),
	}
}

func (k *keeper) all(ctx context.Context) error {
	for _, r := range []*repo.Repo[attempt]{k.right, k.unstamped, k.unfiltered} {
		a, err := r.Get(ctx, "k")
		if err != nil {
			return err
		}
		if err := r.Put(ctx, "k", a); err != nil {
			return err
		}
	}
	return k.profile.Put(ctx, "k", "v")
}

// Alone are calls of the methods one by one.
func (k *keeper) alone(ctx context.Context) error {
	a, err := k.right.Get(ctx, "k")
	if err != nil {
		return err
	}
	return k.right.Put(ctx, "k", a)
}

// A local repo in this package.
type local[T any] struct {
	family string
	stamp  func(T) bigtable.Timestamp
}

type localOption[T any] func(*local[T])

func stamped[T any](f func(T) bigtable.Timestamp) localOption[T] {
	return func(l *local[T]) { l.stamp = f }
}

func newLocal[T any](family string, opts ...localOption[T]) *local[T] {
	l := &local[T]{family: family, stamp: func(T) bigtable.Timestamp { return bigtable.Now() }}
	for _, o := range opts {
		o(l)
	}
	return l
}

func (l *local[T]) put(m *bigtable.Mutation, v T, b []byte) { m.Set(l.family, "v", l.stamp(v), b) }

func locals(m *bigtable.Mutation, a attempt) {
	right := newLocal("token", stamped(func(a attempt) bigtable.Timestamp { return bigtable.Time(a.Ends) }))
	right.put(m, a, nil)
	wrong := newLocal[attempt]("token") // want `write-time: .*"token"`
	wrong.put(m, a, nil)
}
