// Package app wires stores.
package app

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clockwired/ports"
	"example.com/cases/sight/clockwired/store"
)

func main() {
	ctx := context.Background()
	c, _ := bigtable.NewClient(ctx, "p", "i")
	s := store.New(c, time.Now, store.WithClock(ports.System{}), store.WithTTL(time.Hour))
	_ = s.Put(ctx, "k")
	t := store.New(c, func() time.Time { return time.Now() }, store.WithTTL(time.Hour))
	_ = t.Put(ctx, "k")
}

// A family without lifetime.
func short(c *bigtable.Client) *store.Store {
	return store.New(c, time.Now) // want `write-time: .*"token"`
}

type service struct {
	s   *store.Store
	clk ports.Clock
}

func (s *service) write(m *bigtable.Mutation) {
	m.Set("token", "v", s.s.Expiry(), nil)   // want `write-time: .*"token"`
	store.Write(m, "token", s.clk)           // want `write-time: .*"token"`
	store.Write(m, "profile", s.clk)         //
	store.Write(m, "latest", ports.System{}) // want `clock-in-zero: .*"latest"`
}
