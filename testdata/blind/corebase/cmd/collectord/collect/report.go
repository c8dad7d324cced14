package collect

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// Reports reads events back. It has been around longer than the library, and
// half of it still uses the client.
type Reports struct {
	events *bigtable.Table
	lib    *btstore.Table
	zone   *time.Location
}

// NewReports makes the reports of a collector.
func NewReports(client *bigtable.Client, c *Collector) *Reports {
	return &Reports{events: client.Open("acme-events"), lib: c.events, zone: time.UTC}
}

// Kinds counts events by kind.
func (r *Reports) Kinds(ctx context.Context, user string) (map[string]int, error) {
	out := map[string]int{}
	err := r.events.ReadRows(ctx, bigtable.PrefixRange(user), func(row bigtable.Row) bool { // want ttlread/missing-filter[kinds]
		for _, it := range row["ev"] {
			var e Event
			if json.Unmarshal(it.Value, &e) == nil {
				out[e.Kind]++
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.ColumnFilter("body"))) // want ttlread/missing-filter[kinds]
	return out, err
}

// KindsLive counts those of the last week.
func (r *Reports) KindsLive(ctx context.Context, user string) (map[string]int, error) {
	out := map[string]int{}
	filter := bigtable.ChainFilters(
		bigtable.FamilyFilter("ev"),
		bigtable.ColumnFilter("body"),
		bigtable.TimestampRangeFilter(time.Now().Add(-week), time.Time{}),
	)
	err := r.events.ReadRows(ctx, bigtable.PrefixRange(user), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row["ev"] {
			var e Event
			if json.Unmarshal(it.Value, &e) == nil {
				out[e.Kind]++
			}
		}
		return true
	}, bigtable.RowFilter(filter))
	return out, err
}

// Feed writes the newest events of a user as lines.
func (r *Reports) Feed(ctx context.Context, w io.Writer, user string, n int64) error {
	out := csv.NewWriter(w)
	err := r.events.ReadRows(ctx, bigtable.PrefixRange(user), func(row bigtable.Row) bool { // want ttlread/missing-filter[feedread]
		for _, it := range row["ev"] {
			created := it.Timestamp.Time().In(r.zone)                                       // want ttlage/not-write-time[feed]
			if out.Write([]string{created.Format(time.RFC3339), string(it.Value)}) != nil { // want ttlage/not-write-time[feed]
				return false
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1)), bigtable.LimitRows(n)) // want ttlread/missing-filter[feedread]
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// Last finds the event that a user sent last.
func (r *Reports) Last(ctx context.Context, user string) (*Event, error) {
	var last *Event
	err := r.lib.Prefix(ctx, user, func(row bigtable.Row) bool { // ok ttlread/missing-filter
		v := btstore.Value(row, "ev", "body")
		var e Event
		if json.Unmarshal(v, &e) == nil {
			last = &e
		}
		return last == nil
	}, btstore.Backwards(), btstore.Limit(1), btstore.Where(ev.Live()))
	return last, err
}

// LastAny is Last without the filter, which made it so slow.
func (r *Reports) LastAny(ctx context.Context, user string) (*Event, error) {
	var last *Event
	err := r.lib.Prefix(ctx, user, func(row bigtable.Row) bool { // want ttlread/missing-filter
		v := btstore.Value(row, "ev", "body")
		var e Event
		if json.Unmarshal(v, &e) == nil {
			last = &e
		}
		return last == nil
	}, btstore.Backwards(), btstore.Limit(1))
	return last, err
}

// Range reads the events between two times, which are a query's.
func (r *Reports) Range(ctx context.Context, user string, from, to time.Time) ([]Event, error) {
	var out []Event
	opts := []btstore.ReadOpt{btstore.Where(ev.Live())}
	if !from.IsZero() {
		opts = append(opts, btstore.Where(bigtable.ColumnFilter("body")))
	}
	err := r.lib.Prefix(ctx, user, func(row bigtable.Row) bool { // ok ttlread/missing-filter
		var e Event
		if json.Unmarshal(btstore.Value(row, "ev", "body"), &e) == nil && !e.At.Before(from) && e.At.Before(to) {
			out = append(out, e)
		}
		return true
	}, opts...)
	return out, err
}

// Month reads thirty days of what lives for seven.
func (r *Reports) Month(ctx context.Context, user string) (int, error) {
	n := 0
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter("ev"),
		bigtable.TimestampRangeFilter(time.Now().AddDate(0, 0, -30), time.Time{}), // want ttlread/wrong-bound[month]
	)
	err := r.events.ReadRows(ctx, bigtable.PrefixRange(user), func(row bigtable.Row) bool { // want ttlread/wrong-bound[month]
		n += len(row["ev"])
		return true
	}, bigtable.RowFilter(f))
	return n, err
}

// Now reads the events that have yet to happen.
func (r *Reports) Now(ctx context.Context, user string) (int, error) {
	n := 0
	err := r.lib.Prefix(ctx, user, func(row bigtable.Row) bool { // want ttlread/wrong-bound[evnow]
		n += len(row["ev"])
		return true
	}, btstore.Where(btstore.LiveOnly("ev"))) // want ttlread/wrong-bound[evnow]
	return n, err
}

// Users lists who sent anything.
func (r *Reports) Users(ctx context.Context) ([]string, error) {
	users := map[string]bool{}
	err := r.events.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		if _, rest, ok := strings.Cut(row.Key(), "#"); ok {
			user, _, _ := strings.Cut(rest, "#")
			users[user] = true
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return slices.Sorted(maps.Keys(users)), err
}

// Overdue looks at each cell itself.
func (r *Reports) Overdue(ctx context.Context, user string) ([]string, error) {
	limit := bigtable.Time(time.Now().Add(-week))
	var out []string
	err := r.events.ReadRows(ctx, bigtable.PrefixRange(user), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row["ev"] {
			if it.Timestamp >= limit {
				out = append(out, string(it.Value))
			}
		}
		return true
	})
	return out, err
}

// cutTime keeps the cells of the last week; reports share it.
func (r *Reports) fresh(items []bigtable.ReadItem, now time.Time) []bigtable.ReadItem {
	return slices.DeleteFunc(items, func(it bigtable.ReadItem) bool {
		return it.Timestamp.Time().Before(now.Add(-week))
	})
}

// Top finds the users with the most events.
func (r *Reports) Top(ctx context.Context, n int) ([]string, error) {
	counts := map[string]int{}
	now := time.Now()
	err := r.events.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		counts[row.Key()] += len(r.fresh(row["ev"], now))
		return true
	})
	users := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	return users[:min(n, len(users))], err
}

