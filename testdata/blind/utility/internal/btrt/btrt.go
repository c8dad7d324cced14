// Package btrt is what generated accessors and hand-written services share.
package btrt

import (
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// ErrNotFound is returned by services where a row or a live cell is missing.
var ErrNotFound = errors.New("not found")

// Wrap names the operation in an error.
func Wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("bigtable %s: %w", op, err)
}

// Expiry is the cell timestamp for a value that lives for d from now.
func Expiry(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d)) // ok ttlwrite/write-time
}

// Until is the cell timestamp for a value that lives until t.
func Until(t time.Time) bigtable.Timestamp { return bigtable.Time(t) } // ok ttlwrite/write-time

// Shifted is the cell timestamp for a value that lives for life in a family
// whose policy is def.
func Shifted(life, def time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(life - def)) // ok ttlwrite/wrong-base
}

// Seq is the cell timestamp of sequence number n.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) } // ok ttlwrite/unscaled-sequence

// Stamp is the cell timestamp of a measured instant.
func Stamp(t time.Time) bigtable.Timestamp {
	return bigtable.Timestamp(t.UnixMicro()) // ok ttlunit/wrong-unit
}

// Raw makes a timestamp of a number as it is.
func Raw(n int64) bigtable.Timestamp { return bigtable.Timestamp(n) } // ok ttlwrite/unscaled-sequence

// Live passes what has not expired, in a family of expiry timestamps.
func Live() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) // ok ttlread/expired-only
}

// Within passes what is younger than d.
func Within(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{}) // ok ttlread/wrong-bound
}

// Family restricts f to one family; a nil f passes all of it.
func Family(name string, f bigtable.Filter) bigtable.Filter {
	if f == nil {
		return bigtable.FamilyFilter(name)
	}
	return bigtable.ChainFilters(bigtable.FamilyFilter(name), f) // ok ttlunit/invalid-filter
}

// Filtered is RowFilter with a shorter name.
func Filtered(f bigtable.Filter) bigtable.ReadOption { return bigtable.RowFilter(f) }

// First gives the newest cell of a family's column.
func First(row bigtable.Row, family, column string) ([]byte, bool) {
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return it.Value, true
		}
	}
	return nil, false
}
