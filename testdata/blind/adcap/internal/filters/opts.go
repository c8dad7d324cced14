package filters

import (
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/schema"
)

// ReadOpt is the functional option of 2024.
type ReadOpt func(*readConfig)

type readConfig struct {
	filter bigtable.Filter
	limit  int64
}

// WithLive bounds the one-second families.
func WithLive(now time.Time) ReadOpt {
	return func(c *readConfig) { c.filter = Live(now) }
}

// WithFamily only restricts the family.
func WithFamily(name string) ReadOpt {
	return func(c *readConfig) { c.filter = bigtable.FamilyFilter(name) }
}

// WithLimit limits the rows.
func WithLimit(n int64) ReadOpt {
	return func(c *readConfig) { c.limit = n }
}

// Options turns the functional options into the client's.
func Options(opts ...ReadOpt) []bigtable.ReadOption {
	var c readConfig
	for _, o := range opts {
		o(&c)
	}
	var out []bigtable.ReadOption
	if c.filter != nil {
		out = append(out, bigtable.RowFilter(c.filter))
	}
	if c.limit > 0 {
		out = append(out, bigtable.LimitRows(c.limit))
	}
	return out
}

// Consent is the whole consent row.
func Consent(now time.Time) bigtable.Filter {
	return bigtable.InterleaveFilters(
		LiveFamily(schema.FamGrant, now),
		Versions(schema.FamRev, 1),
		bigtable.FamilyFilter(schema.FamCur),
		bigtable.FamilyFilter(schema.FamMeta),
	)
}

// CapOrAll reads the caps live, or with the debug flag everything.
func CapOrAll(debug bool, now time.Time) bigtable.ReadOption {
	if debug {
		return bigtable.RowFilter(bigtable.FamilyFilter(schema.FamCap))
	}
	return bigtable.RowFilter(LiveFamily(schema.FamCap, now))
}
