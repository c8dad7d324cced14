// Package zerotype has generic getters that return a zero value of what they
// are asked for beside an error: where that is a pointer, nil, not a struct of
// zeros.
package zerotype

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"
)

type Repo struct {
	tbl *bigtable.Table
	ttl time.Duration
}

func New(c *bigtable.Client) *Repo { return &Repo{tbl: c.Open("tickets"), ttl: 10 * time.Minute} }

func (r *Repo) Issue(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("ticket", "hash", bigtable.Time(time.Now().Add(r.ttl)), nil)
	return r.tbl.Apply(ctx, key, mut)
}

type provider struct {
	value any
	err   error
}

func get[T any](p *provider) (T, error) {
	var none T
	if p.err != nil {
		return none, p.err
	}
	return p.value.(T), nil
}

func must[T any](p *provider) T {
	v, err := get[T](p)
	if err != nil {
		panic(err)
	}
	return v
}

func orZero[T any](p *provider) T {
	v, _ := p.value.(T)
	if p.err != nil {
		return *new(T)
	}
	return v
}

type issuer interface {
	Issue(ctx context.Context, key string) error
}

func okGet(ctx context.Context, p *provider) error {
	r, err := get[*Repo](p)
	if err != nil {
		return err
	}
	return r.Issue(ctx, "k")
}

func okMust(ctx context.Context, p *provider) error { return must[*Repo](p).Issue(ctx, "k") }

func okOrZero(ctx context.Context, p *provider) error { return orZero[*Repo](p).Issue(ctx, "k") }

func okInterface(ctx context.Context, p *provider) error { return must[issuer](p).Issue(ctx, "k") }

// The zero value of a number is a number.

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

func zeroOf[T any]() T {
	var zero T
	return zero
}

func writeAfter(ctx context.Context, t *bigtable.Table, c config) error {
	mut := bigtable.NewMutation()
	mut.Set("ticket", "a", bigtable.Time(time.Now().Add(zeroOf[time.Duration]())), nil)   // want `ttlwrite/write-time`
	mut.Set("ticket", "b", bigtable.Time(time.Now().Add(zeroOf[config]().lifetime)), nil) // want `ttlwrite/write-time`
	mut.Set("ticket", "c", bigtable.Time(time.Now().Add(orDefault(c.lifetime, time.Minute))), nil)
	return t.Apply(ctx, "k", mut)
}

type config struct{ lifetime time.Duration }

// Of a struct it is a struct of zeros.

func settings[T any](p *provider) (T, error) {
	var none T
	if p == nil {
		return none, errors.New("none")
	}
	return none, nil
}

func writeSettings(ctx context.Context, t *bigtable.Table, p *provider) error {
	c, err := settings[config](p)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set("ticket", "a", bigtable.Time(time.Now().Add(c.lifetime)), nil) // want `ttlwrite/write-time`
	return t.Apply(ctx, "k", mut)
}
