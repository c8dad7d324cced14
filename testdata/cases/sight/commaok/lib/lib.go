// Package lib tells lifetimes with a second result that says whether there is one.
package lib

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A Kind is one of a few kinds of cells.
type Kind int

// The kinds.
const (
	Token Kind = iota
	Profile
)

// TTL is the lifetime of a kind, if it has one.
func (k Kind) TTL() (time.Duration, bool) {
	if k == Token {
		return 30 * time.Minute, true
	}
	return 0, false
}

// spec is what is known of a family.
type spec struct {
	ttl     time.Duration
	expires bool
}

func specOf(fam string) (*spec, bool) {
	switch fam {
	case "token":
		return &spec{30 * time.Minute, true}, true
	case "profile":
		return &spec{}, true
	}
	return nil, false
}

// Stamp is the timestamp for a kind.
func Stamp(k Kind) bigtable.Timestamp {
	d, ok := k.TTL()
	if !ok {
		return bigtable.ServerTime
	}
	return bigtable.Time(time.Now().Add(d))
}

// Put writes a cell of a family.
func Put(m *bigtable.Mutation, fam, col string) {
	if s, ok := specOf(fam); ok && s.expires {
		m.Set(fam, col, bigtable.Time(time.Now().Add(s.ttl)), nil)
		return
	}
	m.Set(fam, col, bigtable.Now(), nil)
}

// Wrong has it the other way round.
func Wrong(m *bigtable.Mutation, fam, col string) {
	if _, ok := specOf(fam); !ok {
		m.Set(fam, col, bigtable.Time(time.Now().Add(time.Hour)), nil)
		return
	}
	m.Set(fam, col, bigtable.ServerTime, nil)
}

// Live bounds what a kind's family may return.
func Live(k Kind, fam string) bigtable.Filter {
	f := bigtable.FamilyFilter(fam)
	if _, expires := k.TTL(); expires {
		f = bigtable.ChainFilters(f, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	return f
}
