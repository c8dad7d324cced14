// Package lookedupobjects looks up by a name that is not known which object it asks for a
// table and what goes into it.
package lookedupobjects

import (
	"context"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

type loader interface {
	table() string
	load() *bigtable.Mutation
}

type old struct{}

func (old) table() string { return "cache" }

func (old) load() *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Time(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)), nil) // want `already-expired: .*"val" of table "cache"`
	return m
}

type plain struct{}

func (plain) table() string { return "wallets" }

func (plain) load() *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil)
	return m
}

func main() {
	ctx := context.Background()
	c, _ := bigtable.NewClient(ctx, "p", "i")
	l := map[string]loader{"old": old{}, "plain": plain{}}[os.Args[1]]
	c.Open(l.table()).Apply(ctx, "k", l.load())
}

// Each is right for the table of its own, and wrong for that of the other.
type numbered struct{}

func (numbered) table() string { return "history" }

func (numbered) load() *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Timestamp(7*1000), nil)
	return m
}

type expiring struct{}

func (expiring) table() string { return "cache" }

func (expiring) load() *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Time(time.Now().Add(10*time.Minute)), nil)
	return m
}

func okEach(ctx context.Context, c *bigtable.Client, name string) error {
	l, ok := map[string]loader{"numbered": numbered{}, "expiring": expiring{}}[name]
	if !ok {
		return nil
	}
	return c.Open(l.table()).Apply(ctx, "k", l.load())
}

// What others register may have any table.
var registered = map[string]loader{}

// Register adds one.
func Register(name string, l loader) { registered[name] = l }

type either struct{}

func (either) load() *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil)
	return m
}

func (either) table() string { return os.Getenv("TABLE") }

func okRegistered(ctx context.Context, c *bigtable.Client, name string) error {
	Register("either", either{})
	l := registered[name]
	return c.Open(l.table()).Apply(ctx, "k", l.load())
}
