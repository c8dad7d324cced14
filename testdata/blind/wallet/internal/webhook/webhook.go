// Package webhook delivers events to merchants. Attempts expire; the cursor of
// an endpoint is numbered and only its newest version is kept.
package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"wallet.example/platform/internal/btx"
	"wallet.example/platform/internal/clock"
	"wallet.example/platform/internal/config"
	"wallet.example/platform/internal/schema"
)

// family is a column family; its String is its name.
type family uint8

const (
	famAttempt family = iota + 1
	famCursor
)

var _families = [...]string{
	famAttempt: "attempt",
	famCursor:  "cursor",
}

// String implements fmt.Stringer.
func (f family) String() string { return _families[f] }

const (
	_retention = 72 * time.Hour
	_colBody   = "body"
	_colCode   = "code"
	_colPos    = "pos"
)

// Event is something that merchants are told.
type Event struct {
	ID       string
	Endpoint string
	Body     []byte
}

// Attempt is a try to deliver an event.
type Attempt struct {
	Event       string
	Code        string
	AttemptedAt time.Time
	LastUpdated string
	DropAt      time.Time
}

// doer sends requests.
type doer interface {
	Do(*http.Request) (*http.Response, error)
}

// expirer decides until when an attempt is kept.
type expirer interface {
	Expiry() bigtable.Timestamp
}

// fixed keeps attempts for a fixed time.
type fixed struct {
	clock clock.Clock
	d     time.Duration
}

func (f fixed) Expiry() bigtable.Timestamp { return btx.ExpiresIn(f.clock, f.d) }

// Params is what New needs.
type Params struct {
	Conn   *btx.Conn
	Clock  clock.Clock
	Config config.Webhook
	HTTP   doer
}

// Result is what New provides.
type Result struct {
	Sender *Sender
}

// Option adjusts a Sender.
type Option interface {
	apply(*options)
}

type options struct {
	parallel int
	expiry   expirer
}

type parallelOption int

func (o parallelOption) apply(opts *options) { opts.parallel = int(o) }

// WithParallel sets how many events are sent at once.
func WithParallel(n int) Option { return parallelOption(n) }

type expiryOption struct{ e expirer }

func (o expiryOption) apply(opts *options) { opts.expiry = o.e }

// WithExpiry keeps attempts as long as e says.
func WithExpiry(e expirer) Option { return expiryOption{e: e} }

// New provides the sender.
func New(p Params, opts ...Option) (Result, error) {
	o := options{parallel: 16, expiry: fixed{clock: p.Clock, d: _retention}}
	for _, opt := range opts {
		opt.apply(&o)
	}
	if o.parallel <= 0 {
		return Result{}, fmt.Errorf("webhook: parallel %d", o.parallel)
	}
	if p.HTTP == nil {
		p.HTTP = http.DefaultClient
	}
	return Result{Sender: &Sender{
		tbl:      p.Conn.Table(schema.TableWebhooks),
		clock:    p.Clock,
		http:     p.HTTP,
		parallel: o.parallel,
		expiry:   o.expiry,
	}}, nil
}

// Sender delivers events.
type Sender struct {
	tbl      btx.Table
	clock    clock.Clock
	http     doer
	parallel int
	expiry   expirer

	seq   atomic.Int64
	steps atomic.Int64
	mu    sync.Mutex
	fails map[string]int
}

// Send delivers events and notes the attempts.
func (s *Sender) Send(ctx context.Context, events []Event) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(s.parallel)
	for _, ev := range events {
		g.Go(func() error {
			code, err := s.post(ctx, ev)
			mut := bigtable.NewMutation()
			mut.Set(famAttempt.String(), _colCode, s.expiry.Expiry(), []byte(code)) // ok ttlwrite/write-time
			if err != nil {
				mut.Set(famAttempt.String(), "error", bigtable.Now(), []byte(err.Error())) // want ttlwrite/write-time
				s.mu.Lock()
				if s.fails == nil {
					s.fails = make(map[string]int)
				}
				s.fails[ev.Endpoint]++
				s.mu.Unlock()
			}
			return s.tbl.Apply(ctx, ev.Endpoint+"#"+ev.ID, mut)
		})
	}
	return g.Wait()
}

