// Package prefixed opens tables by way of an interface of which it has a type.
package prefixed

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Whoever implements it says how names are made.
type Source interface {
	Open(table string) *bigtable.Table
	Close()
}

type staged struct{ c *bigtable.Client }

func (s staged) Open(table string) *bigtable.Table { return s.c.Open("cache") }
func (s staged) Close()                            {}

// New is why the interface is taken for a staged one: a type that its package does not use
// says nothing of what others give.
func New(c *bigtable.Client) Source { return staged{c} }

func viaSource(ctx context.Context, s Source) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil) // want `write-time`
	return s.Open("history").Apply(ctx, "k", m)
}
