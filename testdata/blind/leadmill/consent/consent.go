// Package consent keeps what visitors agreed to (TCF). Thirteen months, then we have to ask again.
package consent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
)

// Lifetime of a grant.
const Lifetime = 390 * 24 * time.Hour

const (
	tableName   = "consent"
	grantFamily = "grant"
	logFamily   = "log"
	logVersions = 20
)

// Purpose of TCF.
type Purpose uint8

// Grant is one agreement.
type Grant struct {
	Purpose Purpose   `json:"p"`
	Vendor  int       `json:"v"`
	Source  string    `json:"s"`
	Given   time.Time `json:"g"`
	Expires time.Time `json:"-"`
	Updated time.Time `json:"-"`
}

// Entry of the log.
type Entry struct {
	Number int64
	What   string
	Date   string
}

// Table is the part of *bigtable.Table that a Store needs.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// Sequencer numbers log entries.
type Sequencer interface {
	Next(ctx context.Context, visitor string) (int64, error)
}

// Store of consents.
type Store struct {
	table Table
	seq   Sequencer
	now   func() time.Time
}

// New makes a store on a client.
func New(c *bigtable.Client, seq Sequencer) *Store {
	return &Store{table: c.Open(tableName), seq: seq, now: time.Now}
}

// build collects mutations; every method returns the builder.
type build struct {
	m   *bigtable.Mutation
	now time.Time
}

func (s *Store) build() *build { return &build{bigtable.NewMutation(), s.now()} }

func (b *build) grant(col string, value []byte, life time.Duration) *build {
	b.m.DeleteCellsInColumn(grantFamily, col)
	b.m.Set(grantFamily, col, bigtable.Time(b.now.Add(life)), value) // ok ttlwrite/write-time
	return b
}

func (b *build) mark(family, col string, value []byte) *build {
	b.m.Set(family, col, bigtable.Time(b.now), value) // want ttlwrite/write-time[mk] ttlwrite/clock-in-sequence[mk]
	return b
}

func (b *build) log(n int64, col, what string) *build {
	b.m.Set(logFamily, col, bigtable.Timestamp(n)*1000, []byte(what)) // ok ttlwrite/unscaled-sequence
	return b
}

func (b *build) logAt(n int64, col, what string) *build {
	b.m.Set(logFamily, col, bigtable.Timestamp(n), []byte(what)) // want ttlwrite/unscaled-sequence[lat]
	return b
}

// Give records a grant.
func (s *Store) Give(ctx context.Context, visitor string, g Grant) error {
	n, err := s.seq.Next(ctx, visitor)
	if err != nil {
		return fmt.Errorf("consent: number: %w", err)
	}
	value, err := json.Marshal(g)
	if err != nil {
		return err
	}
	col := fmt.Sprintf("%d-%d", g.Purpose, g.Vendor)
	m := s.build().
		grant(col, value, Lifetime).
		log(n, "give", col).
		m
	return s.table.Apply(ctx, visitor, m)
}

// Withdraw ends a grant.
func (s *Store) Withdraw(ctx context.Context, visitor string, p Purpose, vendor int) error {
	n, err := s.seq.Next(ctx, visitor)
	if err != nil {
		return err
	}
	col := fmt.Sprintf("%d-%d", p, vendor)
	b := s.build() // want ttlwrite/write-time[mk]
	b.m.DeleteCellsInColumn(grantFamily, col)
	b.mark(grantFamily, "withdrawn", []byte(col)) // want ttlwrite/write-time[mk]
	b.log(n, "withdraw", col)
	return s.table.Apply(ctx, visitor, b.m)
}

// Seen logs that a dialog was shown.
func (s *Store) Seen(ctx context.Context, visitor, dialog string) error {
	b := s.build()                            // want ttlwrite/clock-in-sequence[mk]
	b.mark(logFamily, "seen", []byte(dialog)) // want ttlwrite/clock-in-sequence[mk]
	return s.table.Apply(ctx, visitor, b.m)
}

// SeenCount counts dialogs in memory.
type SeenCount struct {
	n     atomic.Int64
	store *Store
}

