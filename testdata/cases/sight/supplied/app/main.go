// Command app gives its stores their tables.
package main

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type seen struct{ tbl *bigtable.Table }

func newSeen(c *bigtable.Client, name string) *seen { return &seen{tbl: c.Open(name)} }

func (s *seen) Known(ctx context.Context, id string) bool {
	row, _ := s.tbl.ReadRow(ctx, id) // want "read of one-second-expiration family .code. of table .otp."
	return len(row) > 0
}

// twice is given two tables, one of them with ordinary families only.
type twice struct{ tbl *bigtable.Table }

func newTwice(c *bigtable.Client, name string) *twice { return &twice{c.Open(name)} }

func (s *twice) Known(ctx context.Context, id string) bool {
	row, _ := s.tbl.ReadRow(ctx, id)
	return len(row) > 0
}

// Archive is given a table that nobody registered.
type Archive struct{ tbl *bigtable.Table }

// NewArchive is exported by a command, to nobody.
func NewArchive(t *bigtable.Table) *Archive { return &Archive{t} }

func (a *Archive) put(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("token", "t", bigtable.ServerTime, nil)
	return a.tbl.Apply(ctx, "k", m)
}

type server struct {
	seen *seen
	a, b *twice
	arch *Archive
}

func main() {
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, "p", "i")
	if err != nil {
		panic(err)
	}
	s := &server{newSeen(c, "otp"), newTwice(c, "metrics"), newTwice(c, "clicks"), NewArchive(c.Open("archive"))}
	s.serve(ctx)
}

func (s *server) serve(ctx context.Context) {
	println(s.seen.Known(ctx, "x"), s.a.Known(ctx, "x"))
	s.arch.put(ctx)
}
