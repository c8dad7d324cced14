// Package alert keeps the state of alert rules, which runs out by itself when
// nobody evaluates a rule any more, and the silences of operators.
package alert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/bt"
	"example.com/lumen/internal/names"
)

// Columns.
const (
	colBody     = "body"
	colStatus   = "status"
	colSeverity = "sev"
	colSeen     = "seen"
	colAck      = "ack"
	colSnooze   = "snooze"
	colFlaps    = "flaps"
	colRule     = "rule"
	colOwner    = "owner"
	colTotal    = "total"
)

// Status of an alert.
type Status string

const (
	Pending  Status = "pending"
	Firing   Status = "firing"
	Resolved Status = "resolved"
)

// State is one alert instance.
type State struct {
	Tenant      string            `json:"tenant"`
	Fingerprint string            `json:"fp"`
	Rule        string            `json:"rule"`
	Status      Status            `json:"status"`
	Severity    string            `json:"severity"`
	Labels      map[string]string `json:"labels"`
	Value       float64           `json:"value"`
	ExpiresAt   time.Time         `json:"expires_at"`
	UpdatedAt   time.Time         `json:"updated_at"`
}

func (s State) key() string { return stateKey(s.Tenant, s.Fingerprint) }

func stateKey(tenant, fp string) string { return tenant + "#" + fp }

func holdFor(st Status) time.Duration {
	switch st {
	case Pending:
		return names.StateTTL / 3
	case Resolved:
		return 4 * names.StateTTL
	default:
		return names.StateTTL
	}
}

// Store reads and writes alerts and silences.
type Store struct {
	states   *bigtable.Table
	silences *bigtable.Table
	history  *bigtable.Table
	now      func() time.Time
	log      *slog.Logger
}

func New(c *bigtable.Client, log *slog.Logger) *Store {
	return &Store{
		states:   c.Open(names.TableAlertState),
		silences: c.Open(names.TableSilences),
		history:  c.Open(names.TableAlertHistory),
		now:      time.Now,
		log:      log.With("store", "alert"),
	}
}

func (s *Store) PutState(ctx context.Context, st State) error {
	body, err := json.Marshal(st)
	if err != nil {
		return fmt.Errorf("alert %s: %w", st.Fingerprint, err)
	}
	until := bigtable.Time(s.now().Add(holdFor(st.Status)))
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(names.FamState, colStatus)                      // ok ttlwrite/delete-after-set
	mut.Set(names.FamState, colStatus, until, []byte(st.Status))            // ok ttlwrite/write-time
	mut.Set(names.FamState, colBody, until, body)                           // ok ttlwrite/write-time
	mut.Set(names.FamState, colSeverity, until, []byte(st.Severity))        // ok ttlwrite/same-timestamp
	mut.Set(names.FamMeta, colRule, bigtable.Now(), []byte(st.Rule))        // ok ttlwrite/write-time
	mut.Set(names.FamMeta, colOwner, bigtable.ServerTime, owner(st.Labels)) // ok ttlwrite/server-timestamp
	return bt.Retry(ctx, "put state", func() error { return s.states.Apply(ctx, st.key(), mut) })
}

func owner(labels map[string]string) []byte {
	if o, ok := labels["owner"]; ok {
		return []byte(o)
	}
	return []byte("nobody")
}

func (s *Store) Heartbeat(ctx context.Context, tenant, fp string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, colSeen, bigtable.Now(), []byte("1")) // want ttlwrite/write-time
	return s.states.Apply(ctx, stateKey(tenant, fp), mut)
}

func (s *Store) HeartbeatAll(ctx context.Context, tenant string, fps []string) error {
	b := bt.NewBatch(s.states, 200)
	until := bt.ExpiresIn(names.StateTTL)
	for _, fp := range fps {
		mut := bigtable.NewMutation()
		mut.Set(names.FamState, colSeen, until, []byte("1")) // ok ttlwrite/write-time
		if err := b.Add(ctx, stateKey(tenant, fp), mut); err != nil {
			return err
		}
	}
	return b.Flush(ctx)
}

func (s *Store) Ack(ctx context.Context, tenant, fp, who string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, colAck, bigtable.ServerTime, []byte(who))    // want ttlwrite/server-timestamp
	mut.Set(names.FamMeta, "acked_by", bigtable.ServerTime, []byte(who)) // ok ttlwrite/server-timestamp
	return s.states.Apply(ctx, stateKey(tenant, fp), mut)
}

