// Package commaok: the second result that says whether the first counts (of a
// type assertion, of a helper) is not held together with it. Wrong findings.
package commaok

import (
	"time"

	"cloud.google.com/go/bigtable"
)

type kind int

const (
	kCap kind = iota
	kSeg
)

func (k kind) ttl() (time.Duration, bool) {
	switch k {
	case kCap:
		return time.Hour, true
	}
	return 0, false
}

func save(m *bigtable.Mutation, k kind, fam string) {
	ts := bigtable.Now()
	if d, ok := k.ttl(); ok {
		ts = bigtable.Time(time.Now().Add(d))
	}
	m.Set(fam, "x", ts, nil)
}

func saveElse(m *bigtable.Mutation, k kind, fam string) {
	d, ok := k.ttl()
	if !ok {
		m.Set(fam, "y", bigtable.ServerTime, nil)
		return
	}
	m.Set(fam, "y", bigtable.Time(time.Now().Add(d)), nil)
}

func filter(k kind, fam string) bigtable.Filter {
	f := bigtable.FamilyFilter(fam)
	if _, ok := k.ttl(); ok {
		return bigtable.ChainFilters(f, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	return f
}

type params map[string]any

func (p params) ts() bigtable.Timestamp {
	if d, ok := p["ttl"].(time.Duration); ok {
		return bigtable.Time(time.Now().Add(d))
	}
	return bigtable.ServerTime
}

func optional(v any) bigtable.Timestamp {
	if d, ok := v.(time.Duration); ok {
		return bigtable.Time(time.Now().Add(d))
	}
	return bigtable.ServerTime
}

func write(c *bigtable.Client, m *bigtable.Mutation) []bigtable.ReadOption {
	save(m, kCap, "cap")                                  // ok ttlwrite/write-time
	save(m, kSeg, "seg")                                  // ok ttlwrite/write-time
	save(m, kSeg, "cap")                                  // want ttlwrite/write-time
	saveElse(m, kCap, "cap")                              // ok ttlwrite/server-timestamp
	saveElse(m, kSeg, "seg")                              // ok ttlwrite/server-timestamp
	m.Set("cap", "p", params{"ttl": time.Hour}.ts(), nil) // ok ttlwrite/server-timestamp
	m.Set("cap", "q", optional(time.Hour), nil)           // ok ttlwrite/server-timestamp
	m.Set("cap", "r", optional("1h"), nil)                // want ttlwrite/server-timestamp
	return []bigtable.ReadOption{bigtable.RowFilter(filter(kCap, "cap"))}
}

var _ = write
