// Package wired fills structs of another package and hands them on.
package wired

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/ports/dal"
)

type store struct{ a dal.Putter }

func newStore(c *bigtable.Client) *store {
	return &store{a: dal.Logged{Putter: dal.Stays{W: c.Open("sessions"), Family: "token"}}}
}

func (s *store) put(ctx context.Context) error { return s.a.Put(ctx) } // want `server-timestamp`

func register(c *bigtable.Client, into map[string]dal.Putter) {
	into["token"] = &dal.Stays{W: c.Open("sessions"), Family: "token"} // not seen: server-timestamp
	into["profile"] = &dal.Stays{W: c.Open("sessions"), Family: "profile"}
}

func made(w dal.Writer, family string) dal.Putter { return dal.Stays{W: w, Family: family} }

func wire(c *bigtable.Client) []dal.Putter {
	return []dal.Putter{
		made(c.Open("sessions"), "token"), // not seen: server-timestamp
		made(c.Open("sessions"), "profile"),
	}
}
