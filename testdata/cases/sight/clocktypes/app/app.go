// Package app gives the clocks.
package app

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clocktypes"
	"example.com/cases/sight/clocktypes/clock"
)

func open(c *bigtable.Client) *clocktypes.Store { return clocktypes.New(c, clock.System()) }

func named(c *bigtable.Client) *clocktypes.Named { return clocktypes.NewNamed(c, time.Now) }

func moment(c *bigtable.Client) *clocktypes.Moment {
	return clocktypes.NewMoment(c, time.Now) // want `write-time`
}

func later(c *bigtable.Client) *clocktypes.Moment {
	return clocktypes.NewMoment(c, func() time.Time { return time.Now().Add(time.Minute) })
}

func until(c *bigtable.Client) (*clocktypes.Until, *clocktypes.Until) {
	return clocktypes.NewUntil(c, clock.In(time.Minute)), clocktypes.NewUntil(c, clock.Never())
}

func tooLate(c *bigtable.Client) *clocktypes.Until {
	return clocktypes.NewUntil(c, time.Now) // want `write-time`
}

func sourced(m *bigtable.Mutation) {
	clocktypes.NewSourced(clock.SourceFunc(time.Now)).Put(m)
	clocktypes.NewSourced(clock.SourceFunc(func() time.Time { return time.Now().Add(time.Minute) })).Put(m)
}
