package collect

import (
	"context"
	"encoding/binary"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
	"example.com/corebase/pkg/display"
)

// Cursor says how far a source has been read.
type Cursor struct {
	Source string
	Offset int64
}

// SaveCursor stores a cursor in the place of the one before.
func (c *Collector) SaveCursor(ctx context.Context, cur Cursor) error {
	m := bigtable.NewMutation()
	cursor.Set(m, cur.Source, binary.BigEndian.AppendUint64(nil, uint64(cur.Offset))) // ok ttlwrite/clock-in-zero
	return c.state.Apply(ctx, c.tenant, m)
}

// SaveCursors stores many.
func (c *Collector) SaveCursors(ctx context.Context, curs []Cursor) error {
	cells := make([]btstore.Cell, 0, len(curs))
	for _, cur := range curs {
		cells = append(cells, btstore.Cell{Family: "cursor", Column: cur.Source, Value: strconv.AppendInt(nil, cur.Offset, 10)}) // want ttlwrite/clock-in-zero[cursors]
	}
	return c.state.Write(ctx, c.tenant, cells...) // want ttlwrite/clock-in-zero[cursors]
}

// SaveCursorOps does it with ops.
func (c *Collector) SaveCursorOps(ctx context.Context, cur Cursor) error {
	return c.state.Mutate(ctx, c.tenant,
		btstore.PutAt("cursor", cur.Source, 0, strconv.AppendInt(nil, cur.Offset, 10)), // ok ttlwrite/clock-in-zero
		btstore.Put("d", cur.Source, strconv.AppendInt(nil, cur.Offset, 10)),           // ok ttlwrite/write-time
		btstore.PutServer("d", "by", []byte(c.tenant)),                                 // ok ttlwrite/server-timestamp
	)
}

// LoadCursor reads a cursor.
func (c *Collector) LoadCursor(ctx context.Context, source string) (int64, error) {
	row, err := c.state.Get(ctx, c.tenant, btstore.Columns("cursor", source)) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return btstore.Int64.Decode(btstore.Value(row, "cursor", source))
}

// CursorLag is how long a cursor has been where it is.
func (c *Collector) CursorLag(ctx context.Context, source string) (time.Duration, error) {
	row, err := c.state.Get(ctx, c.tenant)
	if err != nil {
		return 0, err
	}
	for _, it := range row["cursor"] {
		if it.Column == "cursor:"+source {
			return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
		}
	}
	return 0, nil
}

// CursorLagRight looks at the ordinary family, by its own name.
func (c *Collector) CursorLagRight(ctx context.Context, source string) (time.Duration, error) {
	row, err := c.state.Get(ctx, c.tenant, btstore.Columns("d", source)) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row["d"] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, nil
}

// Window is a count of the last two days.
type Window struct {
	Name  string
	Count int64
	Start time.Time
}

func windowOf(row bigtable.Row) ([]Window, error) {
	var out []Window
	for _, it := range row["window"] {
		n, err := btstore.Int64.Decode(it.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, Window{Name: it.Column, Count: n})
	}
	return out, nil
}

// OpenWindow starts a window.
func (c *Collector) OpenWindow(ctx context.Context, name string) error {
	m := bigtable.NewMutation()
	window.Set(m, name, make([]byte, 8))                        // ok ttlwrite/write-time
	window.SetFor(m, name+"/min", time.Minute, make([]byte, 8)) // ok ttlwrite/already-expired
	return c.state.Apply(ctx, c.tenant, m)
}

// OpenLate starts a window that begins two days ago.
func (c *Collector) OpenLate(ctx context.Context, name string) error {
	m := bigtable.NewMutation()
	m.Set("window", name, bigtable.Time(time.Now().Add(-windowAge)), make([]byte, 8)) // want ttlwrite/already-expired
	return c.state.Apply(ctx, c.tenant, m)
}

// OpenYesterday starts a window that begins yesterday.
func (c *Collector) OpenYesterday(ctx context.Context, name string) error {
	m := bigtable.NewMutation()
	m.Set("window", name, bigtable.Time(time.Now().AddDate(0, 0, -1)), make([]byte, 8)) // ok ttlwrite/already-expired
	return c.state.Apply(ctx, c.tenant, m)
}

// OpenEpoch starts a window for ever, says its author.
func (c *Collector) OpenEpoch(ctx context.Context, name string) error {
	m := bigtable.NewMutation()
	m.Set("window", name, bigtable.Time(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)), make([]byte, 8)) // want ttlwrite/already-expired
	return c.state.Apply(ctx, c.tenant, m)
}

// AddWindow counts.
func (c *Collector) AddWindow(ctx context.Context, name string, n int64) (int64, error) {
	return c.state.Bump(ctx, c.tenant, "window", name, n) // ok ttlwrite/read-modify-write
}

// AddCursor moves a cursor on.
func (c *Collector) AddCursor(ctx context.Context, source string, n int64) (int64, error) {
	return c.state.Bump(ctx, c.tenant, "cursor", source, n) // want ttlwrite/read-modify-write
}

// Windows reads the windows that are open.
func (c *Collector) Windows(ctx context.Context) ([]Window, error) {
	return btstore.Fetch(ctx, c.state, c.tenant, windowOf, btstore.Where(window.Live())) // ok ttlread/missing-filter
}

