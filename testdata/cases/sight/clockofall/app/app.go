// Package app gives stores their clock.
package app

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clockofall/bt"
	"example.com/cases/sight/clockofall/far"
	"example.com/cases/sight/clockofall/store"
)

func ProvideClock() store.Clock { return store.System }

func Provide(c *bigtable.Client, now store.Clock) *store.Store {
	return store.New(c.Open("sessions"), store.WithClock(now))
}

func Inject(c *bigtable.Client) *store.Store { return Provide(c, ProvideClock()) }

func Direct(c *bigtable.Client) *store.Store {
	return store.New(c.Open("sessions"), store.WithClock(time.Now))
}

func ProvideFar(c *bigtable.Client, now bt.Clock) *far.Store {
	return far.New(c.Open("sessions"), far.WithClock(now))
}

func InjectFar(c *bigtable.Client) *far.Store { return ProvideFar(c, bt.System) }

func DirectFar(c *bigtable.Client) (*far.Store, *far.Cache) {
	return far.New(c.Open("sessions"), far.WithClock(bt.System)), far.NewCache(c.Open("sessions"))
}
