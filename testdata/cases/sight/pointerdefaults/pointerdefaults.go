// Package pointerdefaults has options whose fields are pointers: what a caller leaves out
// is set by a method to a value of its own, which hides nothing that a caller gives.
package pointerdefaults

import (
	"context"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

type Options struct{ TTL *time.Duration }

func ptr[T any](v T) *T { return &v }

func configured() time.Duration {
	d, err := time.ParseDuration(os.Getenv("TTL"))
	if err != nil {
		return 15 * time.Minute
	}
	return d
}

func (o Options) withDefaults() Options {
	if o.TTL == nil {
		o.TTL = ptr(configured())
	}
	return o
}

func Put(ctx context.Context, c *bigtable.Client, key string, o Options) error {
	o = o.withDefaults()
	mut := bigtable.NewMutation()
	mut.Set("ticket", "v", bigtable.Time(time.Now().Add(*o.TTL)), nil)
	return c.Open("tickets").Apply(ctx, key, mut)
}

func noStore(ctx context.Context, c *bigtable.Client) error {
	return Put(ctx, c, "k", Options{TTL: ptr(time.Duration(0))}) // want `write-time: .*"ticket"`
}

func okBriefly(ctx context.Context, c *bigtable.Client) error {
	return Put(ctx, c, "k", Options{TTL: ptr(2 * time.Second)})
}

func okDefault(ctx context.Context, c *bigtable.Client) error {
	return Put(ctx, c, "k", Options{})
}

// A default that is wrong is found where nothing else is given.
func PutNow(ctx context.Context, c *bigtable.Client, key string, ttl *time.Duration) error {
	if ttl == nil {
		ttl = ptr(time.Duration(0))
	}
	mut := bigtable.NewMutation()
	mut.Set("ticket", "v", bigtable.Time(time.Now().Add(*ttl)), nil)
	return c.Open("tickets").Apply(ctx, key, mut)
}

func left(ctx context.Context, c *bigtable.Client) error {
	return PutNow(ctx, c, "k", nil) // want `write-time: .*"ticket"`
}

func okGiven(ctx context.Context, c *bigtable.Client) error {
	return PutNow(ctx, c, "k", ptr(time.Minute))
}

// What a pointer points to may be changed by whoever has it, too.
func okExtended(ctx context.Context, c *bigtable.Client, key string, ttl *time.Duration) error {
	if ttl == nil {
		ttl = ptr(time.Duration(0))
	}
	extend(ttl)
	mut := bigtable.NewMutation()
	mut.Set("ticket", "v", bigtable.Time(time.Now().Add(*ttl)), nil)
	return c.Open("tickets").Apply(ctx, key, mut)
}

func extend(d *time.Duration) { *d = max(*d, time.Minute) }

func okLeft(ctx context.Context, c *bigtable.Client) error {
	return okExtended(ctx, c, "k", nil)
}
