// Package codecs is given what stamps its cells: an interface whose method is told what
// is written.
package codecs

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Codec stamps what is written.
type Codec interface {
	Stamp(v string) bigtable.Timestamp
}

// Cells are the cells of a table.
type Cells struct {
	table *bigtable.Table
	codec Codec
}

// New returns cells that a codec stamps.
func New(t *bigtable.Table, c Codec) *Cells { return &Cells{table: t, codec: c} }

// Store stores a value.
func (t *Cells) Store(ctx context.Context, row, v string) error {
	m := bigtable.NewMutation()
	m.Set("token", "json", t.codec.Stamp(v), []byte(v))
	return t.table.Apply(ctx, row, m)
}

type server struct{}

func (server) Stamp(string) bigtable.Timestamp { return bigtable.ServerTime }

type later struct{ ttl time.Duration }

func (l later) Stamp(string) bigtable.Timestamp { return bigtable.Time(time.Now().Add(l.ttl)) }

func here(ctx context.Context, t *bigtable.Table) error {
	c := New(t, server{}) // want `server-timestamp: .*"token"`
	return c.Store(ctx, "r", "x")
}

func okHere(ctx context.Context, t *bigtable.Table) error {
	return New(t, later{time.Hour}).Store(ctx, "r", "x")
}