func (s *Store) AckFor(ctx context.Context, tenant, fp, who string, d time.Duration) error {
	return bt.Put(ctx, s.states, stateKey(tenant, fp), names.FamState, colAck, bt.ExpiresIn(d), []byte(who)) // ok ttlwrite/server-timestamp
}

func (s *Store) Unack(ctx context.Context, tenant, fp string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, colAck, bigtable.Time(s.now().Add(-time.Minute)), nil) // want ttlwrite/already-expired
	return s.states.Apply(ctx, stateKey(tenant, fp), mut)
}

func (s *Store) Clear(ctx context.Context, tenant, fp string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(names.FamState) // ok ttlwrite/delete-after-set
	mut.Set(names.FamMeta, "cleared", bigtable.Now(), []byte("1"))
	return s.states.Apply(ctx, stateKey(tenant, fp), mut)
}

func (s *Store) Snooze(ctx context.Context, tenant, fp string, until time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, colSnooze, bigtable.Timestamp(until.Unix()), []byte("1")) // want ttlunit/wrong-unit
	return s.states.Apply(ctx, stateKey(tenant, fp), mut)
}

func (s *Store) SnoozeUntil(ctx context.Context, tenant, fp string, until time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, colSnooze, bigtable.Timestamp(until.UnixMicro()), []byte("1"))    // ok ttlunit/wrong-unit
	mut.Set(names.FamState, colSeen, bigtable.Timestamp(until.UnixMilli()*1000), []byte("1")) // ok ttlunit/wrong-unit
	return s.states.Apply(ctx, stateKey(tenant, fp), mut)
}

func (s *Store) Flap(ctx context.Context, tenant, fp string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamState, colFlaps, 1) // want ttlwrite/read-modify-write
	rmw.Increment(names.FamMeta, colTotal, 1)  // ok ttlwrite/read-modify-write
	row, err := s.states.ApplyReadModifyWrite(ctx, stateKey(tenant, fp), rmw)
	if err != nil {
		return 0, err
	}
	it, ok := bt.Cell(row, names.FamState, colFlaps)
	if !ok || len(it.Value) != 8 {
		return 0, errors.New("alert: counter without a value")
	}
	return int64(it.Value[7]) | int64(it.Value[6])<<8, nil
}

func (s *Store) AppendLog(ctx context.Context, tenant, fp, line string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(names.FamMeta, "trail", []byte(line+"\n")) // ok ttlwrite/read-modify-write
	_, err := s.states.ApplyReadModifyWrite(ctx, stateKey(tenant, fp), rmw)
	return err
}

func (s *Store) Archive(ctx context.Context, st State) error {
	body, err := json.Marshal(st)
	if err != nil {
		return err
	}
	hist := bigtable.NewMutation()
	hist.Set(names.FamState, colBody, bigtable.Now(), body)                     // ok ttlwrite/write-time
	hist.Set(names.FamState, colStatus, bigtable.ServerTime, []byte(st.Status)) // ok ttlwrite/server-timestamp
	if err := s.history.Apply(ctx, st.key(), hist); err != nil {
		return err
	}
	drop := bigtable.NewMutation()
	drop.DeleteRow()
	return s.states.Apply(ctx, st.key(), drop)
}

func (s *Store) Replace(ctx context.Context, st State, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, colBody, bt.ExpiresIn(holdFor(st.Status)), body)
	mut.DeleteCellsInFamily(names.FamState) // want ttlwrite/delete-after-set
	return s.states.Apply(ctx, st.key(), mut)
}

// ---- reading ----

