// Package clicktrack redirects clicks and counts them. "rev" is revenue here.
package clicktrack

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"log"
	"net/http"
	"net/url"
	"sync"
	"time"

	"brightpost.example/monolith/bt"
	"brightpost.example/monolith/btutil"
	"brightpost.example/monolith/conf"
	"brightpost.example/monolith/dbx"

	"cloud.google.com/go/bigtable"
)

// TableReader is for tests that were never written.
type TableReader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// Tracker of clicks.
type Tracker struct {
	clicks TableReader
	raw    *bigtable.Table
	mu     sync.Mutex
	buf    []click
	seen   map[uint64]time.Time
}

type click struct {
	User, Campaign, Target string
	At                     time.Time
	Price                  int64
	Bot                    bool
}

var (
	onceClock sync.Once
	onceTS    bigtable.Timestamp
	bootDay   time.Time
)

func init() {
	bootDay = time.Now() // want ttlread/stale-bound[day]
}

func New(c *bigtable.Client) *Tracker {
	return &Tracker{clicks: c.Open("clicks"), raw: c.Open("clicks"), seen: map[uint64]time.Time{}}
}

// ServeHTTP redirects.
func (t *Tracker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	target := r.FormValue("u")
	u, err := url.Parse(target)
	if err != nil || u.Host == "" {
		http.Error(w, "target", http.StatusBadRequest)
		return
	}
	c := click{User: r.FormValue("s"), Campaign: r.FormValue("c"), Target: u.Host, At: time.Now()}
	h := fnv.New64a()
	fmt.Fprint(h, c.User, c.Campaign)
	t.mu.Lock()
	if last, ok := t.seen[h.Sum64()]; ok && c.At.Sub(last) < time.Second {
		c.Bot = true
	}
	t.seen[h.Sum64()] = c.At
	t.buf = append(t.buf, c)
	n := len(t.buf)
	t.mu.Unlock()
	if n > 100 {
		if err := t.Flush(r.Context()); err != nil {
			log.Printf("clicktrack: %v", err)
		}
	}
	http.Redirect(w, r, target, http.StatusFound)
}

// Flush writes the buffer.
func (t *Tracker) Flush(ctx context.Context) error {
	t.mu.Lock()
	buf := t.buf
	t.buf = nil
	t.mu.Unlock()
	for _, c := range buf {
		b, err := json.Marshal(c)
		if err != nil {
			continue
		}
		m := bigtable.NewMutation()
		if c.Bot {
			// bots go after a day
			m.Set(conf.FamRaw, "bot", dbx.ShiftTS(conf.ClickTTL, 24*time.Hour), b) // ok ttlwrite/already-expired
		} else {
			m.Set(conf.FamRaw, "click", bigtable.Now(), b) // ok ttlwrite/write-time
		}
		m.Set(conf.FamRev, "price", bigtable.Now(), []byte(fmt.Sprint(c.Price))) // ok ttlwrite/clock-in-sequence
		m.Set(conf.FamRev, "host", bigtable.ServerTime, []byte(c.Target))        // ok ttlwrite/clock-in-sequence
		if err := t.clicks.Apply(ctx, "k#"+c.Campaign+"#"+c.User, m); err != nil {
			return err
		}
	}
	return nil
}

// Drop makes a click go. The first way is too late by a day, the second at once.
func (t *Tracker) Drop(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("raw", "click", bigtable.Time(time.Now().Add(-89*24*time.Hour)), nil) // ok ttlwrite/already-expired
	m.Set("raw", "bot", bigtable.Time(time.Now().Add(-90*24*time.Hour)), nil)   // want ttlwrite/already-expired
	m.Set("raw", "old", bigtable.Time(time.Unix(0, 0)), nil)                    // want ttlwrite/already-expired
	m.Set("rev", "old", bigtable.Time(time.Unix(0, 0)), nil)                    // ok ttlwrite/already-expired
	return t.clicks.Apply(ctx, key, m)
}

// Count counts.
func (t *Tracker) Count(ctx context.Context, campaign string, cents int64) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("rev", "sum", cents) // ok ttlwrite/read-modify-write
	rmw.Increment("raw", "n", 1)       // ok ttlwrite/read-modify-write
	row, err := t.clicks.ApplyReadModifyWrite(ctx, "sum#"+campaign, rmw)
	if err != nil {
		return 0, err
	}
	for _, it := range row["rev"] {
		return int64(binary.BigEndian.Uint64(it.Value)), nil
	}
	return 0, nil
}

