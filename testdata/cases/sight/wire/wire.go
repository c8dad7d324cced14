// Package wire puts a service together out of providers: the table goes through
// decorators that are given as functions.
package wire

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

type logged struct {
	table
	log func(string)
}

func (l logged) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	l.log(row)
	return l.table.Apply(ctx, row, m, opts...)
}

type timed struct {
	next    table
	timeout time.Duration
}

func (t *timed) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	return t.next.ReadRow(ctx, row, opts...)
}

func (t *timed) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	return t.next.Apply(ctx, row, m, opts...)
}

type decorator func(table) table

func withLog(log func(string)) decorator { return func(t table) table { return logged{t, log} } }

func withTimeout(d time.Duration) decorator { return func(t table) table { return &timed{t, d} } }

func decorate(t table, ds ...decorator) table {
	for _, d := range ds {
		t = d(t)
	}
	return t
}

type base struct {
	tbl    table
	before []func(m *bigtable.Mutation)
}

type sessions struct {
	*base
	ttl time.Duration
}

// ProvideTable provides the table.
func ProvideTable(c *bigtable.Client, log func(string)) table {
	return decorate(c.Open("sessions"), withTimeout(time.Second), withLog(log))
}

// ProvideBase provides the base.
func ProvideBase(t table) *base { return &base{tbl: t} }

// ProvideSessions provides the service.
func ProvideSessions(b *base, ttl time.Duration) *sessions { return &sessions{base: b, ttl: ttl} }

// Initialize puts it together.
func Initialize(c *bigtable.Client, log func(string)) *sessions {
	t := ProvideTable(c, log)
	b := ProvideBase(t)
	return ProvideSessions(b, 30*time.Minute)
}

func (s *sessions) Dump(ctx context.Context, id string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, id) // want `missing-filter: .*"token" of table "sessions"`
}

func (b *base) read(ctx context.Context, key string, fs ...bigtable.Filter) (bigtable.Row, error) {
	switch len(fs) {
	case 0:
		return b.tbl.ReadRow(ctx, key)
	case 1:
		return b.tbl.ReadRow(ctx, key, bigtable.RowFilter(fs[0]))
	}
	return b.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(fs...)))
}

func (s *sessions) whole(ctx context.Context, key string) (bigtable.Row, error) {
	return s.read(ctx, key) // want `missing-filter: .*"token" of table "sessions"`
}

func (s *sessions) family(ctx context.Context, key string) (bigtable.Row, error) {
	return s.read(ctx, key, bigtable.FamilyFilter("token")) // want `missing-filter: .*"token" of table "sessions"`
}

func (s *sessions) live(ctx context.Context, key string) (bigtable.Row, error) {
	return s.read(ctx, key, bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
}
