// Package store opens its tables in constructors whose options, also those of other
// packages, may set any field that is exported.
package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Table is what a store reads and writes.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

// Store keeps sessions.
type Store struct {
	Table
	now func() time.Time
}

// An Option changes a store.
type Option func(*Store)

// WithNow gives it another clock.
func WithNow(f func() time.Time) Option { return func(s *Store) { s.now = f } }

// New opens one.
func New(c *bigtable.Client, opts ...Option) *Store {
	s := &Store{Table: c.Open("sessions"), now: time.Now}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Exists asks for a row.
func (s *Store) Exists(ctx context.Context, id string) (bool, error) {
	row, err := s.ReadRow(ctx, id, bigtable.RowFilter(bigtable.StripValueFilter())) // want `missing-filter: .*"token" of table "sessions"`
	return len(row) > 0, err
}

// Live asks for one that is alive.
func (s *Store) Live(ctx context.Context, id string) (bool, error) {
	row, err := s.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))))
	return len(row) > 0, err
}

// Touch writes one.
func (s *Store) Touch(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set("token", "t", bigtable.Now(), nil) // want `write-time: .*"token" of table "sessions"`
	return s.Apply(ctx, id, m)
}

// Keep writes one as it should be.
func (s *Store) Keep(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set("token", "t", bigtable.Time(s.now().Add(time.Hour)), nil)
	return s.Apply(ctx, id, m)
}

// Tickets has its table in a field of its own.
type Tickets struct {
	Tbl    *bigtable.Table
	Prefix string
}

// NewTickets opens one, with one function for all that there is to be set.
func NewTickets(c *bigtable.Client, tune func(*Tickets)) *Tickets {
	t := &Tickets{Tbl: c.Open("tickets")}
	if tune != nil {
		tune(t)
	}
	return t
}

// Get reads one.
func (t *Tickets) Get(ctx context.Context, id string) (bigtable.Row, error) {
	return t.Tbl.ReadRow(ctx, t.Prefix+id) // want `missing-filter: .*"ticket" of table "tickets"`
}

// Logs has a table that its options choose, beside one that they find.
type Logs struct {
	Tbl *bigtable.Table
}

// In makes logs be kept in a table.
func In(t *bigtable.Table) func(*Logs) { return func(l *Logs) { l.Tbl = t } }

// NewLogs has none unless it is told.
func NewLogs(opts ...func(*Logs)) *Logs {
	l := &Logs{}
	for _, o := range opts {
		o(l)
	}
	return l
}

// Add writes one.
func (l *Logs) Add(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set("token", "t", bigtable.Now(), nil) // want `write-time: .*"token" .table not known`
	return l.Tbl.Apply(ctx, id, m)
}

// Notes are kept in a table that is not registered, unless an option says otherwise.
type Notes struct{ Tbl *bigtable.Table }

// NewNotes opens it.
func NewNotes(c *bigtable.Client, opts ...func(*Notes)) *Notes {
	n := &Notes{Tbl: c.Open("notes")}
	for _, o := range opts {
		o(n)
	}
	return n
}

// Add writes one.
func (n *Notes) Add(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set("token", "t", bigtable.Now(), nil)
	return n.Tbl.Apply(ctx, id, m)
}

// Old counts those that are a day old.
func (n *Notes) Old(ctx context.Context) (old int, err error) {
	err = n.Tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["token"] {
			if time.Since(it.Timestamp.Time()) > 24*time.Hour {
				old++
			}
		}
		return true
	})
	return old, err
}