// Mark uses the clock of the first call for all.
func (t *Tracker) Mark(ctx context.Context, key string) error {
	onceClock.Do(func() {
		onceTS = bigtable.Now() // want ttlwrite/stale-clock[once]
	})
	m := bigtable.NewMutation()
	m.Set("raw", "mark", onceTS, nil) // want ttlwrite/stale-clock[once]
	m.Set("rev", "mark", onceTS, nil) // ok ttlwrite/stale-clock
	return t.clicks.Apply(ctx, key, m)
}

// Day reads the clicks "of the day".
func (t *Tracker) Day(ctx context.Context, key string) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("raw"), bigtable.TimestampRangeFilter(bootDay.Add(-conf.ClickTTL), time.Time{})) // want ttlread/stale-bound[day]
	row, err := t.clicks.ReadRow(ctx, key, bigtable.RowFilter(f))                                                                     // want ttlread/stale-bound[day]
	if err != nil {
		return 0, err
	}
	return len(row["raw"]), nil
}

// Quarter reads what is kept.
func (t *Tracker) Quarter(ctx context.Context, key string) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("raw"), bigtable.TimestampRangeFilter(time.Now().Add(-conf.ClickTTL), time.Time{}))
	row, err := t.clicks.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/stale-bound
	if err != nil {
		return 0, err
	}
	return len(row["raw"]), nil
}

// Since reads from some point on; zero means everything that there is.
func (t *Tracker) Since(ctx context.Context, key string, from time.Time) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("raw"), bigtable.TimestampRangeFilter(from, time.Time{}))
	row, err := t.clicks.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	return len(row["raw"]), nil
}

// Report is the long one. kind is day, week, quarter, rev or all.
func (t *Tracker) Report(ctx context.Context, w http.ResponseWriter, campaign, kind string, csv, bots bool) error {
	now := time.Now()
	prefix := "k#" + campaign + "#"
	line := func(key, col, val string, ts time.Time) {
		if csv {
			fmt.Fprintf(w, "%s,%s,%s,%s\n", key, col, ts.Format(time.DateOnly), val)
		} else {
			fmt.Fprintf(w, "%s %s %s\n", key, col, val)
		}
	}
	switch kind {
	case "day":
		f := bigtable.ChainFilters(bigtable.FamilyFilter("raw"), bigtable.TimestampRangeFilter(now.Add(-24*time.Hour), time.Time{})) // want ttlread/wrong-bound[rday]
		return t.clicks.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {                                      // want ttlread/wrong-bound[rday]
			for _, it := range r["raw"] {
				if bots || it.Column != "raw:bot" {
					line(r.Key(), it.Column, string(it.Value), now)
				}
			}
			return true
		}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[rday]
	case "quarter":
		f := bigtable.ChainFilters(bigtable.FamilyFilter("raw"), bigtable.TimestampRangeFilter(now.Add(-90*24*time.Hour), time.Time{}))
		return t.clicks.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/wrong-bound
			for _, it := range r["raw"] {
				if bots || it.Column != "raw:bot" {
					line(r.Key(), it.Column, string(it.Value), now)
				}
			}
			return true
		}, bigtable.RowFilter(f))
	case "rev":
		f := bigtable.ChainFilters(bigtable.FamilyFilter("rev"), bigtable.TimestampRangeFilter(now.Add(-24*time.Hour), now))
		return t.clicks.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/wrong-bound
			for _, it := range r["rev"] {
				line(r.Key(), it.Column, string(it.Value), it.Timestamp.Time()) // ok ttlage/not-write-time
			}
			return true
		}, bigtable.RowFilter(f))
	case "all":
		return t.clicks.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/missing-filter
			for _, it := range r["raw"] {
				line(r.Key(), it.Column, string(it.Value), now)
			}
			return true
		})
	case "keys":
		return t.clicks.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
			fmt.Fprintln(w, r.Key())
			return true
		}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	case "revall":
		return t.clicks.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
			for _, it := range r["rev"] {
				line(r.Key(), it.Column, string(it.Value), it.Timestamp.Time()) // ok ttlage/not-write-time
			}
			return true
		})
	}
	return fmt.Errorf("clicktrack: kind %q", kind)
}

// FirstClick says when somebody clicked first. Not quite.
func (t *Tracker) FirstClick(ctx context.Context, key string) (map[string]time.Time, error) {
	out := map[string]time.Time{}
	row, err := t.clicks.ReadRow(ctx, key, dbx.Young("raw", conf.ClickTTL)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var created time.Time
	for _, it := range row["raw"] {
		created = it.Timestamp.Time() // want ttlage/not-write-time
		out[it.Column] = created
	}
	return out, nil
}

// ClickAge is what the fraud model asks for.
func (t *Tracker) ClickAge(ctx context.Context, key string) (float64, error) {
	row, err := t.clicks.ReadRow(ctx, key, dbx.Young("raw", conf.ClickTTL)) // ok ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	for _, it := range row["raw"] {
		return time.Since(it.Timestamp.Time()).Hours(), nil // want ttlage/not-write-time
	}
	return 0, nil
}

