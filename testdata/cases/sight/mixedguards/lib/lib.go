// Package lib writes cells with options of several types.
package lib

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A Policy is how long cells of a family live.
type Policy struct {
	TTL     time.Duration
	Expires bool
}

var policies = map[string]Policy{"token": {30 * time.Minute, true}, "profile": {}}

// For is the policy of a family, if it has one.
func For(fam string) (Policy, bool) {
	p, ok := policies[fam]
	return p, ok
}

// A Writer writes to a mutation.
type Writer struct {
	m   *bigtable.Mutation
	now func() time.Time
}

// New makes it.
func New(m *bigtable.Mutation) *Writer { return &Writer{m, time.Now} }

// Put writes a cell with options.
func (w *Writer) Put(fam, col string, opts ...any) {
	ts := bigtable.Now()
	p, ok := For(fam)
	if ok && p.Expires {
		ts = bigtable.Time(w.now().Add(p.TTL))
	}
	for _, o := range opts {
		switch o := o.(type) {
		case time.Duration:
			ts = bigtable.Time(w.now().Add(o))
		case time.Time:
			ts = bigtable.Time(o)
		case string:
			col += o
		}
	}
	w.m.Set(fam, col, ts, nil)
}

// PutOne writes a cell with one option.
func (w *Writer) PutOne(fam, col string, o any) {
	switch o := o.(type) {
	case time.Duration:
		w.m.Set(fam, col, bigtable.Time(w.now().Add(o)), nil)
	case time.Time:
		w.m.Set(fam, col, bigtable.Time(o), nil)
	default:
		w.m.Set(fam, col, bigtable.Now(), nil)
	}
}
