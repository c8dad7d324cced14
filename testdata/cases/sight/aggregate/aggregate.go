// Package aggregate stores aggregates that it is given, which count their
// versions.
package aggregate

import (
	"context"
	"encoding/binary"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/aggregate/domain"
)

type slot struct{ version int64 }

func (s *slot) advance() { s.version++ }

func (s slot) number() int64 { return s.version }

// scaled counts by thousands, timed is set to a time too.
type scaled struct{ version int64 }

func (s *scaled) advance() { s.version += 1000 }

type timed struct{ version int64 }

func (s *timed) advance() { s.version++ }
func (s *timed) touch()   { s.version = time.Now().UnixMicro() }

// decoded begins with what was read.
type decoded struct{ version int64 }

func decode(b []byte) *decoded { return &decoded{version: int64(binary.BigEndian.Uint64(b))} }

func (d *decoded) advance() { d.version++ }

type Store struct{ t *bigtable.Table }

func New(c *bigtable.Client) *Store { return &Store{c.Open("cash-ledger")} }

func (s *Store) Save(ctx context.Context, v slot, p *slot, d *decoded) error {
	m := bigtable.NewMutation()
	m.Set("entry", "a", bigtable.Timestamp(v.version), nil)  // want `unscaled-sequence: .*"entry"`
	m.Set("entry", "b", bigtable.Timestamp(p.version), nil)  // want `unscaled-sequence: .*"entry"`
	m.Set("entry", "c", bigtable.Timestamp(v.number()), nil) // want `unscaled-sequence: .*"entry"`
	m.Set("entry", "d", bigtable.Timestamp(d.version), nil)  // want `unscaled-sequence: .*"entry"`
	m.Set("entry", "e", bigtable.Timestamp(v.version*1000), nil)
	m.Set("entry", "f", bigtable.Timestamp(1000*v.number()), nil)
	return s.t.Apply(ctx, "r", m)
}

func (s *Store) OkSave(ctx context.Context, v scaled, w *timed) error {
	m := bigtable.NewMutation()
	m.Set("entry", "a", bigtable.Timestamp(v.version), nil)
	m.Set("entry", "b", bigtable.Timestamp(w.version), nil)
	return s.t.Apply(ctx, "r", m)
}

func (s *Store) SaveSlot(ctx context.Context, v *domain.Slot, o *domain.Order) error {
	m := bigtable.NewMutation()
	m.Set("entry", "a", bigtable.Timestamp(v.Version), nil)   // want `unscaled-sequence: .*"entry"`
	m.Set("entry", "b", bigtable.Timestamp(o.Version()), nil) // want `unscaled-sequence: .*"entry"`
	m.Set("entry", "c", bigtable.Timestamp(v.Version*1000), nil)
	m.Set("entry", "d", bigtable.Timestamp(o.Version()*1000), nil)
	return s.t.Apply(ctx, "r", m)
}

func (s *Store) OkSaveLedger(ctx context.Context, l *domain.Ledger, c domain.Clocked, p domain.Plain) error {
	m := bigtable.NewMutation()
	m.Set("entry", "a", bigtable.Timestamp(l.Version), nil)
	m.Set("entry", "b", bigtable.Timestamp(c.Version), nil)
	m.Set("entry", "c", bigtable.Timestamp(p.Version), nil)
	return s.t.Apply(ctx, "r", m)
}

// document is given a revision in another's place.
type document struct {
	rev   domain.Revision
	stamp domain.Stamp
	room  domain.Thousandth
}

func (d *document) change() {
	d.rev, d.stamp, d.room = d.rev.Next(), d.stamp.Next(), d.room.Next()
}

func (s *Store) SaveRevision(ctx context.Context, d *document) error {
	m := bigtable.NewMutation()
	m.Set("entry", "a", bigtable.Timestamp(d.rev.Number()), nil) // want `unscaled-sequence: .*"entry"`
	m.Set("entry", "b", bigtable.Timestamp(d.rev.Number()*1000), nil)
	m.Set("entry", "c", bigtable.Timestamp(d.stamp.Number()), nil)
	m.Set("entry", "d", bigtable.Timestamp(d.room.Number()), nil)
	return s.t.Apply(ctx, "r", m)
}

// stamp is given the number by functions that know the aggregate.
func stamp(m *bigtable.Mutation, version int64) {
	m.Set("entry", "s", bigtable.Timestamp(version), nil)
}

func (s *Store) SaveAll(ctx context.Context, slots []*domain.Slot) error {
	for _, v := range slots {
		m := bigtable.NewMutation()
		stamp(m, v.Version) // want `unscaled-sequence: .*"entry"`
		stamp(m, v.Version*1000)
		if err := s.t.Apply(ctx, v.ID, m); err != nil {
			return err
		}
	}
	return nil
}