// Shown logs the running number of a dialog.
func (c *SeenCount) Shown(ctx context.Context, visitor, dialog string) error {
	b := c.store.build()
	n := c.n.Add(1)
	b.logAt(n, "shown", dialog) // want ttlwrite/unscaled-sequence[lat]
	b.log(n, "shown2", dialog)  // ok ttlwrite/unscaled-sequence
	return c.store.table.Apply(ctx, visitor, b.m)
}

// options of a read.
type query struct {
	families []string
	live     bool
	latest   int
}

type queryOption func(*query)

func families(f ...string) queryOption { return func(q *query) { q.families = f } }
func live() queryOption                { return func(q *query) { q.live = true } }
func newest(n int) queryOption         { return func(q *query) { q.latest = n } }

// read makes a filter of options.
func (s *Store) grants(ctx context.Context, visitor string) (bigtable.Row, error) {
	return s.table.ReadRow(ctx, visitor, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(grantFamily),
		bigtable.TimestampRangeFilter(s.now(), time.Time{}),
		bigtable.LatestNFilter(1),
	))) // ok ttlread/missing-filter
}

// Grants reads what a visitor has agreed to.
func (s *Store) Grants(ctx context.Context, visitor string) ([]Grant, error) {
	row, err := s.grants(ctx, visitor)
	if err != nil {
		return nil, fmt.Errorf("consent: grants: %w", err)
	}
	return decode(row[grantFamily])
}

func decode(items []bigtable.ReadItem) ([]Grant, error) {
	var out []Grant
	for _, it := range items {
		var g Grant
		if err := json.Unmarshal(it.Value, &g); err != nil {
			return nil, err
		}
		g.Expires = it.Timestamp.Time() // ok ttlage/not-write-time
		out = append(out, g)
	}
	return out, nil
}

// Has asks for one grant.
func (s *Store) Has(ctx context.Context, visitor string, p Purpose, vendor int) (bool, error) {
	f := bigtable.ChainFilters( // want ttlread/missing-filter[has]
		bigtable.ColumnRangeFilter(grantFamily, fmt.Sprintf("%d-%d", p, vendor), fmt.Sprintf("%d-%d~", p, vendor)),
		bigtable.StripValueFilter(),
	)
	row, err := s.table.ReadRow(ctx, visitor, bigtable.RowFilter(f)) // want ttlread/missing-filter[has]
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// HasLive asks for one grant that has not ended.
func (s *Store) HasLive(ctx context.Context, visitor string, p Purpose, vendor int) (bool, error) {
	f := bigtable.ChainFilters(
		bigtable.ColumnRangeFilter(grantFamily, fmt.Sprintf("%d-%d", p, vendor), fmt.Sprintf("%d-%d~", p, vendor)),
		bigtable.TimestampRangeFilterMicros(bigtable.Time(s.now()), 0),
		bigtable.StripValueFilter(),
	)
	row, err := s.table.ReadRow(ctx, visitor, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// Checked reads without a filter and looks at every cell itself, as the auditors want to see the ended ones marked.
func (s *Store) Checked(ctx context.Context, visitor string) (alive, ended []string, err error) {
	row, err := s.table.ReadRow(ctx, visitor, bigtable.RowFilter(bigtable.FamilyFilter(grantFamily))) // ok ttlread/missing-filter
	if err != nil {
		return nil, nil, err
	}
	now := s.now()
	for _, it := range row[grantFamily] {
		if it.Timestamp.Time().Before(now) {
			ended = append(ended, it.Column)
			continue
		}
		alive = append(alive, it.Column)
	}
	return alive, ended, nil
}

// Newest finds the grant that was given last. By timestamp, which was a good idea on the real-time table.
func (s *Store) Newest(ctx context.Context, visitor string) (string, error) {
	row, err := s.table.ReadRow(ctx, visitor, bigtable.RowFilter(bigtable.FamilyFilter(grantFamily))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	var best bigtable.ReadItem
	for _, it := range row[grantFamily] {
		if it.Timestamp > best.Timestamp {
			best = it
		}
	}
	if best.Column == "" {
		return "", errors.New("consent: nothing granted")
	}
	return best.Column, nil
}

// Log reads the log.
func (s *Store) Log(ctx context.Context, visitor string, n int) ([]Entry, error) {
	row, err := s.table.ReadRow(ctx, visitor, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(logFamily),
		bigtable.LatestNFilter(logVersions),
	))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, it := range row[logFamily] {
		if len(out) == n {
			break
		}
		out = append(out, Entry{
			Number: int64(it.Timestamp) / 1000, // ok ttlage/not-write-time
			What:   it.Column + "=" + string(it.Value),
		})
	}
	return out, nil
}

// LogDates adds the date of every entry; the regulator's form has such a field.
func (s *Store) LogDates(ctx context.Context, visitor string) ([]string, error) {
	row, err := s.table.ReadRow(ctx, visitor, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(logFamily), bigtable.LatestNFilter(logVersions)))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[logFamily] {
		written := it.Timestamp.Time()                                                            // want ttlage/not-write-time[wr]
		out = append(out, fmt.Sprintf("%s written %s", it.Column, written.Format(time.DateOnly))) // want ttlage/not-write-time[wr]
	}
	return out, nil
}

// LogTail reads the log after a number.
func (s *Store) LogTail(ctx context.Context, visitor string, after int64) ([]string, error) {
	row, err := s.table.ReadRow(ctx, visitor, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(logFamily), bigtable.TimestampRangeFilter(s.now().Add(-24*time.Hour), s.now())))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[logFamily] {
		if int64(it.Timestamp)/1000 > after {
			out = append(out, string(it.Value))
		}
	}
	return out, nil
}

// Stats counts grants per purpose, over everybody.
func (s *Store) Stats(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	err := s.table.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		for _, it := range r[grantFamily] {
			out[it.Column]++
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(grantFamily), bigtable.TimestampRangeFilter(s.now(), s.now().Add(Lifetime))))) // ok ttlread/upper-bound
	return out, err
}

