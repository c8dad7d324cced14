// Package record has an object with several methods that write, each with its own time.
package record

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Table is where records are written.
var Table *bigtable.Table

// A Record is written by one of its methods.
type Record struct {
	family string
	value  []byte
}

// New makes a Record.
func New(family string) *Record { return &Record{family: family} }

// Put sets the value.
func (r *Record) Put(value []byte) *Record {
	r.value = value
	return r
}

// Save writes the record with the time at which it is written.
func (r *Record) Save(ctx context.Context) error { return r.SaveAt(ctx, bigtable.Now()) }

// Flush does what Save does.
func (r *Record) Flush(ctx context.Context) error { return r.Save(ctx) }

// SaveAt writes the record with a time that is given.
func (r *Record) SaveAt(ctx context.Context, ts bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	mut.Set(r.family, "c", ts, r.value)
	return Table.Apply(ctx, "k", mut)
}

// Clone returns a copy.
func (r *Record) Clone() *Record { return &Record{family: r.family} }

// Later returns what saves the record.
func (r *Record) Later() func(context.Context) error {
	return func(ctx context.Context) error { return r.Save(ctx) }
}

// SaveAll writes all of them.
func SaveAll(ctx context.Context, records ...*Record) {
	for _, r := range records {
		_ = r.Save(ctx)
	}
}

// A Started is written by a goroutine that its maker starts.
type Started struct{ family string }

// Start makes a Started.
func Start(ctx context.Context, family string) *Started {
	s := &Started{family: family}
	go s.Save(ctx)
	return s
}

// Save writes it.
func (s *Started) Save(ctx context.Context) {
	mut := bigtable.NewMutation()
	mut.Set(s.family, "c", bigtable.Now(), nil)
	_ = Table.Apply(ctx, "k", mut)
}

// Stop does nothing.
func (s *Started) Stop() {}

func local(ctx context.Context, until time.Time) {
	a := New("token") // want `write-time: .*"token"`
	_ = a.Save(ctx)
	b := New("token")
	_ = b.SaveAt(ctx, bigtable.Time(until))
	c := New("token") // want `write-time: .*"token"`
	c.Put(nil)
	_ = c.Flush(ctx)
}
