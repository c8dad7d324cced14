// Package givenstamps gives repositories of another package, which take the time from the
// context, functions that stamp and filter.
package givenstamps

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/givenstamps/kit"
	"example.com/cases/sight/givenstamps/stamps"
)

func live(now time.Time) bigtable.Filter { return bigtable.TimestampRangeFilter(now, time.Time{}) }

func newest(time.Time) bigtable.Filter { return bigtable.LatestNFilter(1) }

func server(time.Time) bigtable.Timestamp { return bigtable.ServerTime }

func hour(now time.Time) bigtable.Timestamp { return bigtable.Time(now.Add(time.Hour)) }

// Repos are used elsewhere.
type Repos struct{ Right, Wrong, Other, Ordinary, Lent, Written *kit.Repo }

func open(c *bigtable.Client) *Repos {
	tickets := c.Open("tickets")
	return &Repos{
		Right:    kit.NewRepo(tickets, kit.Config{Family: "ticket", Stamp: hour, Live: live}),
		Wrong:    kit.NewRepo(tickets, kit.Config{Family: "ticket", Stamp: server, Live: live}), // want `server-timestamp: .*"ticket"`
		Other:    kit.NewRepo(tickets, kit.Config{Family: "ticket", Stamp: hour, Live: newest}), // want `missing-filter: .*"ticket"`
		Ordinary: kit.NewRepo(c.Open("sessions"), kit.Config{Family: "profile", Stamp: server, Live: newest}),
		Lent:     kit.NewRepo(tickets, kit.Config{Family: "ticket", Stamp: stamps.After(time.Hour), Live: live}),
		Written:  kit.NewRepo(tickets, kit.Config{Family: "ticket", Stamp: stamps.Written(), Live: live}), // want `write-time: .*"ticket"`
	}
}

type store struct{ pins, codes, seals *kit.Repo }

// newStore is where the fault is, not the method that calls the repository.
func newStore(c *bigtable.Client) *store {
	tickets := c.Open("tickets")
	pins := kit.Config{Family: "ticket", Stamp: bigtable.Time, Live: live}
	codes := kit.Config{Family: "ticket", Stamp: hour, Live: live}
	return &store{
		pins:  kit.NewRepo(tickets, pins), // want `write-time: .*"ticket"`
		codes: kit.NewRepo(tickets, codes),
		seals: kit.NewRepo(tickets, kit.Config{Family: "ticket", Stamp: stamps.Written(), Live: live}), // want `write-time: .*"ticket"`
	}
}

func (s *store) setPin(ctx context.Context, pin string) error { return s.pins.Put(ctx, pin, nil) }

func (s *store) setSeal(ctx context.Context, seal string) error { return s.seals.Put(ctx, seal, nil) }

func (s *store) okCode(ctx context.Context, code string) error { return s.codes.Put(ctx, code, nil) }
