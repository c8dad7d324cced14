// Package dal reads and writes through ports.
package dal

import (
	"context"
	"log"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Reader is a port.
type Reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
}

// A Writer is a port.
type Writer interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

// A Table is a port.
type Table interface {
	Reader
	Writer
}

// A Column is one column.
type Column struct{ Family, Name string }

// Get returns the column's value.
func (c Column) Get(r bigtable.Row) string {
	if len(r[c.Family]) == 0 {
		return ""
	}
	return string(r[c.Family][0].Value)
}

// Load reads one column.
func Load(ctx context.Context, r Reader, c Column, opts ...bigtable.ReadOption) string {
	row, err := r.ReadRow(ctx, "k", opts...)
	if err != nil {
		return ""
	}
	return c.Get(row)
}

// Save writes one column.
func Save(ctx context.Context, w Writer, c Column, at bigtable.Timestamp, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(c.Family, c.Name, at, v)
	return w.Apply(ctx, "k", m)
}

// A Putter puts.
type Putter interface {
	Put(ctx context.Context) error
}

// Stays puts what stays.
type Stays struct {
	W      Writer
	Family string
}

// Put writes.
func (s Stays) Put(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set(s.Family, "c", bigtable.ServerTime, nil)
	return s.W.Apply(ctx, "k", m)
}

// Logged logs what is put.
type Logged struct{ Putter }

// Put logs and puts.
func (l Logged) Put(ctx context.Context) error {
	log.Print("put")
	return l.Putter.Put(ctx)
}

// Timed is a writer that takes the time.
type Timed struct {
	Writer
	Took time.Duration
}

// NewTimed decorates a writer.
func NewTimed(w Writer) *Timed { return &Timed{Writer: w} }

// Apply applies.
func (t *Timed) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	defer func(start time.Time) { t.Took += time.Since(start) }(time.Now())
	return t.Writer.Apply(ctx, row, m, opts...)
}

// Plain embeds a table and adds nothing.
type Plain struct{ Table }

// NewPlain wraps a table.
func NewPlain(t Table) Plain { return Plain{t} }