func (s *Sender) post(ctx context.Context, ev Event) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, ev.Endpoint, bytes.NewReader(ev.Body))
	if err != nil {
		return "", err
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusMultipleChoices {
		return resp.Status, fmt.Errorf("endpoint: %s", resp.Status)
	}
	return resp.Status, nil
}

// Enqueue stores a body until it is sent.
func (s *Sender) Enqueue(ctx context.Context, ev Event) error {
	mut := bigtable.NewMutation()
	mut.Set(famAttempt.String(), _colBody, bigtable.Time(s.clock.Now().Add(_retention)), ev.Body) // ok ttlwrite/write-time
	mut.Set(famAttempt.String(), "queued", bigtable.Time(time.Now()), nil)                        // want ttlwrite/write-time
	return s.tbl.Apply(ctx, ev.Endpoint+"#"+ev.ID, mut)
}

// EnqueueAll stores the bodies of several events.
func (s *Sender) EnqueueAll(ctx context.Context, events []Event) error {
	batch := btx.NewBatch(s.tbl, 100)
	ts := bigtable.ServerTime
	for _, ev := range events {
		mut := bigtable.NewMutation()
		mut.Set(famAttempt.String(), _colBody, ts, ev.Body)                         // want ttlwrite/server-timestamp
		mut.Set(famAttempt.String(), _colCode, s.expiry.Expiry(), []byte("queued")) // ok ttlwrite/server-timestamp
		if err := batch.Add(ctx, ev.Endpoint+"#"+ev.ID, mut); err != nil {
			return err
		}
	}
	return batch.Flush(ctx)
}

// Advance moves the cursor of an endpoint.
func (s *Sender) Advance(ctx context.Context, endpoint string, pos int64) error {
	mut := bigtable.NewMutation()
	mut.Set(famCursor.String(), _colPos, btx.Sequence(pos), fmt.Appendf(nil, "%d", pos)) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, endpoint, mut)
}

// AdvanceNext moves the cursor of an endpoint by one.
func (s *Sender) AdvanceNext(ctx context.Context, endpoint string) error {
	mut := bigtable.NewMutation()
	mut.Set(famCursor.String(), _colPos, bigtable.Timestamp(s.seq.Add(1)), nil) // want ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, endpoint, mut)
}

// AdvanceThousand moves the cursor of an endpoint by one, scaled.
func (s *Sender) AdvanceThousand(ctx context.Context, endpoint string) error {
	mut := bigtable.NewMutation()
	mut.Set(famCursor.String(), _colPos, bigtable.Timestamp(s.steps.Add(1000)), nil) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, endpoint, mut)
}

// Rewind sets the cursor of an endpoint back to the start.
func (s *Sender) Rewind(ctx context.Context, endpoint string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(famCursor.String(), _colPos)
	mut.Set(famCursor.String(), _colPos, bigtable.Time(s.clock.Now()), []byte("0")) // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, endpoint, mut)
}

// Fail writes down how often endpoints have failed.
func (s *Sender) Fail(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var (
		keys []string
		muts []*bigtable.Mutation
	)
	for endpoint, n := range s.fails {
		mut := bigtable.NewMutation()
		mut.Set(famCursor.String(), "fails", bigtable.Timestamp(n), nil) // want ttlwrite/unscaled-sequence
		keys, muts = append(keys, endpoint), append(muts, mut)
	}
	rowErrs, err := s.tbl.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(rowErrs, err)...)
}

// Acknowledge counts acknowledgements.
func (s *Sender) Acknowledge(ctx context.Context, endpoint string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(famCursor.String(), "acks", 1) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, endpoint, rmw)
	return err
}

// Cursor returns the cursor of an endpoint.
func (s *Sender) Cursor(ctx context.Context, endpoint string) (int64, error) {
	row, err := s.tbl.ReadRow(ctx, endpoint, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/version-limit
		bigtable.FamilyFilter(famCursor.String()),
		bigtable.ColumnFilter(_colPos),
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return 0, err
	}
	for _, item := range row[famCursor.String()] {
		return btx.SequenceNumber(item.Timestamp), nil // ok ttlage/not-write-time
	}
	return 0, nil
}

