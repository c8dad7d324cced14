package swap

import (
	"time"

	"cloud.google.com/go/bigtable"
)

var a, b = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)

func window(from, to time.Time) bigtable.Filter {
	if from.After(to) {
		from, to = to, from
	}
	return bigtable.TimestampRangeFilter(from, to)
}
func micros(from, to bigtable.Timestamp) bigtable.Filter {
	if from > to {
		from, to = to, from
	}
	return bigtable.TimestampRangeFilterMicros(from, to)
}

func F() []bigtable.Filter {
	return []bigtable.Filter{window(b, a), micros(2_000_000, 1_000_000)} // silent
}