// WindowsAll reads them for the status page.
func (c *Collector) WindowsAll(ctx context.Context) ([]Window, error) {
	return btstore.Fetch(ctx, c.state, c.tenant, windowOf, btstore.Where(bigtable.FamilyFilter("window"))) // want ttlread/missing-filter
}

// WindowsDay reads the last day, for which there is a registered number.
func (c *Collector) WindowsDay(ctx context.Context) ([]Window, error) {
	return btstore.Fetch(ctx, c.state, c.tenant, windowOf, btstore.Where(btstore.Younger("window", 24*time.Hour))) // want ttlread/wrong-bound
}

// WindowsUntil ends at the present, and so without the ones that were shifted.
func (c *Collector) WindowsUntil(ctx context.Context) ([]Window, error) {
	now := time.Now()
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter("window"),
		bigtable.TimestampRangeFilter(now.Add(-windowAge), now), // want ttlread/upper-bound[winuntil]
	)
	return btstore.Fetch(ctx, c.state, c.tenant, windowOf, btstore.Where(f)) // want ttlread/upper-bound[winuntil]
}

// WindowsDead reads what should be gone.
func (c *Collector) WindowsDead(ctx context.Context) ([]Window, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter("window"),
		bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-windowAge)), // want ttlread/expired-only[windead]
	)
	return btstore.Fetch(ctx, c.state, c.tenant, windowOf, btstore.Where(f)) // want ttlread/expired-only[windead]
}

var since = time.Now().Add(-windowAge) // want ttlread/stale-bound[winsince]

// WindowsSince reads what was young when the collector started.
func (c *Collector) WindowsSince(ctx context.Context) ([]Window, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter("window"),
		bigtable.TimestampRangeFilter(since, time.Time{}), // want ttlread/stale-bound[winsince]
	)
	return btstore.Fetch(ctx, c.state, c.tenant, windowOf, btstore.Where(f)) // want ttlread/stale-bound[winsince]
}

// Notes reads the ordinary family between two constants.
func (c *Collector) Notes(ctx context.Context) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("d"), bigtable.TimestampRangeFilterMicros(2_000_000, 1_000_000)) // want ttlunit/empty-range
	row, err := c.state.Get(ctx, c.tenant, btstore.Where(f))
	return len(row["d"]), err
}

// NotesEarly reads the first half millisecond, or rather everything.
func (c *Collector) NotesEarly(ctx context.Context) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("d"), bigtable.TimestampRangeFilterMicros(0, 500)) // want ttlunit/sub-millisecond
	row, err := c.state.Get(ctx, c.tenant, btstore.Where(f))
	return len(row["d"]), err
}

// NotesSecond reads the first second.
func (c *Collector) NotesSecond(ctx context.Context) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("d"), bigtable.TimestampRangeFilterMicros(0, 1_000_000)) // ok ttlunit/sub-millisecond
	row, err := c.state.Get(ctx, c.tenant, btstore.Where(f))
	return len(row["d"]), err
}

// NotesNone asks for no versions.
func (c *Collector) NotesNone(ctx context.Context) (int, error) {
	row, err := c.state.Get(ctx, c.tenant, btstore.Where(btstore.Newest("d", 0))) // want ttlunit/invalid-filter
	return len(row["d"]), err
}

// NotesOne asks for one.
func (c *Collector) NotesOne(ctx context.Context) (int, error) {
	row, err := c.state.Get(ctx, c.tenant, btstore.Where(btstore.Newest("d", 1))) // ok ttlunit/invalid-filter
	return len(row["d"]), err
}

// Note writes notes with all kinds of times.
func (c *Collector) Note(ctx context.Context, text string) error {
	m := bigtable.NewMutation()
	m.Set("d", "now", bigtable.Now(), []byte(text))                                               // ok ttlwrite/write-time
	m.Set("d", "none", bigtable.Time(time.Time{}), []byte(text))                                  // want ttlunit/out-of-range
	m.Set("d", "far", bigtable.Time(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)), []byte(text)) // want ttlunit/out-of-range
	m.Set("d", "y2k", bigtable.Time(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)), []byte(text))   // ok ttlunit/out-of-range
	m.Set("d", "odd", 1_500, []byte(text))                                                        // want ttlunit/sub-millisecond
	m.Set("d", "even", 2_000, []byte(text))                                                       // ok ttlunit/sub-millisecond
	m.DeleteTimestampRange("d", "old", 0, 999)                                                    // want ttlunit/sub-millisecond
	return c.state.Apply(ctx, c.tenant, m)
}

// NoteTwice writes one column twice.
func (c *Collector) NoteTwice(ctx context.Context, text string) error {
	ts := bigtable.Now()
	m := bigtable.NewMutation()
	m.Set("d", "note", ts, []byte("draft"))
	m.Set("d", "note", ts, []byte(text)) // ok ttlwrite/same-timestamp
	m.Set("window", "note", ts, []byte("draft"))
	m.Set("window", "note", ts, []byte(text)) // want ttlwrite/same-timestamp
	return c.state.Apply(ctx, c.tenant, m)
}

// Display says something about the tenant.
func (c *Collector) Display(ctx context.Context, text string) error {
	return c.state.Apply(ctx, c.tenant, display.Text(text)) // ok ttlwrite/write-time
}

// Displayed says what was said.
func (c *Collector) Displayed(ctx context.Context) (string, error) {
	row, err := c.state.Get(ctx, c.tenant, btstore.Columns(display.Family, "text")) // ok ttlread/missing-filter
	return display.Of(row), err
}
