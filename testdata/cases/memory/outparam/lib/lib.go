// Package lib stores what it makes by way of pointers that it is given.
package lib

import (
	"context"
	"errors"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Port opens tables.
type Port struct{ client *bigtable.Client }

func New(c *bigtable.Client) *Port { return &Port{c} }

func (p *Port) Open(name string, out **bigtable.Table) error {
	if name == "" {
		return errors.New("no name")
	}
	*out = p.client.Open(name)
	return nil
}

// Mount is Open by another function.
func (p *Port) Mount(name string, out **bigtable.Table) error { return p.Open(name, out) }

// A Status is how a call ended.
type Status int

// Attach is Open for those who want a status.
func (p *Port) Attach(name string, out **bigtable.Table) Status {
	if p.client == nil {
		return 1
	}
	*out = p.client.Open(name)
	return 0
}

func Filter(live bool, family string, out *bigtable.Filter) {
	if live {
		*out = bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
		return
	}
	*out = bigtable.FamilyFilter(family)
}

func First(row bigtable.Row, family string, out *bigtable.ReadItem) bool {
	for _, it := range row[family] {
		*out = it
		return true
	}
	return false
}

func Get(ctx context.Context, tbl *bigtable.Table, key string, out *bigtable.Row) error {
	row, err := tbl.ReadRow(ctx, key)
	if err != nil {
		return err
	}
	*out = row
	return nil
}

func Expiry(d time.Duration, out *bigtable.Timestamp) {
	*out = bigtable.Time(time.Now().Add(d))
}

// Ends tells the moment, if it is not there yet.
func Ends(d time.Duration, out *time.Time) {
	if out.IsZero() {
		*out = time.Now().Add(d)
	}
}

// Override stores a moment where the environment says so.
func Override(out *bigtable.Timestamp) {
	if os.Getenv("LATER") != "" {
		*out = bigtable.Time(time.Now().Add(time.Hour))
	}
}

// Parse stores what it reads.
func Parse(s string, out *bigtable.Timestamp) {
	for _, c := range s {
		*out = *out*10 + bigtable.Timestamp(c)
	}
}

// Call lets a function store what it will.
func Call(f func(*bigtable.Timestamp), out *bigtable.Timestamp) { f(out) }

func Names(table, family *string) { *table, *family = "sessions", "token" }

// Either stores by way of one of two.
func Either(first bool, a, b *bigtable.Timestamp) {
	out := a
	if !first {
		out = b
	}
	*out = bigtable.Time(time.Now().Add(time.Hour))
}

// A Write is what is written, and where.
type Write struct {
	Family string
	Stamp  bigtable.Timestamp
}

func Fill(d time.Duration, out *Write) { *out = Write{"token", bigtable.Time(time.Now().Add(d))} }

var last bigtable.Timestamp

// Keep keeps the address of what it is given, to which Renew stores.
func Keep(out *bigtable.Timestamp) { kept = out }

func Renew() { *kept = bigtable.Time(time.Now().Add(time.Hour)) }

var kept = &last

// Later stores once more when it returns.
func Later(out *bigtable.Timestamp) {
	defer Expiry(time.Hour, out)
	*out = bigtable.Now()
}
