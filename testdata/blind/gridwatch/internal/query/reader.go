// Package query answers what the console and the public API ask.
package query

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"example.com/gridwatch/internal/metrics"
	"example.com/gridwatch/internal/retry"
	"example.com/gridwatch/internal/store"
)

// ErrNotFound is returned for rows that do not exist.
var ErrNotFound = errors.New("query: not found")

// RowReader is the reading half of a table.
type RowReader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, set bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

// metered counts and times reads.
type metered struct {
	RowReader
	name string
	reg  *metrics.Registry
}

func (m *metered) ReadRow(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	start := time.Now()
	row, err := m.RowReader.ReadRow(ctx, key, opts...)
	m.reg.Observe("read."+m.name, time.Since(start))
	if err != nil {
		m.reg.Counter("read." + m.name + ".errors").Inc()
	}
	return row, err
}

// API answers.
type API struct {
	sessions  RowReader
	alerts    RowReader
	telemetry RowReader
	shadow    RowReader
	reg       *metrics.Registry
	reqs      chan request
}

// New returns an API on the tables.
func New(t *store.Tables, reg *metrics.Registry) *API {
	return &API{
		sessions:  &metered{RowReader: t.Sessions, name: "sessions", reg: reg},
		alerts:    &metered{RowReader: t.Alerts, name: "alerts", reg: reg},
		telemetry: &metered{RowReader: t.Telemetry, name: "telemetry", reg: reg},
		shadow:    &metered{RowReader: t.Shadow, name: "shadow", reg: reg},
		reg:       reg,
		reqs:      make(chan request, 128),
	}
}

// request is one read that a worker shall do.
type request struct {
	key    string
	filter bigtable.Filter
	reply  chan<- reply
}

type reply struct {
	row bigtable.Row
	err error
}

// Work serves requests for the session table with n workers.
func (a *API) Work(ctx context.Context, n int) error {
	g, ctx := errgroup.WithContext(ctx)
	for range n {
		g.Go(func() error {
			for {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case r := <-a.reqs:
					row, err := a.sessions.ReadRow(ctx, r.key, bigtable.RowFilter(r.filter)) // want ttlread/missing-filter[chanpresence] ttlread/wrong-bound|ttlread/expired-only[chantoken]
					r.reply <- reply{row, err}
				}
			}
		})
	}
	return g.Wait()
}

