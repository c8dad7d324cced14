package server

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

func newID() string { return rand.Text() }

// Admin are the handlers of the operators' console. They talk to tables
// directly; the console predates the stores.
type Admin struct {
	tokens *bigtable.Table
	quotas *bigtable.Table
	prefs  *bigtable.Table
	leases *bigtable.Table

	once  sync.Once
	since time.Time
}

// NewAdmin makes the handlers.
func NewAdmin(c *bigtable.Client) *Admin {
	return &Admin{
		tokens: c.Open(string(schema.Tokens)),
		quotas: c.Open(string(schema.Quotas)),
		prefs:  c.Open(string(schema.Prefs)),
		leases: c.Open(string(schema.Leases)),
	}
}

// Page asks for a page of rows.
type Page struct {
	Prefix string
	Limit  int64
	// All includes what is expired.
	All bool
}

// Entry is a row of the console.
type Entry struct {
	Key     string
	Values  map[string]string
	Written time.Time
	Expires time.Time
}

// ListTokens lists tokens.
func (a *Admin) ListTokens(ctx context.Context, p *Page) ([]Entry, error) {
	opts := []bigtable.ReadOption{bigtable.LimitRows(p.Limit)}
	filter := bigtable.ChainFilters(bigtable.FamilyFilter("access|refresh"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	opts = append(opts, bigtable.RowFilter(filter))
	var out []Entry
	err := a.tokens.ReadRows(ctx, bigtable.PrefixRange(p.Prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		e := Entry{Key: r.Key(), Values: map[string]string{}}
		for _, items := range r {
			for _, it := range items {
				e.Values[it.Column] = string(it.Value)
				e.Expires = it.Timestamp.Time() // ok ttlage/not-write-time
			}
		}
		out = append(out, e)
		return true
	}, opts...)
	return out, err
}

// ListWindows lists quota windows.
func (a *Admin) ListWindows(ctx context.Context, p *Page) ([]Entry, error) {
	filter := bigtable.FamilyFilter(schema.FamWindow)
	if !p.All {
		filter = bigtable.ChainFilters(filter, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	var out []Entry
	err := a.quotas.ReadRows(ctx, bigtable.PrefixRange(p.Prefix), func(r bigtable.Row) bool { // strict ttlread/missing-filter // ok ttlread/missing-filter
		e := Entry{Key: r.Key(), Values: map[string]string{}}
		for it := range bt.Cells(r, schema.FamWindow) {
			e.Values[it.Column] = string(it.Value)
			e.Written = it.Timestamp.Time() // want ttlage/not-write-time
		}
		out = append(out, e)
		return true
	}, bigtable.RowFilter(filter), bigtable.LimitRows(p.Limit))
	return out, err
}

// ListLeases lists leases.
func (a *Admin) ListLeases(ctx context.Context, p *Page) ([]Entry, error) {
	a.once.Do(func() { a.since = time.Now() })                                                                                 // want ttlread/stale-bound[leases]
	live := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamLease), bigtable.TimestampRangeFilter(a.since, time.Time{})) // want ttlread/stale-bound[leases]
	var out []Entry
	err := a.leases.ReadRows(ctx, bigtable.PrefixRange(p.Prefix), func(r bigtable.Row) bool { // want ttlread/stale-bound[leases]
		for it := range bt.Cells(r, schema.FamLease) {
			out = append(out, Entry{Key: r.Key(), Values: map[string]string{it.Column: string(it.Value)}, Expires: it.Timestamp.Time()})
		}
		return true
	}, bigtable.RowFilter(live), bigtable.LimitRows(p.Limit))
	return out, err
}

// Quota is a subject's limit and what is used of it.
func (a *Admin) Quota(ctx context.Context, subject string) (*Entry, error) {
	row, err := a.quotas.ReadRow(ctx, subject) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	e := &Entry{Key: subject, Values: map[string]string{}}
	for _, fam := range []string{schema.FamLimit, schema.FamWindow} {
		for _, it := range row[fam] {
			e.Values[it.Column] = string(it.Value)
		}
	}
	return e, nil
}

// QuotaLimit is Quota without usage.
func (a *Admin) QuotaLimit(ctx context.Context, subject string) (*Entry, error) {
	row, err := a.quotas.ReadRow(ctx, subject) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	e := &Entry{Key: subject, Values: map[string]string{}}
	for _, it := range row[schema.FamLimit] {
		e.Values[it.Column] = string(it.Value)
	}
	return e, nil
}

// QuotaLive is Quota with a filter.
func (a *Admin) QuotaLive(ctx context.Context, subject string) (bigtable.Row, error) {
	return a.quotas.ReadRow(ctx, subject, bigtable.RowFilter(bigtable.ConditionFilter(
		bigtable.FamilyFilter(schema.FamWindow),                                                // ok ttlread/unfiltered-branch
		bigtable.InterleaveFilters(bt.In(schema.FamWindow, bt.Live()), bt.In(schema.FamLimit)), // ok ttlread/unfiltered-branch
		bigtable.FamilyFilter(schema.FamLimit),                                                 // ok ttlread/unfiltered-branch
	)))
}

// QuotaCond is what QuotaLive was before.
func (a *Admin) QuotaCond(ctx context.Context, subject string) (bigtable.Row, error) {
	return a.quotas.ReadRow(ctx, subject, bigtable.RowFilter(bigtable.ConditionFilter( // want ttlread/unfiltered-branch[qcond]
		bt.In(schema.FamWindow, bt.Live()),
		bigtable.PassAllFilter(), // want ttlread/unfiltered-branch[qcond]
		bigtable.FamilyFilter(schema.FamLimit),
	)))
}

// Unset asks whether a cell was written without a timestamp.
func (a *Admin) Unset(ctx context.Context, user string) (n int, err error) {
	row, err := a.prefs.ReadRow(ctx, user, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamPref)))
	if err != nil {
		return 0, err
	}
	for it := range bt.Cells(row, schema.FamPref) {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			n++
		}
		if it.Timestamp == bt.Epoch { // ok ttlage/server-sentinel
			n++
		}
	}
	return n, nil
}

// SetLimitRequest sets a limit by hand.
type SetLimitRequest struct {
	Subject string
	Units   string
	At      bigtable.Timestamp
}

// SetLimit sets a limit by hand.
func (a *Admin) SetLimit(ctx context.Context, req *SetLimitRequest) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamLimit, "units", req.At, []byte(req.Units)) // ok ttlwrite/clock-in-zero
	return a.quotas.Apply(ctx, req.Subject, m)
}

// GrantTime gives a token time until t, or for the usual time.
func (a *Admin) GrantTime(ctx context.Context, key string, ts bigtable.Timestamp) error {
	if ts == bigtable.ServerTime { // ok ttlage/server-sentinel
		ts = bt.ExpireIn(schema.AccessTTL)
	}
	m := bigtable.NewMutation()
	m.Set("access", "grace", ts, nil) // ok ttlwrite/server-timestamp
	return a.tokens.Apply(ctx, key, m)
}
