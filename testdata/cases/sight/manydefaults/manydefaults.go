// Package manydefaults has options of which a method makes more combinations than are
// followed: what one caller gives is not wrong of another, and not in the method.
package manydefaults

import (
	"context"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

type Options struct {
	TTL              *time.Duration
	A, B, C, D, E, F *string
}

func ptr[T any](v T) *T { return &v }

func env(name string) *string {
	if v, ok := os.LookupEnv(name); ok {
		return &v
	}
	return ptr("none")
}

func (o Options) withDefaults() Options {
	if o.TTL == nil {
		o.TTL = ptr(15 * time.Minute)
	}
	for _, p := range []**string{&o.A, &o.B} {
		if *p == nil {
			*p = ptr("")
		}
	}
	if o.C == nil {
		o.C = env("C")
	}
	if o.D == nil {
		o.D = env("D")
	}
	if o.E == nil {
		o.E = env("E")
	}
	if o.F == nil {
		o.F = env("F")
	}
	return o
}

func with(c *bigtable.Client, f func(t *bigtable.Table) error) error { return f(c.Open("tickets")) }

func okPut(ctx context.Context, c *bigtable.Client, key string, o Options) error {
	o = o.withDefaults()
	return with(c, func(t *bigtable.Table) error {
		mut := bigtable.NewMutation()
		mut.Set("ticket", "v", bigtable.Time(time.Now().Add(*o.TTL)), nil)
		return t.Apply(ctx, key, mut)
	})
}

func dropped(ctx context.Context, c *bigtable.Client) error {
	return okPut(ctx, c, "k", Options{TTL: ptr(time.Duration(0))}) // not seen: too many combinations
}

func okBriefly(ctx context.Context, c *bigtable.Client) error {
	return okPut(ctx, c, "k", Options{TTL: ptr(2 * time.Second)})
}
