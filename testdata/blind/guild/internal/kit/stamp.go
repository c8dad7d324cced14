package kit

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Stamp chooses the timestamp of a cell that is about to be written. It is
// the writer's half of a family's strategy.
type Stamp func(ctx context.Context) bigtable.Timestamp

// Expires stamps cells with the moment ttl from now.
func Expires(ttl time.Duration) Stamp {
	return func(ctx context.Context) bigtable.Timestamp {
		return bigtable.Time(Now(ctx).Add(ttl))
	}
}

// Written stamps cells with the moment of the write.
func Written() Stamp {
	return func(ctx context.Context) bigtable.Timestamp {
		return bigtable.Time(Now(ctx))
	}
}

// Pinned stamps every cell with zero, so that a write replaces the one before.
func Pinned() Stamp {
	return func(context.Context) bigtable.Timestamp { return 0 }
}

// ServerSide leaves the choice to the server.
func ServerSide() Stamp {
	return func(context.Context) bigtable.Timestamp { return bigtable.ServerTime }
}

// Shifted stamps cells of a family whose default lifetime is def such that
// they live for ttl.
func Shifted(ttl, def time.Duration) Stamp {
	return func(ctx context.Context) bigtable.Timestamp {
		return bigtable.Time(Now(ctx).Add(ttl - def))
	}
}

// View chooses what a read sees of a family. It is the reader's half of a
// family's strategy.
type View func(ctx context.Context) bigtable.Filter

// Unexpired shows the cells whose timestamp lies ahead.
func Unexpired() View {
	return func(ctx context.Context) bigtable.Filter { return UnexpiredAt(Now(ctx)) }
}

// Within shows the cells of the last d.
func Within(d time.Duration) View {
	return func(ctx context.Context) bigtable.Filter { return FreshWithin(Now(ctx), d) }
}

// Newest shows the newest n cells of every column.
func Newest(n int) View {
	return func(context.Context) bigtable.Filter { return bigtable.LatestNFilter(n) }
}

// Everything shows all there is.
func Everything() View {
	return func(context.Context) bigtable.Filter { return bigtable.PassAllFilter() }
}

// UnexpiredAt passes cells whose timestamp is now or later.
func UnexpiredAt(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now, time.Time{})
}

// FreshWithin passes cells whose timestamp is at most d before now.
func FreshWithin(now time.Time, d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now.Add(-d), time.Time{})
}

// OfFamily restricts sub to one family. Without sub it passes the family
// whole.
func OfFamily(family string, sub ...bigtable.Filter) bigtable.Filter {
	if len(sub) == 0 {
		return bigtable.FamilyFilter(family)
	}
	return bigtable.ChainFilters(append([]bigtable.Filter{bigtable.FamilyFilter(family)}, sub...)...)
}

// Sequence returns the timestamp of a sequence number: numbers are kept in
// milliseconds, since Bigtable keeps no finer ones.
func Sequence(n int64) bigtable.Timestamp {
	return bigtable.Timestamp(n * 1000)
}

// SequenceOf returns the sequence number that a cell was written with.
func SequenceOf(item bigtable.ReadItem) int64 {
	return int64(item.Timestamp) / 1000
}
