// Package repo makes repositories of another package: what their constructors
// are given wrong is told there, once.
package repo

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/repo/lib"
)

type kv struct{ a, b, c, d *lib.Repo }

func live() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
}

func newKV(c *bigtable.Client) *kv {
	t := c.Open("sessions")
	return &kv{
		a: lib.NewRepo(t, "token"),                                                                           // want `write-time: .*"token"` `missing-filter: .*"token"`
		b: lib.NewRepo(t, "token", lib.Through(func() bigtable.Filter { return bigtable.LatestNFilter(1) })), // want `write-time: .*"token"` `missing-filter: .*"token"`
		c: lib.NewRepo(t, "profile"),
		d: lib.NewRepo(c.Open("otp"), "code", lib.Through(live)), // want `write-time: .*"code"`
	}
}

func (k *kv) getA(ctx context.Context, key string) ([]byte, error) { return k.a.Get(ctx, key) }
func (k *kv) getB(ctx context.Context, key string) ([]byte, error) { return k.b.Get(ctx, key) }
func (k *kv) getC(ctx context.Context, key string) ([]byte, error) { return k.c.Get(ctx, key) }
func (k *kv) getD(ctx context.Context, key string) ([]byte, error) { return k.d.Get(ctx, key) }
func (k *kv) putA(ctx context.Context, key string) error           { return k.a.Put(ctx, key, nil) }

// What a call leaves out, is told at the call.
func (k *kv) read(ctx context.Context, key string) ([]byte, error) {
	if v, err := k.a.Read(ctx, key, bigtable.RowFilter(live())); err != nil {
		return v, err
	}
	return k.a.Read(ctx, key) // want `missing-filter: .*"token"`
}

func local(ctx context.Context, c *bigtable.Client) ([]byte, error) {
	r := lib.NewRepo(c.Open("sessions"), "token") // want `write-time: .*"token"` `missing-filter: .*"token"`
	return r.Get(ctx, "k")
}

// Nor is it told at the calls of a function that makes one and reads by it.
func named(ctx context.Context, c *bigtable.Client, table string) ([]byte, error) {
	r := lib.NewRepo(c.Open(table), "code") // want `write-time: .*"code"` `missing-filter: .*"code"`
	return r.Get(ctx, "k")
}

func callsNamed(ctx context.Context, c *bigtable.Client) ([]byte, error) {
	return named(ctx, c, "otp")
}
