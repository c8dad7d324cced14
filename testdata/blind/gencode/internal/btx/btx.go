// Package btx has the small Bigtable helpers every service shares.
package btx

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// NowTS is the current time as a cell timestamp.
func NowTS() bigtable.Timestamp { return bigtable.Now() }

// ExpireIn is the timestamp of a cell that expires d from now.
func ExpireIn(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d))
}

// Seq scales a sequence number.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// TS converts n as it is.
func TS(n int64) bigtable.Timestamp { return bigtable.Timestamp(n) }

// Shifted is the timestamp of a cell that lives ttl in a family that keeps
// cells for def.
func Shifted(ttl, def time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(ttl - def))
}

// Live passes cells whose timestamp lies in the future.
func Live() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

// Within passes cells written during the last d.
func Within(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

// In restricts f to one family.
func In(family string, f bigtable.Filter) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), f)
}

// Newest keeps n versions of every column.
func Newest(n int) bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.LatestNFilter(n))
}

// ReadFilter is what a read of an expiring or an ordinary family needs.
func ReadFilter(expiring bool) bigtable.Filter {
	if expiring {
		return Live()
	}
	return bigtable.LatestNFilter(1)
}

// LiveOptions puts the live filter before the caller's options.
func LiveOptions(extra ...bigtable.ReadOption) []bigtable.ReadOption {
	return append([]bigtable.ReadOption{bigtable.RowFilter(Live())}, extra...)
}

// Getter is the part of a table that Load needs.
type Getter interface {
	ReadRow(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error)
}

// Load reads one row with at most one filter.
func Load(ctx context.Context, t Getter, key string, f bigtable.Filter) (bigtable.Row, error) {
	if f == nil {
		return t.ReadRow(ctx, key)
	}
	return t.ReadRow(ctx, key, bigtable.RowFilter(f))
}