// Both reads both families, each by its kind.
func (r *Reports) Both(ctx context.Context, key string) (bigtable.Row, error) {
	return r.lib.Get(ctx, key, btstore.Where(btstore.Live(ev, seen))) // ok ttlread/unfiltered-branch
}

// BothQuick reads both families, one of them as it is.
func (r *Reports) BothQuick(ctx context.Context, key string) (bigtable.Row, error) {
	return r.lib.Get(ctx, key, btstore.Where(btstore.AnyOf(ev.Live(), bigtable.FamilyFilter("seen")))) // want ttlread/unfiltered-branch
}

// Debug reads what trace wrote.
func (r *Reports) Debug(ctx context.Context, client *bigtable.Client, key string) (string, error) {
	row, err := client.Open(debugTable).ReadRow(ctx, key) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return string(btstore.Value(row, "ev", "body")), nil
}

// DebugTwice gives two filters, of which the client uses one.
func (r *Reports) DebugTwice(ctx context.Context, client *bigtable.Client, key string) (string, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.FamilyFilter("ev"))} // want ttlread/overridden-filter[debugtwice]
	opts = append(opts, bigtable.RowFilter(bigtable.LatestNFilter(1)))             // want ttlread/overridden-filter[debugtwice]
	row, err := client.Open(debugTable).ReadRow(ctx, key, opts...)                 // want ttlread/overridden-filter[debugtwice]
	if err != nil {
		return "", err
	}
	return string(btstore.Value(row, "ev", "body")), nil
}

// DebugChain gives one.
func (r *Reports) DebugChain(ctx context.Context, client *bigtable.Client, key string) (string, error) {
	row, err := btstore.Wrap(debugTable, client.Open(debugTable)).Get(ctx, key, // ok ttlread/overridden-filter
		btstore.Where(bigtable.FamilyFilter("ev")),
		btstore.Where(bigtable.LatestNFilter(1)),
	)
	if err != nil {
		return "", err
	}
	return string(btstore.Value(row, "ev", "body")), nil
}

// DebugAlone interleaves one filter with nothing.
func (r *Reports) DebugAlone(ctx context.Context, client *bigtable.Client, key string) (int, error) {
	row, err := client.Open(debugTable).ReadRow(ctx, key, bigtable.RowFilter(bigtable.InterleaveFilters(bigtable.FamilyFilter("ev")))) // want ttlunit/invalid-filter
	return len(row), err
}

// DebugAny leaves it to the library to see that there is one.
func (r *Reports) DebugAny(ctx context.Context, client *bigtable.Client, key string) (int, error) {
	row, err := client.Open(debugTable).ReadRow(ctx, key, bigtable.RowFilter(btstore.AnyOf(bigtable.FamilyFilter("ev")))) // ok ttlunit/invalid-filter
	return len(row), err
}
