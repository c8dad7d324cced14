// Package dedup remembers ids for a window. The cells of family seen carry the
// moment at which they expire; the family is collected after a second.
package dedup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/conf"
	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/schema"
)

const colID = "id"

// Filter is the window.
type Filter struct {
	tbl    bigtable.TableAPI
	window time.Duration
	now    func() time.Time
	log    *slog.Logger
	strict bool
}

// Option changes a Filter.
type Option func(*Filter)

// WithWindow replaces the window.
func WithWindow(d time.Duration) Option { return func(f *Filter) { f.window = d } }

// WithClock replaces time.Now.
func WithClock(now func() time.Time) Option { return func(f *Filter) { f.now = now } }

// New opens the table.
func New(client *bigtable.Client, cfg conf.Dedup, log *slog.Logger, opts ...Option) *Filter {
	f := &Filter{tbl: client.OpenTable(schema.TableDedup), window: cfg.Window, now: time.Now, log: log, strict: cfg.Strict}
	for _, o := range opts {
		o(f)
	}
	return f
}

func rowKey(source, id string) string { return etl.Salted(etl.Key(source, id), 32) }

// live is the filter of every read here.
func (f *Filter) live() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamSeen),
		bigtable.TimestampRangeFilter(f.now(), time.Time{}),
	)
}

// Seen says whether id was marked inside the window.
func (f *Filter) Seen(ctx context.Context, source, id string) (bool, error) {
	row, err := f.tbl.ReadRow(ctx, rowKey(source, id), bigtable.RowFilter(f.live())) // ok ttlread/missing-filter
	if err != nil {
		return false, fmt.Errorf("dedup: %w", err)
	}
	return len(row[schema.FamSeen]) > 0, nil
}

// SeenFast leaves the filter out; it was a millisecond faster in the benchmark.
func (f *Filter) SeenFast(ctx context.Context, source, id string) (bool, error) {
	row, err := f.tbl.ReadRow(ctx, rowKey(source, id)) // want ttlread/missing-filter
	return len(row) > 0, err
}

// SeenLatest believes that the newest cell is a live one.
func (f *Filter) SeenLatest(ctx context.Context, source, id string) (bool, error) {
	row, err := f.tbl.ReadRow(ctx, rowKey(source, id), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[schema.FamSeen]) == 1, nil
}

// SeenWithin asks for marks of the last window, as if they were write times.
func (f *Filter) SeenWithin(ctx context.Context, source, id string) (bool, error) {
	since := time.Now().Add(-schema.SeenTTL)
	row, err := f.tbl.ReadRow(ctx, rowKey(source, id), bigtable.RowFilter(bigtable.TimestampRangeFilter(since, time.Time{}))) // want ttlread/wrong-bound
	if err != nil {
		return false, err
	}
	return len(row[schema.FamSeen]) > 0, nil
}

// SeenChecked reads everything and looks at the expiry itself.
func (f *Filter) SeenChecked(ctx context.Context, source, id string) (bool, error) {
	row, err := f.tbl.ReadRow(ctx, rowKey(source, id)) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	for _, it := range row[schema.FamSeen] {
		if it.Timestamp.Time().After(f.now()) {
			return true, nil
		}
	}
	return false, nil
}

// SeenBoth gives two filters; the author thought that they add up.
func (f *Filter) SeenBoth(ctx context.Context, source, id string) (bool, error) {
	row, err := f.tbl.ReadRow(ctx, rowKey(source, id), bigtable.RowFilter(f.live()), bigtable.RowFilter(bigtable.StripValueFilter())) // want ttlread/overridden-filter // maybe ttlread/missing-filter
	return len(row) > 0, err
}

// Mark remembers id for the window.
func (f *Filter) Mark(ctx context.Context, source, id string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSeen, colID, bigtable.Time(f.now().Add(f.window)), []byte(source)) // ok ttlwrite/write-time
	return f.tbl.Apply(ctx, rowKey(source, id), m)
}

// MarkUntil remembers id until t.
func (f *Filter) MarkUntil(ctx context.Context, source, id string, t time.Time) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSeen, colID, bigtable.Time(t), []byte(source)) // ok ttlwrite/write-time
	return f.tbl.Apply(ctx, rowKey(source, id), m)
}

