// Package app gives stores their clock.
package app

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/s2_clock/store"
)

func ProvideClock() store.Clock { return store.System }

func Provide(c *bigtable.Client, now store.Clock) *store.Store {
	return store.New(c.Open("sessions"), store.WithClock(now))
}

func Inject(c *bigtable.Client) *store.Store { return Provide(c, ProvideClock()) }

func Direct(c *bigtable.Client) *store.Store {
	return store.New(c.Open("sessions"), store.WithClock(time.Now))
}
