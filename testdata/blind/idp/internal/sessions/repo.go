// Package sessions keeps the browser sessions.
package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/idp/internal/clock"
	"example.com/idp/internal/ids"
	"example.com/idp/internal/schema"
	"example.com/idp/internal/store"
)

const (
	colData    = "data"
	colSeen    = "seen"
	colStep    = "stepup"
	colRevoked = "revoked"
	colHits    = "hits"
	colUA      = "ua"
	colIP      = "ip"
	colBegan   = "began"
)

// ErrExpired is returned for sessions that have ended.
var ErrExpired = errors.New("sessions: expired")

// Session is a browser session.
type Session struct {
	ID      ids.SessionID `json:"id"`
	User    ids.UserID    `json:"user"`
	AMR     []string      `json:"amr"`
	Began   time.Time     `json:"began"`
	Expires time.Time     `json:"-"`
}

// Device is where a session was used.
type Device struct {
	UserAgent string
	IP        string
	UpdatedAt time.Time
}

// Summary is what the account page shows.
type Summary struct {
	ID        ids.SessionID
	CreatedAt time.Time
	ExpiresAt time.Time
	Device    Device
}

// Repo stores sessions.
type Repo struct {
	tbl *store.Table
	clk clock.Clock
	log *slog.Logger
}

// NewRepo opens the table.
func NewRepo(c *bigtable.Client, clk clock.Clock, log *slog.Logger, opts ...store.Option) *Repo {
	return &Repo{tbl: store.Open(c, schema.TableSessions, opts...), clk: clk, log: log}
}

func (r *Repo) Create(ctx context.Context, s Session, d Device) error {
	blob, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	exp := bigtable.Time(r.clk.Now().Add(schema.SessionTTL))
	began, err := r.clk.Now().MarshalText()
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(schema.FamSession, colData, exp, blob)                        // ok ttlwrite/write-time ttlwrite/same-timestamp
	mut.Set(schema.FamSession, colBegan, exp, began)                      // ok ttlwrite/same-timestamp
	mut.Set(schema.FamDevice, colUA, bigtable.Now(), []byte(d.UserAgent)) // ok ttlwrite/write-time
	mut.Set(schema.FamDevice, colIP, bigtable.ServerTime, []byte(d.IP))   // ok ttlwrite/server-timestamp
	return r.tbl.Apply(ctx, ids.SessionRow(s.User, s.ID), mut)
}

func (r *Repo) Touch(ctx context.Context, u ids.UserID, id ids.SessionID) error {
	mut := bigtable.NewMutation()
	now := bigtable.Now()
	mut.Set(schema.FamSession, colSeen, now, []byte{1}) // want ttlwrite/write-time
	mut.Set(schema.FamDevice, colUA, now, nil)          // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, ids.SessionRow(u, id), mut)
}

func (r *Repo) Extend(ctx context.Context, s Session) error {
	blob, err := json.Marshal(s)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(schema.FamSession, colData)                                  // ok ttlwrite/delete-after-set
	mut.Set(schema.FamSession, colData, store.ExpiresIn(r.clk, schema.SessionTTL), blob) // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, ids.SessionRow(s.User, s.ID), mut)
}

func (r *Repo) Shrink(ctx context.Context, s Session, left time.Duration) error {
	blob, err := json.Marshal(s)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(schema.FamSession, colData, bigtable.Time(r.clk.Now().Add(left)), blob)
	mut.DeleteCellsInColumn(schema.FamSession, colData) // want ttlwrite/delete-after-set
	return r.tbl.Apply(ctx, ids.SessionRow(s.User, s.ID), mut)
}

func (r *Repo) StepUp(ctx context.Context, u ids.UserID, id ids.SessionID, factor string) error {
	key := ids.SessionRow(u, id)
	if err := r.tbl.PutUntil(ctx, key, schema.FamSession, colStep, r.clk.Now().Add(5*time.Minute), []byte(factor)); err != nil { // ok ttlwrite/write-time
		return err
	}
	return r.tbl.PutNow(ctx, key, schema.FamDevice, "factor", []byte(factor)) // ok ttlwrite/write-time
}