// MarkBulk remembers many ids.
func (f *Filter) MarkBulk(ctx context.Context, source string, ids []string) error {
	until := bigtable.Time(f.now().Add(f.window))
	keys := make([]string, len(ids))
	muts := make([]*bigtable.Mutation, len(ids))
	for i, id := range ids {
		m := bigtable.NewMutation()
		m.Set(schema.FamSeen, colID, until, []byte(source)) // ok ttlwrite/same-timestamp
		keys[i], muts[i] = rowKey(source, id), m
	}
	errs, err := f.tbl.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

// MarkBatch is the variant of the nightly importer, from before MarkBulk.
func (f *Filter) MarkBatch(ctx context.Context, source string, ids []string) error {
	var (
		keys []string
		muts []*bigtable.Mutation
		now  = bigtable.Now()
	)
	for _, id := range ids {
		m := bigtable.NewMutation()
		m.Set(schema.FamSeen, colID, now, []byte(source)) // want ttlwrite/write-time
		keys = append(keys, rowKey(source, id))
		muts = append(muts, m)
	}
	errs, err := f.tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return err
	}
	return errors.Join(errs...)
}

// MarkTest is called by the smoke test in production.
func (f *Filter) MarkTest(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSeen, colID, bigtable.ServerTime, []byte("smoke")) // want ttlwrite/server-timestamp
	return f.tbl.Apply(ctx, rowKey("smoke", id), m)
}

// Forget lets id through again.
func (f *Filter) Forget(ctx context.Context, source, id string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamSeen, colID)
	return f.tbl.Apply(ctx, rowKey(source, id), m)
}

// ForgetSoft lets it through by a mark of the past, which does not help: the
// live mark has the later timestamp.
func (f *Filter) ForgetSoft(ctx context.Context, source, id string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSeen, colID, 0, nil) // want ttlwrite/already-expired
	return f.tbl.Apply(ctx, rowKey(source, id), m)
}

// ForgetEarly does the same with a minute ago.
func (f *Filter) ForgetEarly(ctx context.Context, source, id string) error {
	past := time.Now().Add(-time.Minute)
	m := bigtable.NewMutation()
	m.Set(schema.FamSeen, colID, bigtable.Time(past), nil) // want ttlwrite/already-expired
	return f.tbl.Apply(ctx, rowKey(source, id), m)
}

// Once marks id unless it is marked, in one call.
func (f *Filter) Once(ctx context.Context, source, id string) (first bool, err error) {
	mark := bigtable.NewMutation()
	mark.DeleteCellsInColumn(schema.FamSeen, colID)
	mark.Set(schema.FamSeen, colID, bigtable.Time(f.now().Add(f.window)), []byte(source))
	var was bool
	err = f.tbl.Apply(ctx, rowKey(source, id), bigtable.NewCondMutation(f.live(), nil, mark), bigtable.GetCondMutationResult(&was)) // ok ttlread/conditional-mutation
	return !was, err
}

// OnceAny takes any cell for a mark, also one that expired yesterday.
func (f *Filter) OnceAny(ctx context.Context, source, id string) (first bool, err error) {
	mark := bigtable.NewMutation()
	mark.Set(schema.FamSeen, colID, bigtable.Time(f.now().Add(f.window)), []byte(source))
	var was bool
	cond := bigtable.NewCondMutation(bigtable.PassAllFilter(), nil, mark) // want ttlread/conditional-mutation
	err = f.tbl.Apply(ctx, rowKey(source, id), cond, bigtable.GetCondMutationResult(&was))
	return !was, err
}

// OnceColumn is the same with a column filter.
func (f *Filter) OnceColumn(ctx context.Context, source, id string) (bool, error) {
	mark := bigtable.NewMutation()
	mark.Set(schema.FamSeen, colID, etl.ExpiresIn(schema.SeenTTL), []byte(source))
	var was bool
	err := f.tbl.Apply(ctx, rowKey(source, id), bigtable.NewCondMutation(bigtable.ColumnFilter(colID), nil, mark), bigtable.GetCondMutationResult(&was)) // want ttlread/conditional-mutation
	return !was, err
}

// Hits counts how often an id came.
func (f *Filter) Hits(ctx context.Context, source, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(schema.FamSeen, "hits", []byte("x")) // want ttlwrite/read-modify-write
	_, err := f.tbl.ApplyReadModifyWrite(ctx, rowKey(source, id), rmw)
	return err
}

