package bt

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Now is the current time as a timestamp.
func Now() bigtable.Timestamp { return bigtable.Now() }

// ExpiresIn is the timestamp of a cell that lives for d in a one-second family.
func ExpiresIn(d time.Duration) bigtable.Timestamp { return bigtable.Time(time.Now().Add(d)) }

// ExpiresAt is the timestamp of a cell that lives until t in a one-second family.
func ExpiresAt(t time.Time) bigtable.Timestamp { return bigtable.Time(t) }

// Shifted is the timestamp of a cell that lives for ttl in a family whose default is def.
func Shifted(ttl, def time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(ttl - def))
}

// Seq is the timestamp of sequence number n.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// Number is the sequence number of a timestamp.
func Number(ts bigtable.Timestamp) int64 { return int64(ts) / 1000 }

// Micros is n as a timestamp.
func Micros(n int64) bigtable.Timestamp { return bigtable.Timestamp(n) }

// InMillis is the timestamp for a moment that a partner gave in milliseconds.
func InMillis(ms int64) bigtable.Timestamp { return bigtable.Timestamp(ms * 1000) }

// All chains filters, as many as there are.
func All(filters ...bigtable.Filter) bigtable.Filter {
	switch len(filters) {
	case 0:
		return bigtable.PassAllFilter()
	case 1:
		return filters[0]
	}
	return bigtable.ChainFilters(filters...)
}

// Live passes what has not expired in one-second families.
func Live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

// LiveIn is Live for one family.
func LiveIn(family string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), Live())
}

// Within passes what is younger than d.
func Within(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

// WithinIn is Within for one family.
func WithinIn(family string, d time.Duration) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), Within(d))
}

// LatestIn passes the n latest versions of one family.
func LatestIn(family string, n int) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.LatestNFilter(n))
}

// Only restricts a read to a family, newest cell only.
func Only(family string) bigtable.ReadOption {
	return bigtable.RowFilter(LatestIn(family, 1))
}

// Window passes cells between two moments.
func Window(from, to time.Time) bigtable.Filter { return bigtable.TimestampRangeFilter(from, to) }
