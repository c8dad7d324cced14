package manydefaults

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/manydefaults/lib"
)

// deps carries a configuration of another package.
type deps struct {
	admin *bigtable.AdminClient
	cfg   lib.Config
}

func step(d deps) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		return d.admin.SetGCPolicy(ctx, "clicks", "event", bigtable.MaxAgePolicy(d.cfg.TTL.Click))
	}
}

func abroad(ctx context.Context, admin *bigtable.AdminClient, mut *bigtable.Mutation) error {
	cfg, err := lib.Load()
	if err != nil {
		return err
	}
	mut.Set(cfg.Family, "v", bigtable.Time(time.Now().Add(cfg.TTL.Ticket)), nil)
	mut.Set(cfg.Family, "w", bigtable.Now(), nil) // want `write-time: .*"ticket"`
	if cfg.A == "" {
		mut.Set("ticket", "x", bigtable.Now(), nil) // want `write-time: .*"ticket"`
	}
	return step(deps{admin, *cfg})(ctx) // want `age-mismatch: .*"event"`
}

func okChosen(mut *bigtable.Mutation) {
	c := lib.Chosen()
	mut.Set(c.Family, "v", c.At, []byte(c.A+c.B))
}

func mixed(mut *bigtable.Mutation) {
	c := lib.Mixed()
	mut.Set(c.Family, "v", c.At, []byte(c.A+c.B)) // want `write-time: .*"token"`
}

func given(mut *bigtable.Mutation) {
	short, long := lib.For(0), lib.For(time.Minute)
	mut.Set("ticket", "v", bigtable.Time(time.Now().Add(short.TTL.Ticket)), nil) // want `write-time: .*"ticket"`
	mut.Set("ticket", "w", bigtable.Time(time.Now().Add(long.TTL.Ticket)), nil)
}
