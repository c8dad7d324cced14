// Package fakes is right in production.
package fakes

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

type clock func() time.Time

// Tokens keeps tokens until they expire.
type Tokens struct {
	tbl table
	now clock
	ttl time.Duration
}

// New is what production calls.
func New(c *bigtable.Client) *Tokens { return newTokens(c.Open("sessions"), time.Now, time.Hour) }

func newTokens(tbl table, now clock, ttl time.Duration) *Tokens {
	return &Tokens{tbl: tbl, now: now, ttl: ttl}
}

// Put stores a token.
func (t *Tokens) Put(ctx context.Context, key string, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", bigtable.Time(t.now().Add(t.ttl)), v)
	return t.tbl.Apply(ctx, key, mut)
}

// Get reads a token that lives.
func (t *Tokens) Get(ctx context.Context, key string) (bigtable.Row, error) {
	return t.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(t.now(), time.Time{}))))
}

// Raw reads what the caller asks for.
func Raw(ctx context.Context, tbl table, key string, f bigtable.Filter) ([]bigtable.ReadItem, error) {
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
	return row["token"], err
}

// PutAt stores a token that expires some time after now.
func PutAt(ctx context.Context, tbl table, key string, now time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", bigtable.Time(now.Add(time.Hour)), nil)
	return tbl.Apply(ctx, key, mut)
}

func expiry(now time.Time, ttl time.Duration) bigtable.Timestamp { return bigtable.Time(now.Add(ttl)) }

// PutExpiry stores what a function says.
func PutExpiry(ctx context.Context, tbl *bigtable.Table, key string, ts bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", ts, nil)
	return tbl.Apply(ctx, key, mut)
}

// NewWith is what tests call.
func NewWith(tbl table, now func() time.Time) *Tokens { return newTokens(tbl, now, time.Hour) }
