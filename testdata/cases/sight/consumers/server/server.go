// Package server puts services and stores together.
package server

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/consumers/api"
	"example.com/cases/sight/consumers/ports"
	"example.com/cases/sight/consumers/service"
	"example.com/cases/sight/consumers/store"
	"example.com/cases/sight/consumers/user"
	"example.com/cases/sight/consumers/wire"
)

func made(ctx context.Context, c *bigtable.Client) {
	s := store.New(c)
	svc := service.New(s) // want `write-time: .*"token" of table "sessions"`
	_ = svc.Login(ctx, "a")
	_ = svc.Login(ctx, "b")
	_ = service.New(store.NewFake()).Login(ctx, "a")
	_ = service.New(store.NewDates(c)).Login(ctx, "a")
	right := service.NewRight(s)
	_ = right.Login(ctx, "a")
	_ = right.Renew(ctx, "a")

	r := &service.Renewer{Sessions: s}
	_ = r.Renew(ctx, "a") // want `write-time: .*"token" of table "sessions"`
	f := &service.Renewer{Sessions: store.NewFake()}
	_ = f.Renew(ctx, "a")

	_ = service.NewNamed(s) // want `write-time: .*"token" of table "sessions"`
	_ = service.NewNamed(store.NewFake())
	_ = service.NewDated(s)

	_ = service.Ended(ctx, s, "a") // want `already-expired: .*"token" of table "sessions"`
	_ = service.Ended(ctx, store.NewFake(), "a")

	_ = service.NewSwitched(s, true) // want `write-time: .*"token" of table "sessions"`
	_ = service.NewSwitched(s, false)
}

// The object of one call is told there, also where it may fail.
func tried(ctx context.Context, c *bigtable.Client) error {
	svc, err := service.Try(store.New(c)) // want `write-time: .*"token" of table "sessions"`
	if err != nil {
		return err
	}
	return svc.Login(ctx, "a")
}

// either may be the one or the other.
func either(ctx context.Context, c *bigtable.Client, demo bool) {
	var s service.Sessions = store.New(c)
	if demo {
		s = store.NewFake()
	}
	_ = s.Lock(ctx, "a", time.Now())   // want `write-time: .*"token" of table "sessions"`
	_ = service.New(s).Login(ctx, "a") // want `write-time: .*"token" of table "sessions"`
}

func served(c *bigtable.Client) []any {
	s := store.New(c)
	return []any{
		api.New(service.NewRight(s)), // want `write-time: .*"token" of table "sessions"`
		api.New(service.NewRight(store.NewFake())),
		api.NewDirect(service.NewRight(s)), // want `write-time: .*"token" of table "sessions"`
		api.NewDirect(service.NewRight(store.NewFake())),
		api.NewLater(service.NewRight(s)),
	}
}

// What another package has put together is told there.
func wired(ctx context.Context, c *bigtable.Client) {
	_ = wire.Service(c).Login(ctx, "a")
	_ = wire.Right(c).Login(ctx, "a")
}

// What is known by the interface alone is told where it is called.
func known(ctx context.Context, c *bigtable.Client) {
	u := user.New(ports.New(c))
	_ = u.Lock(ctx, "a")
}