// Cursors returns the last cursors of an endpoint.
func (s *Sender) Cursors(ctx context.Context, endpoint string) ([]int64, error) {
	row, err := s.tbl.ReadRow(ctx, endpoint, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famCursor.String()), bigtable.LatestNFilter(3)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, item := range row[famCursor.String()] {
		out = append(out, btx.SequenceNumber(item.Timestamp))
	}
	return out, nil
}

// Attempts returns what has been tried for an endpoint.
func (s *Sender) Attempts(ctx context.Context, endpoint string) ([]Attempt, error) {
	var out []Attempt
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(endpoint+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, item := range row[famAttempt.String()] {
			out = append(out, Attempt{
				Event:       row.Key(),
				Code:        string(item.Value),
				DropAt:      item.Timestamp.Time(),                       // ok ttlage/not-write-time
				LastUpdated: item.Timestamp.Time().Format(time.DateTime), // want ttlage/not-write-time
			})
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famAttempt.String()), btx.Live(s.clock.Now()))))
	return out, err
}

// Queue returns the bodies that are still to be sent.
func (s *Sender) Queue(ctx context.Context, endpoint string, limit int64) ([]Event, error) {
	var out []Event
	opts := []bigtable.ReadOption{bigtable.LimitRows(limit)}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(endpoint+"#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, item := range row[famAttempt.String()] {
			if item.Column == famAttempt.String()+":"+_colBody {
				out = append(out, Event{ID: row.Key(), Endpoint: endpoint, Body: item.Value})
			}
		}
		return true
	}, opts...)
	return out, err
}

// QueueLive returns the bodies that are still worth sending.
func (s *Sender) QueueLive(ctx context.Context, endpoint string, limit int64) ([]Event, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famAttempt.String()), btx.Live(s.clock.Now())))}
	if limit > 0 {
		opts = append(opts, bigtable.LimitRows(limit))
	}
	var out []Event
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(endpoint+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, item := range row[famAttempt.String()] {
			out = append(out, Event{ID: row.Key(), Endpoint: endpoint, Body: item.Value})
		}
		return true
	}, opts...) // ok ttlread/overridden-filter
	return out, err
}

// Retry returns events that failed within the last hours.
func (s *Sender) Retry(ctx context.Context, endpoint string, match string) ([]Event, error) {
	now := s.clock.Now()
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famAttempt.String()), btx.Live(now)))}
	opts = append(opts, bigtable.RowFilter(bigtable.ValueFilter(match))) // want ttlread/overridden-filter[retry]
	var out []Event
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(endpoint+"#"), func(row bigtable.Row) bool { // want ttlread/overridden-filter[retry] // maybe ttlread/missing-filter
		for _, item := range row[famAttempt.String()] {
			out = append(out, Event{ID: row.Key(), Endpoint: endpoint, Body: item.Value})
		}
		return true
	}, opts...) // want ttlread/overridden-filter[retry]
	return out, err
}

// Window returns the attempts that are kept for at most a day more.
func (s *Sender) Window(ctx context.Context, endpoint string) (int, error) {
	now := s.clock.Now()
	row, err := s.tbl.ReadRow(ctx, endpoint, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famAttempt.String()), bigtable.TimestampRangeFilter(now, now.Add(24*time.Hour))))) // want ttlread/upper-bound
	if err != nil {
		return 0, err
	}
	return len(row[famAttempt.String()]), nil
}

// WindowAll returns everything that is kept, with an end that nothing reaches.
func (s *Sender) WindowAll(ctx context.Context, endpoint string) (int, error) {
	now := s.clock.Now()
	row, err := s.tbl.ReadRow(ctx, endpoint, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famAttempt.String()), bigtable.TimestampRangeFilter(now, now.Add(4*24*time.Hour))))) // ok ttlread/upper-bound
	if err != nil {
		return 0, err
	}
	return len(row[famAttempt.String()]), nil
}

// Backoff waits longer for attempts that were made lately.
func (s *Sender) Backoff(ctx context.Context, endpoint string) (time.Duration, error) {
	now := s.clock.Now()
	row, err := s.tbl.ReadRow(ctx, endpoint, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famAttempt.String()), btx.Live(now))))
	if err != nil {
		return 0, err
	}
	wait := time.Minute
	for _, item := range row[famAttempt.String()] {
		since := now.Sub(item.Timestamp.Time()) // want ttlage/not-write-time
		if since < time.Minute {
			wait *= 2
		}
	}
	return wait, nil
}
