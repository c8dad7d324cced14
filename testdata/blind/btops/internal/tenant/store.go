package tenant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/schema"
)

// ErrNotFound means that there is no such row, or nothing live in it.
var ErrNotFound = errors.New("not found")

// Store reads and writes the tables of one tenant.
type Store struct {
	ID string

	ledger *bigtable.Table
	passes bigtable.TableAPI
	gates  *bigtable.Table
	limits Limits
	clock  func() time.Time
	next   atomic.Int64
}

// Option changes a Store.
type Option func(*Store)

// WithClock is for tests.
func WithClock(f func() time.Time) Option { return func(s *Store) { s.clock = f } }

// Open opens the tables of a tenant.
func Open(c *bigtable.Client, cfg *Config, t Tenant, opts ...Option) *Store {
	s := &Store{
		ID:     t.ID,
		ledger: c.Open(cfg.TableName(t, "ledger")),
		passes: c.OpenTable(cfg.TableName(t, "passes")),
		gates:  c.Open(schema.Gates),
		limits: cfg.Limits,
		clock:  time.Now,
	}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Ledger is for tools that do what a Store cannot.
func (s *Store) Ledger() *bigtable.Table { return s.ledger }

// Passes is for tools that do what a Store cannot.
func (s *Store) Passes() bigtable.TableAPI { return s.passes }

// Pass is a ticket that is good for a while.
type Pass struct {
	Rider   string    `json:"rider"`
	Kind    string    `json:"kind"`
	Zones   []string  `json:"zones"`
	Holder  string    `json:"holder,omitempty"`
	Expires time.Time `json:"expires"`
}

func passKey(rider string) string { return "r#" + rider }

// PutPass stores a pass until it expires.
func (s *Store) PutPass(ctx context.Context, p Pass) error {
	if !p.Expires.After(s.clock()) {
		return fmt.Errorf("pass of %s has expired", p.Rider)
	}
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.Pass, p.Kind)                               // ok ttlwrite/delete-after-set
	m.Set(schema.Pass, p.Kind, bigtable.Time(p.Expires), b)                  // ok ttlwrite/write-time
	m.Set(schema.Holder, "name", bigtable.Time(s.clock()), []byte(p.Holder)) // ok ttlwrite/write-time
	return s.passes.Apply(ctx, passKey(p.Rider), m)
}

// Trial gives a rider a pass for a day.
func (s *Store) Trial(ctx context.Context, rider string) error {
	m := bigtable.NewMutation()
	b, _ := json.Marshal(Pass{Rider: rider, Kind: "trial", Zones: []string{"A"}})
	m.Set(schema.Pass, "trial", bigtable.Now(), b)             // want ttlwrite/write-time
	m.Set(schema.Holder, "trial", bigtable.Now(), []byte("1")) // ok ttlwrite/write-time
	return s.passes.Apply(ctx, passKey(rider), m)
}

// Passes that are good now.
func (s *Store) LivePasses(ctx context.Context, rider string) ([]Pass, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.Pass),
		bigtable.TimestampRangeFilter(s.clock(), time.Time{}), // ok ttlread/wrong-bound
		bigtable.LatestNFilter(1),
	)
	row, err := s.passes.ReadRow(ctx, passKey(rider), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var ps []Pass
	for _, it := range row[schema.Pass] {
		var p Pass
		if err := json.Unmarshal(it.Value, &p); err != nil {
			return nil, fmt.Errorf("pass %s of %s: %w", it.Column, rider, err)
		}
		p.Expires = it.Timestamp.Time() // ok ttlage/not-write-time
		ps = append(ps, p)
	}
	return ps, nil
}

// HasPass says whether the rider may board.
func (s *Store) HasPass(ctx context.Context, rider, kind string) (bool, error) {
	row, err := s.passes.ReadRow(ctx, passKey(rider), bigtable.RowFilter(btx.Column(schema.Pass, kind))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[schema.Pass]) > 0, nil
}