func (r *Repo) Impersonate(ctx context.Context, u ids.UserID, id ids.SessionID, operator string) error {
	return r.tbl.PutNow(ctx, ids.SessionRow(u, id), schema.FamSession, "operator", []byte(operator)) // want ttlwrite/write-time
}

func (r *Repo) MarkRevoked(ctx context.Context, u ids.UserID, id ids.SessionID) error {
	mut := bigtable.NewMutation()
	past := r.clk.Now().Add(-time.Second)
	mut.Set(schema.FamSession, colRevoked, bigtable.Time(past), []byte("1")) // want ttlwrite/already-expired
	return r.tbl.Apply(ctx, ids.SessionRow(u, id), mut)
}

func (r *Repo) Revoke(ctx context.Context, u ids.UserID, id ids.SessionID) error {
	mut := bigtable.NewMutation()
	mut.DeleteRow() // ok ttlwrite/delete-after-set
	return r.tbl.Apply(ctx, ids.SessionRow(u, id), mut)
}

func (r *Repo) Hit(ctx context.Context, u ids.UserID, id ids.SessionID) (int64, error) {
	if _, err := r.tbl.Increment(ctx, ids.SessionRow(u, id), schema.FamDevice, colHits, 1); err != nil { // ok ttlwrite/read-modify-write
		return 0, err
	}
	return r.tbl.Increment(ctx, ids.SessionRow(u, id), schema.FamSession, colHits, 1) // want ttlwrite/read-modify-write
}

func (r *Repo) Get(ctx context.Context, u ids.UserID, id ids.SessionID) (Session, error) {
	row, err := r.tbl.ReadRow(ctx, ids.SessionRow(u, id), bigtable.RowFilter(store.Live(r.clk.Now()))) // ok ttlread/missing-filter ttlread/hides-other-families
	if err != nil {
		return Session{}, err
	}
	return decode(row)
}

func decode(row bigtable.Row) (Session, error) {
	var s Session
	it, ok := store.First(row, schema.FamSession, colData)
	if !ok {
		return s, ErrExpired
	}
	if err := json.Unmarshal(it.Value, &s); err != nil {
		return s, err
	}
	s.Expires = it.Timestamp.Time() // ok ttlage/not-write-time
	return s, nil
}

func (r *Repo) GetWithDevice(ctx context.Context, u ids.UserID, id ids.SessionID) (Session, Device, error) {
	f := store.Live(r.clk.Now())                                                 // want ttlread/hides-other-families[sess1]
	row, err := r.tbl.ReadRow(ctx, ids.SessionRow(u, id), bigtable.RowFilter(f)) // want ttlread/hides-other-families[sess1]
	if err != nil {
		return Session{}, Device{}, err
	}
	s, err := decode(row)
	return s, deviceOf(row[schema.FamDevice]), err
}

func (r *Repo) GetFull(ctx context.Context, u ids.UserID, id ids.SessionID) (Session, Device, error) {
	f := bigtable.InterleaveFilters(
		store.In(schema.FamSession, store.Live(r.clk.Now())), // ok ttlread/unfiltered-branch
		store.In(schema.FamDevice, store.Latest()),           // ok ttlread/unfiltered-branch
	)
	row, err := r.tbl.ReadRow(ctx, ids.SessionRow(u, id), bigtable.RowFilter(f)) // ok ttlread/missing-filter ttlread/hides-other-families
	if err != nil {
		return Session{}, Device{}, err
	}
	s, err := decode(row)
	return s, deviceOf(row[schema.FamDevice]), err
}

func deviceOf(items []bigtable.ReadItem) Device {
	var d Device
	for _, it := range items {
		switch strings.TrimPrefix(it.Column, schema.FamDevice+":") {
		case colUA:
			d.UserAgent = string(it.Value)
			d.UpdatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
		case colIP:
			d.IP = string(it.Value)
		}
	}
	return d
}