func (a *API) await(ctx context.Context, ch <-chan reply) (bigtable.Row, error) {
	select {
	case rep := <-ch:
		return rep.row, rep.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Token asks a worker for the live token.
func (a *API) Token(ctx context.Context, device string) (bigtable.Row, error) {
	ch := make(chan reply, 1)
	a.reqs <- request{key: device, filter: store.LiveFamily(store.FamToken), reply: ch} // ok ttlread/missing-filter
	return a.await(ctx, ch)
}

// Presence asks a worker for the presence cells.
func (a *API) Presence(ctx context.Context, device string) (bigtable.Row, error) {
	ch := make(chan reply, 1)
	a.reqs <- request{key: device, filter: bigtable.FamilyFilter(store.FamPresence), reply: ch} // want ttlread/missing-filter[chanpresence]
	return a.await(ctx, ch)
}

// Profile asks a worker for the profile.
func (a *API) Profile(ctx context.Context, device string) (bigtable.Row, error) {
	ch := make(chan reply, 1)
	a.reqs <- request{key: device, filter: bigtable.FamilyFilter(store.FamProfile), reply: ch} // ok ttlread/missing-filter
	return a.await(ctx, ch)
}

// OldTokens asks a worker for the tokens of the last half hour.
func (a *API) OldTokens(ctx context.Context, device string) (bigtable.Row, error) {
	ch := make(chan reply, 1)
	a.reqs <- request{key: device, filter: bigtable.ChainFilters(bigtable.FamilyFilter(store.FamToken), store.Within(store.TokenTTL)), reply: ch} // want ttlread/wrong-bound|ttlread/expired-only[chantoken]
	return a.await(ctx, ch)
}

// PastTokens asks a worker for the tokens up to now.
func (a *API) PastTokens(ctx context.Context, device string) (bigtable.Row, error) {
	ch := make(chan reply, 1)
	a.reqs <- request{key: device, filter: bigtable.ChainFilters(bigtable.FamilyFilter(store.FamToken), bigtable.TimestampRangeFilter(time.Time{}, time.Now())), reply: ch} // want ttlread/wrong-bound|ttlread/expired-only[chantoken]
	return a.await(ctx, ch)
}

// readAs reads a row and parses it.
func readAs[T any](ctx context.Context, r RowReader, key string, f bigtable.Filter, parse func(bigtable.Row) (T, error)) (T, error) {
	var zero T
	row, err := retry.Value(ctx, retry.Default, func(ctx context.Context) (bigtable.Row, error) {
		return r.ReadRow(ctx, key, bigtable.RowFilter(f))
	})
	if err != nil {
		return zero, err
	}
	if len(row) == 0 {
		return zero, fmt.Errorf("%w: %s", ErrNotFound, key)
	}
	return parse(row)
}

func firstOf(family string) func(bigtable.Row) (string, error) {
	return func(row bigtable.Row) (string, error) {
		for _, it := range row[family] {
			return string(it.Value), nil
		}
		return "", ErrNotFound
	}
}

// JWT returns the token of a device.
func (a *API) JWT(ctx context.Context, device string) (string, error) {
	return readAs(ctx, a.sessions, device, bigtable.ChainFilters(store.LiveFamily(store.FamToken), bigtable.ColumnFilter("jwt")), firstOf(store.FamToken)) // ok ttlread/missing-filter
}

// JWTAny returns the token of a device, whatever its state.
func (a *API) JWTAny(ctx context.Context, device string) (string, error) {
	return readAs(ctx, a.sessions, device, bigtable.ChainFilters(bigtable.FamilyFilter(store.FamToken), bigtable.ColumnFilter("jwt")), firstOf(store.FamToken)) // want ttlread/missing-filter
}

// Muted returns who muted a device.
func (a *API) Muted(ctx context.Context, device string) (string, error) {
	return readAs(ctx, a.alerts, device, bigtable.FamilyFilter(store.FamMute), firstOf(store.FamMute)) // want ttlread/missing-filter
}

// MutedLive returns who mutes a device.
func (a *API) MutedLive(ctx context.Context, device string) (string, error) {
	return readAs(ctx, a.alerts, device, store.LiveFamily(store.FamMute), firstOf(store.FamMute)) // ok ttlread/missing-filter
}

// Desired returns a desired value.
func (a *API) Desired(ctx context.Context, device, property string) (string, error) {
	return readAs(ctx, a.shadow, device, bigtable.ChainFilters(bigtable.FamilyFilter(store.FamDesired), bigtable.ColumnFilter(property)), firstOf(store.FamDesired)) // ok ttlread/missing-filter
}

// Revision returns the newest revision of a property.
func (a *API) Revision(ctx context.Context, device, property string) (string, error) {
	return readAs(ctx, a.shadow, device, bigtable.ChainFilters(bigtable.FamilyFilter(store.FamRev), bigtable.ColumnFilter(property)), firstOf(store.FamRev)) // want ttlread/version-limit
}

// RevisionLatest returns it with a limit.
func (a *API) RevisionLatest(ctx context.Context, device, property string) (string, error) {
	return readAs(ctx, a.shadow, device, bigtable.ChainFilters(bigtable.FamilyFilter(store.FamRev), bigtable.ColumnFilter(property), bigtable.LatestNFilter(1)), firstOf(store.FamRev)) // ok ttlread/version-limit
}

// opts collects read options.
func opts(limit int64, f bigtable.Filter) []bigtable.ReadOption {
	var o []bigtable.ReadOption
	if limit > 0 {
		o = append(o, bigtable.LimitRows(limit))
	}
	if f != nil {
		o = append(o, bigtable.RowFilter(f))
	}
	return o
}

// Samples streams raw samples of a device.
func (a *API) Samples(ctx context.Context, device string, out chan<- bigtable.ReadItem) error {
	defer close(out)
	return a.telemetry.ReadRows(ctx, bigtable.PrefixRange(device), func(row bigtable.Row) bool { // want ttlread/missing-filter[samples]
		for _, it := range row[store.FamRaw] {
			out <- it
		}
		return true
	}, opts(1000, bigtable.ChainFilters(bigtable.FamilyFilter(store.FamRaw), bigtable.LatestNFilter(1)))...) // want ttlread/missing-filter[samples]
}

// SamplesLive streams the live ones.
func (a *API) SamplesLive(ctx context.Context, device string, out chan<- bigtable.ReadItem) error {
	defer close(out)
	return a.telemetry.ReadRows(ctx, bigtable.PrefixRange(device), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[store.FamRaw] {
			out <- it
		}
		return true
	}, opts(1000, bigtable.ChainFilters(bigtable.FamilyFilter(store.FamRaw), store.Within(store.RawTTL)))...)
}

// Overview joins what three tables know about a device.
type Overview struct {
	Token    string
	Muted    bool
	Desired  map[string]string
	Profile  map[string]string
	LastSeen time.Time
}

// Overview reads three tables at once.
func (a *API) Overview(ctx context.Context, device string) (*Overview, error) {
	var (
		mu sync.Mutex
		o  = &Overview{Desired: map[string]string{}, Profile: map[string]string{}}
	)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		row, err := a.sessions.ReadRow(ctx, device) // want ttlread/missing-filter
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for _, it := range row[store.FamToken] {
			o.Token = string(it.Value)
		}
		for _, it := range row[store.FamProfile] {
			o.Profile[it.Column] = string(it.Value)
		}
		return nil
	})
	g.Go(func() error {
		row, err := a.alerts.ReadRow(ctx, device, bigtable.RowFilter(store.LiveFamily(store.FamMute))) // ok ttlread/missing-filter
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		o.Muted = len(row) > 0
		return nil
	})
	g.Go(func() error {
		row, err := a.shadow.ReadRow(ctx, device) // ok ttlread/missing-filter
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for _, it := range row[store.FamDesired] {
			o.Desired[it.Column] = string(it.Value)
		}
		for _, it := range row[store.FamReported] {
			if t := it.Timestamp.Time(); t.After(o.LastSeen) {
				o.LastSeen = t // ok ttlage/not-write-time
			}
		}
		return nil
	})
	return o, g.Wait()
}