// HolderName is who bought the pass.
func (s *Store) HolderName(ctx context.Context, rider string) (string, error) {
	row, err := s.passes.ReadRow(ctx, passKey(rider), btx.Newest()) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[schema.Holder] {
		if it.Column == "holder:name" {
			return string(it.Value), nil
		}
	}
	return "", ErrNotFound
}

// Used counts the trips of the last two days.
func (s *Store) Used(ctx context.Context, rider string) (int, error) {
	since := s.clock().Add(-schema.UsageTTL)
	row, err := s.passes.ReadRow(ctx, passKey(rider),
		bigtable.RowFilter(bigtable.TimestampRangeFilter(since, time.Time{}))) // ok ttlread/wrong-bound ttlread/hides-other-families
	if err != nil {
		return 0, err
	}
	return len(row[schema.Usage]), nil
}

// UsedToday counts the trips of one day.
func (s *Store) UsedToday(ctx context.Context, rider string) (int, error) {
	f := bigtable.ChainFilters( // want ttlread/wrong-bound[usedtoday]
		bigtable.FamilyFilter(schema.Usage),
		bigtable.TimestampRangeFilter(s.clock().Add(-24*time.Hour), time.Time{}), // want ttlread/wrong-bound[usedtoday]
	)
	row, err := s.passes.ReadRow(ctx, passKey(rider), bigtable.RowFilter(f)) // want ttlread/wrong-bound[usedtoday]
	if err != nil {
		return 0, err
	}
	return len(row[schema.Usage]), nil
}

// Use notes a trip.
func (s *Store) Use(ctx context.Context, rider, gate string) error {
	m := bigtable.NewMutation()
	m.Set(schema.Usage, gate, bigtable.Now(), []byte(s.ID)) // ok ttlwrite/write-time
	if err := s.passes.Apply(ctx, passKey(rider), m); err != nil {
		return err
	}
	g := bigtable.NewMutation()
	g.Set(schema.State, "open", bigtable.Time(s.clock().Add(s.limits.HoldFor)), []byte(rider)) // ok ttlwrite/write-time
	return s.gates.Apply(ctx, s.ID+"#"+gate, g)
}

// CountUse counts trips by gate; the count is for billing.
func (s *Store) CountUse(ctx context.Context, rider, gate string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.Usage, "n-"+gate, 1) // ok ttlwrite/read-modify-write
	row, err := s.passes.ApplyReadModifyWrite(ctx, passKey(rider), rmw)
	if err != nil {
		return 0, err
	}
	for _, it := range row[schema.Usage] {
		return btx.ToInt(it.Value), nil
	}
	return 0, ErrNotFound
}

// GateOpen says whether a gate is held open.
func (s *Store) GateOpen(ctx context.Context, gate string) (string, bool, error) {
	row, err := s.gates.ReadRow(ctx, s.ID+"#"+gate, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return "", false, err
	}
	for _, it := range row[schema.State] {
		if it.Column == "state:open" {
			return string(it.Value), true, nil
		}
	}
	return "", false, nil
}

// GateHeld is GateOpen with the time that is left.
func (s *Store) GateHeld(ctx context.Context, gate string) (time.Duration, error) {
	row, err := s.gates.ReadRow(ctx, s.ID+"#"+gate) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	now := s.clock()
	var left time.Duration
	for _, it := range row[schema.State] {
		t := it.Timestamp.Time()
		if t.Before(now) {
			continue
		}
		if d := t.Sub(now); d > left { // ok ttlage/not-write-time
			left = d
		}
	}
	return left, nil
}

// Entry is a line of a ledger.
type Entry struct {
	Seq    int64  `json:"seq"`
	Cents  int64  `json:"cents"`
	Reason string `json:"reason"`
}

// Append adds an entry with the next number.
func (s *Store) Append(ctx context.Context, account string, e Entry) (int64, error) {
	if e.Seq == 0 {
		last, err := s.Last(ctx, account)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return 0, err
		}
		e.Seq = last.Seq + 1
	}
	b, err := json.Marshal(e)
	if err != nil {
		return 0, err
	}
	m := bigtable.NewMutation()
	m.Set(schema.Entry, "e", btx.Seq(e.Seq), b)               // ok ttlwrite/unscaled-sequence
	m.Set(schema.Total, "last", 0, []byte(fmt.Sprint(e.Seq))) // ok ttlwrite/clock-in-zero
	return e.Seq, s.ledger.Apply(ctx, "a#"+account, m)
}