// Remaining is how long id stays marked.
func (f *Filter) Remaining(ctx context.Context, source, id string) (time.Duration, error) {
	row, err := f.tbl.ReadRow(ctx, rowKey(source, id), bigtable.RowFilter(f.live()))
	if err != nil || len(row[schema.FamSeen]) == 0 {
		return 0, err
	}
	return row[schema.FamSeen][0].Timestamp.Time().Sub(f.now()), nil // ok ttlage/not-write-time
}

// MarkedAgo wants to know when id came first.
func (f *Filter) MarkedAgo(ctx context.Context, source, id string) (time.Duration, error) {
	row, err := f.tbl.ReadRow(ctx, rowKey(source, id), bigtable.RowFilter(f.live()))
	if err != nil || len(row[schema.FamSeen]) == 0 {
		return 0, err
	}
	marked := row[schema.FamSeen][0].Timestamp.Time()
	return f.now().Sub(marked), nil // want ttlage/not-write-time
}

// Sweep rewrites marks whose source moved. Marks keep their expiry.
func (f *Filter) Sweep(ctx context.Context, from, to string) (int, error) {
	n := 0
	batch := etl.NewBatcher(f.tbl, 0, f.log)
	var failed error
	err := f.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamSeen] {
			if string(it.Value) != from {
				continue
			}
			m := bigtable.NewMutation()
			m.Set(schema.FamSeen, colID, it.Timestamp, []byte(to)) // ok ttlwrite/write-time
			if failed = batch.Add(ctx, row.Key(), m); failed != nil {
				return false
			}
			n++
		}
		return true
	}, bigtable.RowFilter(f.live())) // ok ttlread/missing-filter
	if err := errors.Join(err, failed); err != nil {
		return n, err
	}
	return n, batch.Flush(ctx)
}

// Count counts marks for the dashboard; up to an hour ahead, as it does not
// show later ones.
func (f *Filter) Count(ctx context.Context) (map[string]int, error) {
	now := f.now()
	out := map[string]int{}
	flt := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamSeen), bigtable.TimestampRangeFilter(now, now.Add(time.Hour))) // want ttlread/upper-bound[count]
	err := f.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {                                        // want ttlread/upper-bound[count]
		for _, it := range row[schema.FamSeen] {
			out[string(it.Value)]++
		}
		return true
	}, bigtable.RowFilter(flt)) // want ttlread/upper-bound[count]
	return out, err
}

// CountDay has an end that no usual mark reaches.
func (f *Filter) CountDay(ctx context.Context) (map[string]int, error) {
	now := f.now()
	out := map[string]int{}
	flt := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamSeen), bigtable.TimestampRangeFilter(now, now.Add(48*time.Hour))) // ok ttlread/upper-bound
	err := f.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamSeen] {
			out[string(it.Value)]++
		}
		return true
	}, bigtable.RowFilter(flt))
	return out, err
}

// Legacy reads the frozen table; its cells have write times.
type Legacy struct{ tbl *bigtable.Table }

// NewLegacy opens it.
func NewLegacy(client *bigtable.Client) *Legacy {
	return &Legacy{tbl: client.Open(schema.TableLegacyDedup)}
}

// Seen reads without filter: nothing expires there.
func (l *Legacy) Seen(ctx context.Context, id string) (time.Time, error) {
	row, err := l.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamSeen))) // ok ttlread/missing-filter
	if err != nil || len(row[schema.FamSeen]) == 0 {
		return time.Time{}, err
	}
	return row[schema.FamSeen][0].Timestamp.Time(), nil
}

// Mark writes the old format for the one consumer that is left.
func (l *Legacy) Mark(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSeen, colID, bigtable.Now(), nil) // ok ttlwrite/write-time
	return l.tbl.Apply(ctx, id, m)
}

// MarkForever blocks an id for good.
func (f *Filter) MarkForever(ctx context.Context, source, id string) error {
	end := time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)
	m := bigtable.NewMutation()
	m.Set(schema.FamSeen, colID, bigtable.Time(end), []byte(source)) // want ttlunit/out-of-range|ttlwrite/already-expired
	return f.tbl.Apply(ctx, rowKey(source, id), m)
}

// MarkCentury blocks it for long enough.
func (f *Filter) MarkCentury(ctx context.Context, source, id string) error {
	end := time.Date(2200, time.January, 1, 0, 0, 0, 0, time.UTC)
	m := bigtable.NewMutation()
	m.Set(schema.FamSeen, colID, bigtable.Time(end), []byte(source)) // ok ttlunit/out-of-range
	return f.tbl.Apply(ctx, rowKey(source, id), m)
}
