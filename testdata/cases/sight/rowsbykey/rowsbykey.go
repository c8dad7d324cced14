// Package rowsbykey looks up a row of a table of structs by a key that callers give: the
// table, the family and the function that makes the timestamp are of one row.
package rowsbykey

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

type sink struct {
	table, family string
	stamp         func() bigtable.Timestamp
}

func now() bigtable.Timestamp     { return bigtable.Now() }
func server() bigtable.Timestamp  { return bigtable.ServerTime }
func expires() bigtable.Timestamp { return bigtable.Time(time.Now().Add(15 * time.Minute)) }

var okSinks = map[string]sink{
	"login":   {"sessions", "token", expires},
	"avatar":  {"sessions", "profile", server},
	"about":   {"sessions", "profile", now},
	"holding": {"tickets", "ticket", expires},
}

func okRoute(ctx context.Context, c *bigtable.Client, kind, col string) error {
	s, ok := okSinks[kind]
	if !ok {
		return fmt.Errorf("no sink for %q", kind)
	}
	mut := bigtable.NewMutation()
	mut.Set(s.family, col, s.stamp(), nil)
	return c.Open(s.table).Apply(ctx, "k", mut)
}

func okConsume(ctx context.Context, c *bigtable.Client, kinds chan string) {
	for kind := range kinds {
		_ = okRoute(ctx, c, kind, "v")
	}
}

// One row is wrong, whoever asks for it by whatever key.
var sinks = map[string]sink{
	"login":   {"sessions", "token", expires},
	"avatar":  {"sessions", "profile", server},
	"holding": {"tickets", "ticket", now},
}

func Route(ctx context.Context, c *bigtable.Client, kind, col string) error {
	s, ok := sinks[kind]
	if !ok {
		return fmt.Errorf("no sink for %q", kind)
	}
	mut := bigtable.NewMutation()
	mut.Set(s.family, col, s.stamp(), nil)
	return c.Open(s.table).Apply(ctx, "k", mut)
}

func consume(ctx context.Context, c *bigtable.Client, kinds chan string) {
	for kind := range kinds {
		_ = Route(ctx, c, kind, "v") // want `write-time: .*"ticket" of table "tickets"`
	}
}

func ok(ctx context.Context, c *bigtable.Client) error {
	return Route(ctx, c, "login", "v")
}

func hold(ctx context.Context, c *bigtable.Client) error {
	return Route(ctx, c, "holding", "v") // want `write-time: .*"ticket" of table "tickets"`
}