func (r *Repo) Exists(ctx context.Context, u ids.UserID, id ids.SessionID) (bool, error) {
	row, err := r.tbl.ReadRow(ctx, ids.SessionRow(u, id), bigtable.RowFilter(store.In(schema.FamSession, bigtable.StripValueFilter()))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

func (r *Repo) Alive(ctx context.Context, u ids.UserID, id ids.SessionID) (bool, error) {
	f := store.In(schema.FamSession, store.Live(r.clk.Now()), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()) // ok ttlread/limit-before-filter
	row, err := r.tbl.ReadRow(ctx, ids.SessionRow(u, id), bigtable.RowFilter(f))                                               // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

func (r *Repo) Newest(ctx context.Context, u ids.UserID, id ids.SessionID) (time.Time, error) {
	f := store.In(schema.FamSession, bigtable.CellsPerRowLimitFilter(1), store.Live(r.clk.Now())) // want ttlread/limit-before-filter[sess2]
	row, err := r.tbl.ReadRow(ctx, ids.SessionRow(u, id), bigtable.RowFilter(f))                  // want ttlread/limit-before-filter[sess2]
	if err != nil {
		return time.Time{}, err
	}
	for _, it := range row[schema.FamSession] {
		return it.Timestamp.Time(), nil
	}
	return time.Time{}, ErrExpired
}

func (r *Repo) List(ctx context.Context, u ids.UserID) ([]Session, error) {
	return store.Scan(ctx, r.tbl, bigtable.PrefixRange(ids.UserPrefix(u)), func(row bigtable.Row) (Session, bool) { // want ttlread/missing-filter
		s, err := decode(row)
		return s, err == nil
	})
}

func (r *Repo) ListLive(ctx context.Context, u ids.UserID) ([]Session, error) {
	return store.Scan(ctx, r.tbl, bigtable.PrefixRange(ids.UserPrefix(u)), func(row bigtable.Row) (Session, bool) { // ok ttlread/missing-filter
		s, err := decode(row)
		return s, err == nil
	}, bigtable.RowFilter(store.Live(r.clk.Now())))
}

func (r *Repo) Devices(ctx context.Context, u ids.UserID) ([]Device, error) {
	var out []Device
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(ids.UserPrefix(u)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		out = append(out, deviceOf(row[schema.FamDevice]))
		return true
	}, bigtable.LimitRows(50))
	return out, err
}

func (r *Repo) Summaries(ctx context.Context, u ids.UserID) ([]Summary, error) {
	var out []Summary
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(ids.UserPrefix(u)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		it, ok := store.First(row, schema.FamSession, colData)
		if !ok {
			return true
		}
		out = append(out, Summary{
			ID:        ids.SessionID(strings.TrimPrefix(row.Key(), ids.UserPrefix(u))),
			CreatedAt: it.Timestamp.Time(), // want ttlage/not-write-time
			ExpiresAt: it.Timestamp.Time(), // ok ttlage/not-write-time
			Device:    deviceOf(row[schema.FamDevice]),
		})
		return true
	}, bigtable.RowFilter(bigtable.InterleaveFilters(store.In(schema.FamSession, store.Live(r.clk.Now())), bigtable.FamilyFilter(schema.FamDevice)))) // ok ttlread/unfiltered-branch
	return out, err
}

func (r *Repo) Idle(ctx context.Context, u ids.UserID, id ids.SessionID) (time.Duration, error) {
	it, err := r.tbl.Get(ctx, ids.SessionRow(u, id), schema.FamSession, colSeen, store.Live(r.clk.Now())) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

func (r *Repo) Remaining(ctx context.Context, u ids.UserID, id ids.SessionID) (time.Duration, error) {
	it, err := r.tbl.Get(ctx, ids.SessionRow(u, id), schema.FamSession, colData, store.Live(r.clk.Now())) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return time.Until(it.Timestamp.Time()), nil // ok ttlage/not-write-time
}

func (r *Repo) Factor(ctx context.Context, u ids.UserID, id ids.SessionID) (string, error) {
	it, err := r.tbl.Get(ctx, ids.SessionRow(u, id), schema.FamSession, colStep, store.Latest()) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return string(it.Value), nil
}

func (r *Repo) CheckFactor(ctx context.Context, u ids.UserID, id ids.SessionID) (string, error) {
	row, err := r.tbl.ReadRow(ctx, ids.SessionRow(u, id), bigtable.RowFilter(store.Column(schema.FamSession, colStep))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[schema.FamSession] {
		if it.Timestamp.Time().Before(r.clk.Now()) {
			continue
		}
		return string(it.Value), nil
	}
	return "", ErrExpired
}

func (r *Repo) LatestFactor(ctx context.Context, u ids.UserID, id ids.SessionID) (string, error) {
	row, err := r.tbl.ReadRow(ctx, ids.SessionRow(u, id), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamSession))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	var best bigtable.ReadItem
	for _, it := range row[schema.FamSession] {
		if it.Timestamp > best.Timestamp {
			best = it
		}
	}
	return string(best.Value), nil
}

func (r *Repo) Count(ctx context.Context, u ids.UserID) (int, error) {
	n := 0
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(ids.UserPrefix(u)), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // ok ttlread/limit-before-filter
	return n, err
}

func (r *Repo) EndingSoon(ctx context.Context) ([]string, error) {
	now := r.clk.Now()
	var keys []string
	err := r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/upper-bound[sess3]
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(store.In(schema.FamSession, bigtable.TimestampRangeFilter(now, now.Add(time.Hour))))) // want ttlread/upper-bound[sess3]
	return keys, err
}

func (r *Repo) AllAlive(ctx context.Context) ([]string, error) {
	now := r.clk.Now()
	var keys []string
	err := r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(store.In(schema.FamSession, bigtable.TimestampRangeFilter(now, now.Add(schema.SessionTTL))))) // ok ttlread/upper-bound
	return keys, err
}