// RevAge is real.
func (t *Tracker) RevAge(ctx context.Context, key string) (float64, error) {
	row, err := t.clicks.ReadRow(ctx, key, dbx.Newest("rev", 1)) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row["rev"] {
		return time.Since(it.Timestamp.Time()).Hours(), nil // ok ttlage/not-write-time
	}
	return 0, nil
}

// ServerStamped looks for cells that the server stamped.
func (t *Tracker) ServerStamped(ctx context.Context, key string) (int, error) {
	row, err := t.clicks.ReadRow(ctx, key, dbx.Young("raw", conf.ClickTTL)) // ok ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	n := 0
	for _, it := range row["raw"] {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			n++
		}
	}
	return n, nil
}

// Dedupe writes a click unless it is there.
func (t *Tracker) Dedupe(ctx context.Context, key string, b []byte) error {
	set := bigtable.NewMutation()
	set.Set("raw", "click", bigtable.Now(), b)                                                        // ok ttlwrite/write-time
	return t.clicks.Apply(ctx, key, bigtable.NewCondMutation(bigtable.FamilyFilter("raw"), nil, set)) // want ttlread/conditional-mutation
}

// DedupeRev likewise.
func (t *Tracker) DedupeRev(ctx context.Context, key string, b []byte) error {
	set := bigtable.NewMutation()
	set.Set("rev", "click", bigtable.Now(), b)                                                        // ok ttlwrite/write-time
	return t.clicks.Apply(ctx, key, bigtable.NewCondMutation(bigtable.FamilyFilter("rev"), nil, set)) // ok ttlread/conditional-mutation
}

// Helpers shows all the helpers, for the wiki.
func (t *Tracker) Helpers(ctx context.Context, c *bigtable.Client, key string) {
	now := time.Now()
	if v, err := bt.Get(ctx, conf.TblClicks, key, conf.FamRaw); err == nil { // want ttlread/missing-filter
		log.Print(v)
	}
	if v, err := bt.Get(ctx, conf.TblClicks, key, conf.FamRev); err == nil { // ok ttlread/missing-filter
		log.Print(v)
	}
	if v, err := bt.GetSince(ctx, conf.TblClicks, key, conf.FamRaw, now.Add(-conf.ClickTTL)); err == nil { // ok ttlread/wrong-bound
		log.Print(v)
	}
	if v, err := bt.GetSince(ctx, conf.TblClicks, key, conf.FamRaw, now.Add(-conf.OpensTTL)); err == nil { // want ttlread/wrong-bound
		log.Print(v)
	}
	if v, err := bt.GetLive(ctx, conf.TblClicks, key, conf.FamRev); err == nil { // ok ttlread/wrong-bound
		log.Print(v)
	}
	if err := bt.Put(ctx, conf.TblClicks, key, conf.FamRev, "wiki", nil); err != nil { // ok ttlwrite/clock-in-sequence
		log.Print(err)
	}
	if err := bt.Put(ctx, conf.TblCampaigns, key, conf.FamRev, "wiki", nil); err != nil { // want ttlwrite/clock-in-sequence
		log.Print(err)
	}
	if err := bt.PutAt(ctx, conf.TblClicks, key, conf.FamRev, "wiki", 7, nil); err != nil { // want ttlunit/sub-millisecond
		log.Print(err)
	}
	if err := bt.PutAt(ctx, conf.TblCampaigns, key, conf.FamRev, "wiki", 7, nil); err != nil { // want ttlwrite/unscaled-sequence
		log.Print(err)
	}
	if err := bt.PutAt(ctx, conf.TblCampaigns, key, conf.FamRev, "wiki", 7000, nil); err != nil { // ok ttlwrite/unscaled-sequence
		log.Print(err)
	}
	if err := bt.Incr(ctx, conf.TblCampaigns, key, conf.FamRev, "wiki", 1); err != nil { // want ttlwrite/read-modify-write
		log.Print(err)
	}
	if err := bt.Incr(ctx, conf.TblClicks, key, conf.FamRev, "wiki", 1); err != nil { // ok ttlwrite/read-modify-write
		log.Print(err)
	}
	if v, err := btutil.LatestOf(ctx, c.Open("clicks"), key, "rev", 10); err == nil { // ok ttlread/version-limit
		log.Print(v)
	}
	if v, err := btutil.LatestOf(ctx, c.Open("campaigns"), key, "rev", 10); err == nil { // want ttlread/version-limit
		log.Print(v)
	}
	if v, err := dbx.Find(ctx, t.raw, key, rowLen, dbx.Young("raw", conf.SeenTTL)); err == nil { // want ttlread/wrong-bound
		log.Print(v)
	}
	if v, err := dbx.Find(ctx, t.raw, key, rowLen); err == nil { // want ttlread/missing-filter
		log.Print(v)
	}
	if v, err := dbx.Find(ctx, t.raw, key, rowLen, dbx.Newest("rev", 1)); err == nil { // ok ttlread/missing-filter
		log.Print(v)
	}
}