// AppendFast takes the number from this process. There is one process per
// tenant.
func (s *Store) AppendFast(ctx context.Context, account string, e Entry) error {
	n := s.next.Add(1)
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.Entry, "e", bigtable.Timestamp(n), b) // want ttlwrite/unscaled-sequence
	return s.ledger.Apply(ctx, "a#"+account, m)
}

// Last is the newest entry.
func (s *Store) Last(ctx context.Context, account string) (Entry, error) {
	row, err := s.ledger.ReadRow(ctx, "a#"+account, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.Entry),
		bigtable.LatestNFilter(1), // ok ttlread/version-limit
	)))
	if err != nil {
		return Entry{}, err
	}
	var e Entry
	for _, it := range row[schema.Entry] {
		if err := json.Unmarshal(it.Value, &e); err != nil {
			return e, err
		}
		e.Seq = btx.SeqOf(it.Timestamp)
		return e, nil
	}
	return e, ErrNotFound
}

// History is the last entries, as many as are kept.
func (s *Store) History(ctx context.Context, account string) ([]Entry, error) {
	row, err := s.ledger.ReadRow(ctx, "a#"+account, bigtable.RowFilter(bigtable.FamilyFilter(schema.Entry))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return entries(row)
}

// Recent is History, the newest n.
func (s *Store) Recent(ctx context.Context, account string) ([]Entry, error) {
	row, err := s.ledger.ReadRow(ctx, "a#"+account, bigtable.RowFilter(bigtable.LatestNFilter(5))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return entries(row)
}

// Page is for the printed statement; ten lines fit.
func (s *Store) Page(ctx context.Context, account string) ([]Entry, error) {
	row, err := s.ledger.ReadRow(ctx, "a#"+account, bigtable.RowFilter(bigtable.LatestNFilter(10))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return entries(row)
}

func entries(row bigtable.Row) ([]Entry, error) {
	var es []Entry
	for _, it := range row[schema.Entry] {
		var e Entry
		if err := json.Unmarshal(it.Value, &e); err != nil {
			return nil, fmt.Errorf("%s at %d: %w", it.Row, it.Timestamp, err)
		}
		e.Seq = btx.SeqOf(it.Timestamp)
		es = append(es, e)
	}
	return es, nil
}

// Total is a sum by name.
func (s *Store) Total(ctx context.Context, account, name string) (string, error) {
	row, err := s.ledger.ReadRow(ctx, "a#"+account, bigtable.RowFilter(btx.Column(schema.Total, name))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return btx.Value(row, schema.Total, name), nil
}

// SetTotal replaces a sum.
func (s *Store) SetTotal(ctx context.Context, account, name string, cents int64) error {
	m := bigtable.NewMutation()
	m.Set(schema.Total, name, s.stamp(), []byte(fmt.Sprint(cents))) // want ttlwrite/clock-in-zero
	return s.ledger.Apply(ctx, "a#"+account, m)
}

// stamp is the time of a write by this store's clock.
func (s *Store) stamp() bigtable.Timestamp { return bigtable.Time(s.clock()) }

// AddTotal adds to a sum.
func (s *Store) AddTotal(ctx context.Context, account, name string, cents int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.Total, name, cents) // want ttlwrite/read-modify-write
	_, err := s.ledger.ApplyReadModifyWrite(ctx, "a#"+account, rmw)
	return err
}

// Accounts lists the accounts of a tenant.
func (s *Store) Accounts(ctx context.Context, f func(account string) error) error {
	var ferr error
	err := s.ledger.ReadRows(ctx, bigtable.PrefixRange("a#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		ferr = f(strings.TrimPrefix(r.Key(), "a#"))
		return ferr == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	if err != nil {
		return err
	}
	return ferr
}