func (s *Store) Get(ctx context.Context, tenant, fp string) (*State, error) {
	row, err := bt.One(ctx, s.states, stateKey(tenant, fp), bt.InFamily(names.FamState, bt.Live(), bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeState(row)
}

func decodeState(row bigtable.Row) (*State, error) {
	var st State
	for _, it := range row[names.FamState] {
		switch strings.TrimPrefix(it.Column, names.FamState+":") {
		case colBody:
			if err := json.Unmarshal(it.Value, &st); err != nil {
				return nil, fmt.Errorf("row %q: %w", row.Key(), err)
			}
			st.ExpiresAt = it.Timestamp.Time() // ok ttlage/not-write-time
		case colStatus:
			st.Status = Status(it.Value)
		}
	}
	return &st, nil
}

func (s *Store) Known(ctx context.Context, tenant, fp string) (bool, error) {
	row, err := s.states.ReadRow(ctx, stateKey(tenant, fp), bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // want ttlread/missing-filter
	return len(row) > 0, err
}

func (s *Store) KnownLive(ctx context.Context, tenant, fp string) (bool, error) {
	live := bigtable.ChainFilters(
		bigtable.FamilyFilter(names.FamState),
		bigtable.TimestampRangeFilter(s.now(), time.Time{}),
		bigtable.CellsPerRowLimitFilter(1), // ok ttlread/limit-before-filter
		bigtable.StripValueFilter(),
	)
	row, err := s.states.ReadRow(ctx, stateKey(tenant, fp), bigtable.RowFilter(live)) // ok ttlread/missing-filter
	return len(row) > 0, err
}

func (s *Store) Active(ctx context.Context, tenant string) ([]*State, error) {
	var out []*State
	var bad error
	err := s.states.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(r bigtable.Row) bool { // want ttlread/missing-filter[active]
		st, err := decodeState(r)
		if err != nil {
			bad = err
			return false
		}
		out = append(out, st)
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[active]
	return out, errors.Join(err, bad)
}

func (s *Store) Firing(ctx context.Context, tenant string) ([]*State, error) {
	now := s.now()
	var out []*State
	err := s.states.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[names.FamState] {
			if it.Column != names.FamState+":"+colBody || it.Timestamp.Time().Before(now) {
				continue
			}
			var st State
			if json.Unmarshal(it.Value, &st) == nil && st.Status == Firing {
				out = append(out, &st)
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return out, err
}

func (s *Store) Owners(ctx context.Context, tenant string) (map[string]string, error) {
	out := map[string]string{}
	err := s.states.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[names.FamMeta] {
			if it.Column == names.FamMeta+":"+colOwner {
				out[r.Key()] = string(it.Value)
			}
		}
		return true
	})
	return out, err
}

func (s *Store) Keys(ctx context.Context, tenant string) ([]string, error) {
	var keys []string
	err := s.states.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, r.Key())
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	return keys, err
}

func (s *Store) Sweep(ctx context.Context) (int, error) {
	var keys []string
	var muts []*bigtable.Mutation
	dead := bigtable.TimestampRangeFilter(time.Time{}, s.now().Add(-time.Hour))           // ok ttlread/expired-only
	err := s.states.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/expired-only
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(names.FamState)
		keys, muts = append(keys, r.Key()), append(muts, m)
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamState), dead)))
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	errs, err := s.states.ApplyBulk(ctx, keys, muts)
	return len(keys), errors.Join(append(errs, err)...)
}

func (s *Store) History(ctx context.Context, tenant, fp string) ([]State, error) {
	row, err := s.history.ReadRow(ctx, stateKey(tenant, fp)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []State
	for _, it := range row[names.FamState] {
		st := State{UpdatedAt: it.Timestamp.Time()} // ok ttlage/not-write-time
		if err := json.Unmarshal(it.Value, &st); err != nil {
			continue
		}
		out = append(out, st)
	}
	return out, nil
}

// ---- listing with options ----

// ListOptions select alerts for the list page.
type ListOptions struct {
	Tenant   string
	After    string
	Limit    int64
	Severity string
	WithMeta bool
}

func (o ListOptions) rows() bigtable.RowSet {
	prefix := o.Tenant + "#"
	if o.After == "" {
		return bigtable.PrefixRange(prefix)
	}
	return bigtable.NewRange(prefix+o.After+"\x00", prefix+"\xff")
}

func (o ListOptions) filter(now time.Time) bigtable.Filter {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamState), bigtable.TimestampRangeFilter(now, time.Time{}), bigtable.LatestNFilter(1)) // ok ttlread/hides-other-families
	if o.WithMeta {
		f = bt.Either(f, bt.InFamily(names.FamMeta, bigtable.LatestNFilter(1))) // ok ttlread/unfiltered-branch
	}
	if o.Severity != "" {
		sev := bigtable.ChainFilters(bigtable.ColumnFilter(colSeverity), bigtable.ValueFilter(o.Severity))
		f = bigtable.ConditionFilter(sev, f, nil) // ok ttlread/unfiltered-branch
	}
	return f
}

