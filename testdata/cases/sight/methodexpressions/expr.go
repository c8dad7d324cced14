// Package methodexpressions calls methods by expressions that stand for them.
package methodexpressions

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// S is a table with a clock.
type S struct {
	tbl *bigtable.Table
	now func() time.Time
}

// New returns a table.
func New(c *bigtable.Client) *S { return &S{tbl: c.Open("sessions"), now: time.Now} }

func (s *S) stamp() bigtable.Timestamp { return bigtable.Time(s.now()) }
func (s *S) until() bigtable.Timestamp { return bigtable.Time(s.now().Add(time.Hour)) }

var columns = []struct {
	family, name string
	at           func(*S) bigtable.Timestamp
}{
	{"token", "by", (*S).until},
	{"token", "since", (*S).stamp},
	{"profile", "since", (*S).stamp},
}

// Claim writes by a table.
func (s *S) Claim(ctx context.Context, k string) error {
	m := bigtable.NewMutation()
	for _, c := range columns {
		m.Set(c.family, c.name, c.at(s), nil) // want `write-time: .*"token"`
	}
	return s.tbl.Apply(ctx, k, m)
}

var right = []func(*S) bigtable.Timestamp{(*S).until, (*S).until}

var both = []func(*S) bigtable.Timestamp{(*S).until, (*S).stamp}

// Listed writes by lists.
func (s *S) Listed(ctx context.Context, k string) error {
	m := bigtable.NewMutation()
	m.Set("token", "a", both[1](s), nil) // want `write-time: .*"token"`
	for _, at := range right {
		m.Set("token", "b", at(s), nil)
	}
	return s.tbl.Apply(ctx, k, m)
}

// Outer has what S has, and a clock of its own.
type Outer struct {
	*S
}

func (o *Outer) stamp() bigtable.Timestamp { return bigtable.Time(o.now().Add(time.Hour)) }

var outer = []func(*Outer) bigtable.Timestamp{(*Outer).stamp, (*Outer).until}

// Promoted writes by what is S's.
func (o *Outer) Promoted(ctx context.Context, k string) error {
	m := bigtable.NewMutation()
	for _, at := range outer {
		m.Set("token", "c", at(o), nil)
	}
	return o.tbl.Apply(ctx, k, m)
}
