// Package spec makes read options out of specifications.
package spec

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Spec says what is read.
type Spec struct {
	Family, Column string
	Latest         int
	MaxAge         time.Duration
	Live, Keys     bool
	Limit          int64
	Reversed       bool
}

// Options are the client's.
func (s *Spec) Options() []bigtable.ReadOption {
	fs := []bigtable.Filter{bigtable.FamilyFilter(s.Family)}
	if s.Column != "" {
		fs = append(fs, bigtable.ColumnFilter(s.Column))
	}
	if s.Live {
		fs = append(fs, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	if s.MaxAge > 0 {
		fs = append(fs, bigtable.TimestampRangeFilter(time.Now().Add(-s.MaxAge), time.Time{}))
	}
	if s.Latest > 0 {
		fs = append(fs, bigtable.LatestNFilter(s.Latest))
	}
	if s.Keys {
		fs = append(fs, bigtable.StripValueFilter())
	}
	f := fs[0]
	if len(fs) > 1 {
		f = bigtable.ChainFilters(fs...)
	}
	opts := []bigtable.ReadOption{bigtable.RowFilter(f)}
	if s.Limit > 0 {
		opts = append(opts, bigtable.LimitRows(s.Limit))
	}
	if s.Reversed {
		opts = append(opts, bigtable.ReverseScan())
	}
	return opts
}