func (s *Store) List(ctx context.Context, o ListOptions) (rows []bigtable.Row, next string, err error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(o.filter(s.now()))}
	if o.Limit > 0 {
		opts = append(opts, bigtable.LimitRows(o.Limit))
	}
	err = s.states.ReadRows(ctx, o.rows(), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		rows = append(rows, r)
		next = strings.TrimPrefix(r.Key(), o.Tenant+"#")
		return true
	}, opts...)
	if int64(len(rows)) < o.Limit {
		next = ""
	}
	return rows, next, err
}

func (s *Store) Preview(ctx context.Context, tenant, fp string) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters(
		bigtable.FamilyFilter(names.FamState), // want ttlread/unfiltered-branch[preview]
		bigtable.ChainFilters(bigtable.FamilyFilter(names.FamMeta), bigtable.LatestNFilter(1)),
	)
	return s.states.ReadRow(ctx, stateKey(tenant, fp), bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[preview]
}

func (s *Store) PreviewLive(ctx context.Context, tenant, fp string) (bigtable.Row, error) {
	f := bigtable.ConditionFilter(bt.Live(), bigtable.PassAllFilter(), nil)   // want ttlread/unfiltered-branch[prelive]
	return s.states.ReadRow(ctx, stateKey(tenant, fp), bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[prelive]
}

func (s *Store) Details(ctx context.Context, tenant, fp string) (*State, string, error) {
	row, err := s.states.ReadRow(ctx, stateKey(tenant, fp), bigtable.RowFilter(bt.Live())) // want ttlread/hides-other-families
	if err != nil {
		return nil, "", err
	}
	rule, _ := bt.Cell(row, names.FamMeta, colRule)
	st, err := decodeState(row)
	return st, string(rule.Value), err
}

func (s *Store) Body(ctx context.Context, tenant, fp string) (*State, error) {
	row, err := s.states.ReadRow(ctx, stateKey(tenant, fp), bigtable.RowFilter(bt.Live())) // ok ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	return decodeState(row)
}

func (s *Store) Recent(ctx context.Context, tenant string) ([]bigtable.Row, error) {
	since := s.now().Add(-names.StateTTL)
	f := bt.InFamily(names.FamState, bigtable.TimestampRangeFilter(since, time.Time{}))                           // want ttlread/wrong-bound[recent]
	return bt.Collect(ctx, s.states, bt.Query{Rows: bigtable.PrefixRange(tenant), Filters: []bigtable.Filter{f}}) // want ttlread/wrong-bound[recent]
}

func (s *Store) Ending(ctx context.Context, tenant string) ([]bigtable.Row, error) {
	now := s.now()
	f := bt.InFamily(names.FamState, bigtable.TimestampRangeFilter(now, now.Add(5*time.Minute)))                  // want ttlread/upper-bound[ending]
	return bt.Collect(ctx, s.states, bt.Query{Rows: bigtable.PrefixRange(tenant), Filters: []bigtable.Filter{f}}) // want ttlread/upper-bound[ending]
}

func (s *Store) Sane(ctx context.Context, tenant string) ([]bigtable.Row, error) {
	now := s.now()
	f := bt.InFamily(names.FamState, bigtable.TimestampRangeFilter(now, now.Add(names.StateTTL)))                 // ok ttlread/upper-bound
	return bt.Collect(ctx, s.states, bt.Query{Rows: bigtable.PrefixRange(tenant), Filters: []bigtable.Filter{f}}) // ok ttlread/upper-bound
}

func (s *Store) Sample(ctx context.Context, tenant string) ([]bigtable.Row, error) {
	fs := []bigtable.Filter{bigtable.FamilyFilter(names.FamState), bigtable.CellsPerRowLimitFilter(4), bt.Live()} // want ttlread/limit-before-filter[sample]
	return bt.Collect(ctx, s.states, bt.Query{Rows: bigtable.PrefixRange(tenant), Filters: fs, Limit: 50})        // want ttlread/limit-before-filter[sample]
}

func (s *Store) Search(ctx context.Context, tenant, pattern string) ([]bigtable.Row, error) {
	var rows []bigtable.Row
	err := s.states.ReadRows(ctx, bigtable.PrefixRange(tenant), func(r bigtable.Row) bool { rows = append(rows, r); return true }, bigtable.RowFilter(bt.Live()), bigtable.RowFilter(bigtable.ValueFilter(pattern))) // want ttlread/overridden-filter
	return rows, err
}
