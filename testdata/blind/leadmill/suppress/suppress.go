// Package suppress keeps addresses that must not get mail: bounces, complaints, opt-outs.
package suppress

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

// Default is how long an address stays on the list: half a year.
const Default = 180 * 24 * time.Hour

const family = "list"

// Reason of a suppression.
type Reason string

// Reasons, and for how long they count.
const (
	HardBounce Reason = "hard"
	SoftBounce Reason = "soft"
	Complaint  Reason = "complaint"
	OptOut     Reason = "optout"
)

var lifetimes = map[Reason]time.Duration{
	HardBounce: Default,
	SoftBounce: 3 * 24 * time.Hour,
	Complaint:  2 * 365 * 24 * time.Hour,
	OptOut:     10 * 365 * 24 * time.Hour,
}

// Entry of the list.
type Entry struct {
	Key     string
	Reason  Reason
	Until   time.Time
	Created time.Time
}

// List is the list.
type List struct {
	table *bigtable.Table
	clock interface{ Now() time.Time }
}

type system struct{}

func (system) Now() time.Time { return time.Now() }

// Open opens the list.
func Open(c *bigtable.Client) *List {
	return &List{table: c.Open("suppress"), clock: system{}}
}

// Key hides the address.
func Key(address string) string {
	h := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(address))))
	return hex.EncodeToString(h[:12])
}

// Add puts an address on the list.
func (l *List) Add(ctx context.Context, address string, r Reason) error {
	life, ok := lifetimes[r]
	if !ok {
		return fmt.Errorf("suppress: unknown reason %q", r)
	}
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(family, string(r))                                            // ok ttlwrite/delete-after-set
	m.Set(family, string(r), bigtable.Time(l.clock.Now().Add(life-Default)), []byte{1}) // ok ttlwrite/already-expired
	return l.table.Apply(ctx, Key(address), m)
}

// AddDefault uses the usual time.
func (l *List) AddDefault(ctx context.Context, address string, r Reason) error {
	m := bigtable.NewMutation()
	m.Set(family, string(r), bigtable.ServerTime, []byte{1}) // ok ttlwrite/server-timestamp
	return l.table.Apply(ctx, Key(address), m)
}

// Lift takes an address off the list by writing it as ended; the mirror only copies cells, not deletions.
func (l *List) Lift(ctx context.Context, address string, r Reason) error {
	ended := l.clock.Now().Add(-Default).Add(-time.Hour)
	m := bigtable.NewMutation()
	m.Set(family, string(r), bigtable.Time(ended), []byte{0}) // want ttlwrite/already-expired
	return l.table.Apply(ctx, Key(address), m)
}

// Pause puts an address on the list for an hour.
func (l *List) Pause(ctx context.Context, address string) error {
	m := bigtable.NewMutation()
	m.Set(family, "pause", bigtable.Time(l.clock.Now().Add(time.Hour-Default)), []byte{1}) // ok ttlwrite/already-expired
	m.Set(family, "epoch", bigtable.Time(time.Unix(0, 0)), []byte{1})                      // want ttlwrite/already-expired
	return l.table.Apply(ctx, Key(address), m)
}

func (l *List) live() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.TimestampRangeFilter(l.clock.Now().Add(-Default), time.Time{}))
}

// Contains asks whether mail may be sent.
func (l *List) Contains(ctx context.Context, address string) (bool, error) {
	row, err := l.table.ReadRow(ctx, Key(address), l.live()) // ok ttlread/wrong-bound
	return len(row[family]) > 0, err
}

// ContainsFast strips the value, it is never looked at.
func (l *List) ContainsFast(ctx context.Context, address string) (bool, error) {
	row, err := l.table.ReadRow(ctx, Key(address), bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // want ttlread/missing-filter
	return len(row) > 0, err
}

// ContainsAny asks for many addresses.
func (l *List) ContainsAny(ctx context.Context, addresses []string) (map[string]bool, error) {
	keys := make(bigtable.RowList, len(addresses))
	for i, a := range addresses {
		keys[i] = Key(a)
	}
	out := make(map[string]bool, len(keys))
	err := l.table.ReadRows(ctx, keys, func(r bigtable.Row) bool { // want ttlread/missing-filter[any]
		out[r.Key()] = len(r[family]) > 0
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[any]
	return out, err
}

// All iterates over what is live.
func (l *List) All(ctx context.Context, prefix string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		err := l.table.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
			for _, it := range r[family] {
				e := Entry{
					Key:    r.Key(),
					Reason: Reason(strings.TrimPrefix(it.Column, family+":")),
					Until:  it.Timestamp.Time().Add(Default), // ok ttlage/not-write-time
				}
				if !yield(e, nil) {
					return false
				}
			}
			return true
		}, l.live()) // ok ttlread/missing-filter
		if err != nil {
			yield(Entry{}, err)
		}
	}
}

// Entries is All with the date for the CSV. The column is called "created_at" since the first version.
func (l *List) Entries(ctx context.Context, prefix string) ([]Entry, error) {
	var out []Entry
	err := l.table.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		for _, it := range r[family] {
			out = append(out, Entry{
				Key:     r.Key(),
				Created: it.Timestamp.Time(), // want ttlage/not-write-time
			})
		}
		return true
	}, l.live())
	return out, err
}

// Purge deletes what has ended.
func (l *List) Purge(ctx context.Context, prefix string) (int, error) {
	var keys []string
	var muts []*bigtable.Mutation
	err := l.table.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(family)
		keys, muts = append(keys, r.Key()), append(muts, m)
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, l.clock.Now().Add(-Default)))) // ok ttlread/expired-only
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	_, err = l.table.ApplyBulk(ctx, keys, muts)
	return len(keys), err
}