// StatsToday has the range the wrong way round, which is what the first dashboard showed for a month.
func (s *Store) StatsToday(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	epoch := time.Unix(0, 0)
	err := s.table.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		for _, it := range r[grantFamily] {
			out[it.Column]++
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(grantFamily), bigtable.TimestampRangeFilter(epoch, s.now())))) // want ttlread/expired-only
	return out, err
}

// ask runs a query made of options.
func (s *Store) ask(ctx context.Context, visitor string, opts ...queryOption) (bigtable.Row, error) {
	q := query{}
	for _, o := range opts {
		o(&q)
	}
	var fs []bigtable.Filter
	for _, f := range q.families {
		fs = append(fs, bigtable.FamilyFilter(f))
	}
	if q.live {
		fs = append(fs, bigtable.TimestampRangeFilter(s.now(), time.Time{}))
	}
	if q.latest > 0 {
		fs = append(fs, bigtable.LatestNFilter(q.latest))
	}
	switch len(fs) {
	case 0:
		return nil, errors.New("consent: query without options")
	case 1:
		return s.table.ReadRow(ctx, visitor, bigtable.RowFilter(fs[0])) // ok ttlread/missing-filter
	}
	return s.table.ReadRow(ctx, visitor, bigtable.RowFilter(bigtable.ChainFilters(fs...))) // ok ttlread/missing-filter
}

// Export is for the visitor's own request.
func (s *Store) Export(ctx context.Context, visitor string) (map[string]string, error) {
	row, err := s.ask(ctx, visitor, families(grantFamily), live(), newest(1)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row[grantFamily] {
		out[it.Column] = string(it.Value)
	}
	return out, nil
}

// Rows counts the rows of a shard with a counter in the row itself.
func (s *Store) Rows(ctx context.Context, shard string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(logFamily, "rows", 1) // want ttlwrite/read-modify-write
	_, err := s.table.ApplyReadModifyWrite(ctx, shard, rmw)
	return err
}
