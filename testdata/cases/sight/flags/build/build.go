// Package build makes read options of a spec.
package build

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A Query says what to read.
type Query struct {
	Families []string
	Family   string
	Column   string
	Versions int
	From, To time.Time
	Live     bool
	Keys     bool
	Limit    int64
	Reverse  bool
}

// Filter makes the filter of a query, nil where it wants everything.
func (q Query) Filter() bigtable.Filter {
	var fs []bigtable.Filter
	if q.Family != "" {
		fs = append(fs, bigtable.FamilyFilter("^"+q.Family+"$"))
	}
	if q.Column != "" {
		fs = append(fs, bigtable.ColumnFilter(q.Column))
	}
	if !q.From.IsZero() || !q.To.IsZero() {
		fs = append(fs, bigtable.TimestampRangeFilter(q.From, q.To))
	}
	if q.Live {
		fs = append(fs, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	if q.Versions > 0 {
		fs = append(fs, bigtable.LatestNFilter(q.Versions))
	}
	if q.Keys {
		fs = append(fs, bigtable.StripValueFilter())
	}
	switch len(fs) {
	case 0:
		return nil
	case 1:
		return fs[0]
	}
	return bigtable.ChainFilters(fs...)
}

// Options makes the options of a query.
func (q Query) Options() []bigtable.ReadOption {
	var opts []bigtable.ReadOption
	if f := q.Filter(); f != nil {
		opts = append(opts, bigtable.RowFilter(f))
	}
	if q.Limit > 0 {
		opts = append(opts, bigtable.LimitRows(q.Limit))
	}
	if q.Reverse {
		opts = append(opts, bigtable.ReverseScan())
	}
	return opts
}