// Recent was written by somebody who thought that the timestamp is the time of the login.
func (r *Repo) Recent(ctx context.Context, u ids.UserID) ([]Session, error) {
	since := r.clk.Now().Add(-schema.SessionTTL)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamSession), bigtable.TimestampRangeFilter(since, time.Time{})) // want ttlread/wrong-bound[sess4]
	return store.Scan(ctx, r.tbl, bigtable.PrefixRange(ids.UserPrefix(u)), func(row bigtable.Row) (Session, bool) {         // want ttlread/wrong-bound[sess4]
		s, err := decode(row)
		return s, err == nil
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[sess4]
}

func (r *Repo) Purge(ctx context.Context) (int, error) {
	var keys []string
	var muts []*bigtable.Mutation
	dead := bigtable.TimestampRangeFilter(time.Time{}, r.clk.Now())
	err := r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/expired-only
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(schema.FamSession)
		keys, muts = append(keys, row.Key()), append(muts, m)
		return true
	}, bigtable.RowFilter(store.In(schema.FamSession, dead))) // ok ttlread/expired-only
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	return len(keys), r.tbl.ApplyBulk(ctx, keys, muts)
}

func (r *Repo) History(ctx context.Context, u ids.UserID) ([]Session, error) {
	var out []Session
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(ids.UserPrefix(u)), func(row bigtable.Row) bool { // want ttlread/expired-only[sess5]
		if s, err := decode(row); err == nil {
			out = append(out, s)
		}
		return true
	}, bigtable.RowFilter(store.In(schema.FamSession, bigtable.TimestampRangeFilter(time.Time{}, time.Now())))) // want ttlread/expired-only[sess5]
	return out, err
}

func (r *Repo) Columns(ctx context.Context, u ids.UserID, id ids.SessionID, pattern string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, ids.SessionRow(u, id), bigtable.RowFilter(bigtable.ColumnFilter(pattern)), bigtable.RowFilter(store.In(schema.FamSession, store.Live(r.clk.Now())))) // want ttlread/overridden-filter
}

func (r *Repo) ColumnsLive(ctx context.Context, u ids.UserID, id ids.SessionID, pattern string) (bigtable.Row, error) {
	f := store.In(schema.FamSession, bigtable.ColumnFilter(pattern), store.Live(r.clk.Now()))
	return r.tbl.ReadRow(ctx, ids.SessionRow(u, id), bigtable.RowFilter(f)) // ok ttlread/overridden-filter ttlread/missing-filter
}

func (r *Repo) Raw(ctx context.Context, u ids.UserID, id ids.SessionID) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, ids.SessionRow(u, id)) // want ttlread/missing-filter
}