func rowLen(r bigtable.Row) (int, error) {
	n := 0
	for _, its := range r {
		n += len(its)
	}
	return n, nil
}

// Micros are windows in microseconds.
func (t *Tracker) Micros(ctx context.Context, key string) error {
	fs := []bigtable.Filter{
		bigtable.TimestampRangeFilterMicros(2_000_000, 1_000_000), // want ttlunit/empty-range[mi]
		bigtable.TimestampRangeFilterMicros(1_000_000, 2_000_000), // ok ttlunit/empty-range
		bigtable.TimestampRangeFilterMicros(0, 500),               // want ttlunit/sub-millisecond
		bigtable.TimestampRangeFilterMicros(0, 5000),              // ok ttlunit/sub-millisecond
		bigtable.LatestNFilter(0),                                 // want ttlunit/invalid-filter
		bigtable.LatestNFilter(1),                                 // ok ttlunit/invalid-filter
	}
	for _, f := range fs {
		if _, err := t.raw.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("rev"), f))); err != nil { // ok ttlread/missing-filter
			return err
		}
	}
	_, err := t.raw.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("rev")))) // want ttlunit/invalid-filter
	return err
}

// Cleanup of May 2022: only the first half second, they said.
func (t *Tracker) Cleanup(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange("rev", "price", 0, 999)      // want ttlunit/sub-millisecond
	m.DeleteTimestampRange("rev", "host", 0, 1_000_000) // ok ttlunit/sub-millisecond
	return t.clicks.Apply(ctx, key, m)
}

// Sum is an aggregate column in a table of the data team.
func (t *Tracker) Sum(ctx context.Context, c *bigtable.Client, key string, n int64) error {
	m := bigtable.NewMutation()
	m.AddIntToCell("sums", "clicks", bigtable.ServerTime, n)                            // want ttlwrite/aggregate-server-time
	m.AddIntToCell("sums", "days", bigtable.Time(time.Now().Truncate(24*time.Hour)), n) // ok ttlwrite/aggregate-server-time
	return c.Open("click_sums").Apply(ctx, key, m)
}

// Backdate puts revenue at its time.
func (t *Tracker) Backdate(ctx context.Context, key string, at time.Time, price string) error {
	var zero time.Time
	m := bigtable.NewMutation()
	m.Set("rev", "price", bigtable.Timestamp(at.UnixMilli()), []byte(price))       // want ttlunit/wrong-unit
	m.Set("rev", "price2", bigtable.Timestamp(at.UnixMilli()*1000), []byte(price)) // ok ttlunit/wrong-unit
	m.Set("rev", "price3", bigtable.Timestamp(at.Unix()*1000), []byte(price))      // want ttlunit/wrong-unit
	m.Set("rev", "price4", bigtable.Timestamp(at.Unix()*1_000_000), []byte(price)) // ok ttlunit/wrong-unit
	m.Set("rev", "never", bigtable.Time(zero), nil)                                // want ttlunit/out-of-range
	m.Set("rev", "minus", -5000, nil)                                              // want ttlunit/out-of-range
	m.Set("rev", "odd", 1500, nil)                                                 // want ttlunit/sub-millisecond
	m.Set("rev", "even", 15000, nil)                                               // ok ttlunit/sub-millisecond
	return t.clicks.Apply(ctx, key, m)
}

// Later adds a delay to a timestamp, in the four ways found in this code base.
func Later(ts bigtable.Timestamp, d time.Duration) []bigtable.Timestamp {
	return []bigtable.Timestamp{
		ts + bigtable.Timestamp(d),                  // want ttlunit/wrong-unit
		ts + bigtable.Timestamp(d.Microseconds()),   // ok ttlunit/wrong-unit
		ts + bigtable.Timestamp(d/time.Microsecond), // ok ttlunit/wrong-unit
		bigtable.Time(ts.Time().Add(d)),             // ok ttlunit/wrong-unit
	}
}
