// Package lib wraps the client. Nothing in it is wrong by itself: what its
// callers pass decides.
package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// NowTS returns the current time.
func NowTS() bigtable.Timestamp { return bigtable.Now() }

// Expiry returns the moment at which ttl will be over.
func Expiry(ttl time.Duration) bigtable.Timestamp { return bigtable.Time(time.Now().Add(ttl)) }

// ToTS cuts a time to milliseconds.
func ToTS(t time.Time) bigtable.Timestamp { return bigtable.Timestamp(t.UnixMilli()) * 1000 }

// Number scales a sequence number.
func Number(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// TokenFamily is the family of tokens.
const TokenFamily = "token"

// ProfileFamily is an ordinary family.
const ProfileFamily = "profile"

// Families lists them.
var Families = []string{ProfileFamily, TokenFamily}

// Put writes a value.
func Put(mut *bigtable.Mutation, family string, ts bigtable.Timestamp) {
	mut.Set(family, "value", ts, nil)
}

// PutNow writes a value with the current time.
func PutNow(mut *bigtable.Mutation, family string) { Put(mut, family, NowTS()) }

// PutOr writes with ts or, for zero, with the current time.
func PutOr(mut *bigtable.Mutation, family string, ts bigtable.Timestamp) {
	if ts == 0 {
		ts = bigtable.Now()
	}
	Put(mut, family, ts)
}

// PutGuarded replaces the server's timestamp.
func PutGuarded(mut *bigtable.Mutation, family string, ts bigtable.Timestamp) {
	if ts == bigtable.ServerTime {
		ts = Expiry(time.Hour)
	}
	Put(mut, family, ts)
}

// Bump increments a counter.
func Bump(rmw *bigtable.ReadModifyWrite, family string) { rmw.Increment(family, "n", 1) }

// Clear removes a column.
func Clear(mut *bigtable.Mutation, family, column string) { mut.DeleteCellsInColumn(family, column) }

// Token returns a mutation that writes a token.
func Token(ts bigtable.Timestamp) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set(TokenFamily, "jwt", ts, nil)
	return mut
}

// NowVal returns a mutation of a family whose meaning depends on the table.
func NowVal() *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set("val", "x", bigtable.Now(), nil)
	return mut
}

// Val is NowVal with a timestamp.
func Val(ts bigtable.Timestamp) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set("val", "x", ts, nil)
	return mut
}

// Live passes what has not expired.
func Live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

// Since passes what is not older than t.
func Since(t time.Time) bigtable.Filter { return bigtable.TimestampRangeFilter(t, time.Time{}) }

// ReadFilter passes expired cells on request.
func ReadFilter(expired bool) bigtable.Filter {
	if expired {
		return bigtable.PassAllFilter()
	}
	return Live()
}

// LiveOnly adds the live filter to options.
func LiveOnly(opts ...bigtable.ReadOption) []bigtable.ReadOption {
	return append(opts, bigtable.RowFilter(Live()))
}

// LatestOnly adds a limit of versions to options.
func LatestOnly(opts ...bigtable.ReadOption) []bigtable.ReadOption {
	return append(opts, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

// Read reads a row of a table.
func Read(ctx context.Context, tbl *bigtable.Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, key, opts...)
}

// A Store is a table with its settings.
type Store struct {
	tbl    *bigtable.Table
	family string
	ts     bigtable.Timestamp
}

// An Option changes a setting.
type Option func(*Store)

// WithFamily sets the family.
func WithFamily(family string) Option { return func(s *Store) { s.family = family } }

// WithTimestamp sets the timestamp of all writes.
func WithTimestamp(ts bigtable.Timestamp) Option { return func(s *Store) { s.ts = ts } }

// New opens a store.
func New(client *bigtable.Client, table string, opts ...Option) *Store {
	s := &Store{tbl: client.Open(table), family: ProfileFamily, ts: bigtable.ServerTime}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Table returns the table.
func (s *Store) Table() *bigtable.Table { return s.tbl }

// Put writes with the settings.
func (s *Store) Put(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set(s.family, "value", s.ts, nil)
	return s.tbl.Apply(ctx, key, mut)
}

// PutAt writes with a timestamp.
func (s *Store) PutAt(ctx context.Context, key, family string, ts bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	mut.Set(family, "value", ts, nil)
	return s.tbl.Apply(ctx, key, mut)
}

// Apply applies a mutation.
func (s *Store) Apply(ctx context.Context, key string, mut *bigtable.Mutation) error {
	return s.tbl.Apply(ctx, key, mut)
}

// Read reads with a filter.
func (s *Store) Read(ctx context.Context, key string, f bigtable.Filter) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
}

// ReadLive reads what is live and passes the filter.
func (s *Store) ReadLive(ctx context.Context, key string, f bigtable.Filter) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(Live(), f)))
}

// ReadWith reads with options.
func (s *Store) ReadWith(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, opts...)
}

// A Writer writes values.
type Writer interface {
	Write(mut *bigtable.Mutation, family string, ts bigtable.Timestamp)
}

// Direct is the only Writer.
type Direct struct{}

// Write writes a value.
func (Direct) Write(mut *bigtable.Mutation, family string, ts bigtable.Timestamp) {
	mut.Set(family, "value", ts, nil)
}

// NewWriter returns a Writer.
func NewWriter() Writer { return Direct{} }

// SetPolicy sets a policy.
func SetPolicy(ctx context.Context, ac *bigtable.AdminClient, table, family string, p bigtable.GCPolicy) error {
	return ac.SetGCPolicy(ctx, table, family, p)
}

// KeepFor is a policy.
func KeepFor(d time.Duration) bigtable.GCPolicy { return bigtable.MaxAgePolicy(d) }

// Tokens returns the tokens of a row.
func Tokens(row bigtable.Row) []bigtable.ReadItem { return row[TokenFamily] }
