// Package payment keeps payments as versioned documents: the timestamp of a
// state cell is the version times 1000. Beside it are idempotency keys, which
// expire, and ordinary metadata.
package payment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"wallet.example/platform/internal/btx"
	"wallet.example/platform/internal/clock"
	"wallet.example/platform/internal/config"
	"wallet.example/platform/internal/schema"
)

// Errors of the store.
var (
	ErrNotFound  = errors.New("payment not found")
	ErrDuplicate = errors.New("payment exists")
)

// Status is where a payment stands.
type Status int

// The states of a payment.
const (
	StatusCreated Status = iota
	StatusAuthorized
	StatusCaptured
	StatusRefunded
	StatusFailed
)

// String implements fmt.Stringer.
func (s Status) String() string {
	switch s {
	case StatusCreated:
		return "created"
	case StatusAuthorized:
		return "authorized"
	case StatusCaptured:
		return "captured"
	case StatusRefunded:
		return "refunded"
	case StatusFailed:
		return "failed"
	default:
		return "Status(" + strconv.Itoa(int(s)) + ")"
	}
}

// Payment is a payment.
type Payment struct {
	ID       string `json:"id"`
	Wallet   string `json:"wallet"`
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	Status   Status `json:"status"`
	Version  int64  `json:"version"`
}

const (
	_idemTTL      = 24 * time.Hour
	_keepVersions = 3

	_colKey     schema.Column = "key"
	_colLock    schema.Column = "lock"
	_colStatus  schema.Column = "status"
	_colChannel schema.Column = "channel"
	_colReceipt schema.Column = "receipt"
)

type table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// Params is what New needs.
type Params struct {
	Conn   *btx.Conn
	Clock  clock.Clock
	Config config.Payment
	Tables config.Tables
}

// Result is what New provides.
type Result struct {
	Store  *Store
	Worker *Worker
}

// New provides the store and its worker.
func New(p Params) (Result, error) {
	if p.Config.Workers <= 0 {
		return Result{}, fmt.Errorf("payment: %d workers", p.Config.Workers)
	}
	store := &Store{
		tbl:     p.Conn.Table(schema.Table(p.Tables.Payments)),
		clock:   p.Clock,
		idemTTL: p.Config.IdempotencyTTL,
	}
	return Result{Store: store, Worker: &Worker{store: store, clock: p.Clock, workers: p.Config.Workers}}, nil
}

// Store keeps payments in Bigtable.
type Store struct {
	tbl     table
	clock   clock.Clock
	idemTTL time.Duration
}

// Create writes the first version of a payment, unless its idempotency key has
// been used.
func (s *Store) Create(ctx context.Context, p *Payment, key string) error {
	doc, err := json.Marshal(p)
	if err != nil {
		return err
	}
	p.Version = 1
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyState.String(), schema.ColDoc.String(), btx.Sequence(p.Version), doc)            // ok ttlwrite/unscaled-sequence
	mut.Set(schema.FamilyIdem.String(), _colKey.String(), btx.ExpiresIn(s.clock, s.idemTTL), []byte(key)) // ok ttlwrite/write-time
	mut.Set(schema.FamilyMeta.String(), _colChannel.String(), bigtable.Now(), []byte("api"))              // ok ttlwrite/clock-in-sequence

	pred := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamilyIdem.String()),
		bigtable.ColumnFilter(_colKey.String()),
		btx.Live(s.clock.Now()),
	)
	var exists bool
	cond := bigtable.NewCondMutation(pred, nil, mut) // ok ttlread/conditional-mutation
	if err := s.tbl.Apply(ctx, p.ID, cond, bigtable.GetCondMutationResult(&exists)); err != nil {
		return fmt.Errorf("create %q: %w", p.ID, err)
	}
	if exists {
		return ErrDuplicate
	}
	return nil
}

// Lock takes a payment for a worker; false if another one has it.
func (s *Store) Lock(ctx context.Context, id, worker string) (bool, error) {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyIdem.String(), _colLock.String(), btx.ExpiresIn(s.clock, time.Minute), []byte(worker)) // ok ttlwrite/write-time
	pred := btx.Cell(schema.FamilyIdem, _colLock)
	var held bool
	cond := bigtable.NewCondMutation(pred, nil, mut) // want ttlread/conditional-mutation
	if err := s.tbl.Apply(ctx, id, cond, bigtable.GetCondMutationResult(&held)); err != nil {
		return false, err
	}
	return !held, nil
}

// Unlock gives a payment back, if worker has it.
func (s *Store) Unlock(ctx context.Context, id, worker string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInColumn(schema.FamilyIdem.String(), _colLock.String())
	pred := bigtable.ChainFilters(btx.Cell(schema.FamilyIdem, _colLock), bigtable.ValueFilter(worker))
	return s.tbl.Apply(ctx, id, bigtable.NewCondMutation(pred, del, nil)) // ok ttlread/conditional-mutation
}

// MarkReceipt notes that a receipt went out, once.
func (s *Store) MarkReceipt(ctx context.Context, id string) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamilyMeta.String(), _colReceipt.String(), bigtable.Now(), []byte("sent"))
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamilyMeta.String()), bigtable.ColumnFilter(_colReceipt.String()))
	return s.tbl.Apply(ctx, id, bigtable.NewCondMutation(pred, nil, set)) // ok ttlread/conditional-mutation
}

// Save writes the next version of a payment.
func (s *Store) Save(ctx context.Context, p *Payment) error {
	p.Version++
	doc, err := json.Marshal(p)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyState.String(), schema.ColDoc.String(), bigtable.Timestamp(p.Version), doc)                         // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamilyState.String(), _colStatus.String(), bigtable.Timestamp(p.Version*1000), []byte(p.Status.String())) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, p.ID, mut)
}

// Fail marks a payment as failed.
func (s *Store) Fail(ctx context.Context, p *Payment, reason string) error {
	p.Status = StatusFailed
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyState.String(), _colStatus.String(), btx.Stamp(s.clock), []byte(p.Status.String())) // want ttlwrite/clock-in-sequence
	mut.Set(schema.FamilyMeta.String(), "reason", btx.Stamp(s.clock), []byte(reason))                        // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, p.ID, mut)
}

// Capture writes the state of a captured payment.
func (s *Store) Capture(ctx context.Context, p *Payment) error {
	doc, err := json.Marshal(p)
	if err != nil {
		return err
	}
	family := schema.FamilyState.String()
	mut := bigtable.NewMutation()
	mut.Set(family, schema.ColDoc.String(), bigtable.ServerTime, doc)             // want ttlwrite/clock-in-sequence
	mut.Set(family, "captured", bigtable.Time(s.clock.Now()), []byte(p.Currency)) // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, p.ID, mut)
}

// Refund counts refunds in the state.
func (s *Store) Refund(ctx context.Context, p *Payment, amount int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamilyState.String(), "refunded", amount) // want ttlwrite/read-modify-write
	rmw.Increment(schema.FamilyMeta.String(), "refunds", 1)        // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, p.ID, rmw)
	return err
}

// Seen appends to the log of uses of an idempotency key.
func (s *Store) Seen(ctx context.Context, id, who string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(schema.FamilyIdem.String(), "seen", []byte(who+"\n")) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// Get returns the newest version.
func (s *Store) Get(ctx context.Context, id string) (*Payment, error) {
	row, err := s.tbl.ReadRow(ctx, id, bigtable.RowFilter(btx.Cell(schema.FamilyState, schema.ColDoc))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return decode(row)
}

func decode(row bigtable.Row) (*Payment, error) {
	for _, item := range row[schema.FamilyState.String()] {
		if item.Column != schema.Qualified(schema.FamilyState, schema.ColDoc) {
			continue
		}
		var p Payment
		if err := json.Unmarshal(item.Value, &p); err != nil {
			return nil, err
		}
		p.Version = btx.SequenceNumber(item.Timestamp) // ok ttlage/not-write-time
		return &p, nil
	}
	return nil, ErrNotFound
}

// GetByFamily reads the whole state.
func (s *Store) GetByFamily(ctx context.Context, id string) (*Payment, error) {
	row, err := s.tbl.ReadRow(ctx, id, bigtable.RowFilter(btx.Only(schema.FamilyState))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return decode(row)
}

// GetAny reads the row as it is.
func (s *Store) GetAny(ctx context.Context, id string) (*Payment, error) {
	row, err := s.tbl.ReadRow(ctx, id) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decode(row)
}

// History returns the versions that are kept.
func (s *Store) History(ctx context.Context, id string) ([]*Payment, error) {
	return s.history(ctx, id, bigtable.LatestNFilter(_keepVersions)) // ok ttlread/version-limit
}

// FullHistory is for disputes.
func (s *Store) FullHistory(ctx context.Context, id string) ([]*Payment, error) {
	return s.history(ctx, id, bigtable.LatestNFilter(50)) // want ttlread/version-limit
}

func (s *Store) history(ctx context.Context, id string, limit bigtable.Filter) ([]*Payment, error) {
	row, err := s.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamilyState.String()),
		bigtable.ColumnFilter(schema.ColDoc.String()),
		limit,
	)))
	if err != nil {
		return nil, err
	}
	var out []*Payment
	for _, item := range row[schema.FamilyState.String()] {
		var p Payment
		if err := json.Unmarshal(item.Value, &p); err != nil {
			return nil, err
		}
		out = append(out, &p)
	}
	return out, nil
}

// ChangedSince returns the payments of a wallet that changed within a day.
func (s *Store) ChangedSince(ctx context.Context, wallet string) ([]*Payment, error) {
	filter := bigtable.ChainFilters( // want ttlread/wrong-bound[changedsince]
		bigtable.FamilyFilter(schema.FamilyState.String()),
		btx.Since(s.clock.Now(), 24*time.Hour), // want ttlread/wrong-bound[changedsince]
		bigtable.LatestNFilter(1),
	)
	var (
		out     []*Payment
		scanErr error
	)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(wallet+"#"), func(row bigtable.Row) bool { // want ttlread/wrong-bound[changedsince]
		p, err := decode(row)
		if err != nil {
			scanErr = err
			return false
		}
		out = append(out, p)
		return true
	}, bigtable.RowFilter(filter)) // want ttlread/wrong-bound[changedsince]
	return out, errors.Join(err, scanErr)
}

// VersionRange returns versions by number.
func (s *Store) VersionRange(ctx context.Context, id string, from, to int64) (int, error) {
	row, err := s.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamilyState.String()),
		bigtable.LatestNFilter(3),
		bigtable.TimestampRangeFilterMicros(btx.Sequence(from), btx.Sequence(to+1)), // ok ttlread/wrong-bound
	)))
	if err != nil {
		return 0, err
	}
	return len(row[schema.FamilyState.String()]), nil
}

// Captured returns the payments whose newest state is captured.
func (s *Store) Captured(ctx context.Context, wallet string) ([]string, error) {
	var ids []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(wallet+"#"), func(row bigtable.Row) bool { // ok ttlread/version-limit
		if v, ok := btx.Value(row, schema.FamilyState, _colStatus); ok {
			ids = append(ids, row.Key()+":"+string(v))
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		btx.Cell(schema.FamilyState, _colStatus),
		bigtable.ValueFilter(StatusCaptured.String()),
	)))
	return ids, err
}

// Refunded is Captured for refunds.
func (s *Store) Refunded(ctx context.Context, wallet string) ([]string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamilyState.String()), bigtable.ColumnFilter(_colStatus.String()), bigtable.ValueFilter("refunded"), bigtable.LatestNFilter(1)) // want ttlread/version-limit[refunded]
	var ids []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(wallet+"#"), func(row bigtable.Row) bool { // want ttlread/version-limit[refunded]
		if v, ok := btx.Value(row, schema.FamilyState, _colStatus); ok {
			ids = append(ids, row.Key()+":"+string(v))
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/version-limit[refunded]
	return ids, err
}

// Channel returns where a payment came from.
func (s *Store) Channel(ctx context.Context, id string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, id, bigtable.RowFilter(btx.Latest(schema.FamilyMeta))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	v, ok := btx.Value(row, schema.FamilyMeta, _colChannel)
	if !ok {
		return "", ErrNotFound
	}
	return string(v), nil
}

// Summary is what the dashboard shows.
type Summary struct {
	ID        string
	Status    string
	UpdatedAt string
	Channel   string
	Since     time.Time
	Version   int64
}

// Summarize reads state and metadata.
func (s *Store) Summarize(ctx context.Context, id string) (*Summary, error) {
	row, err := s.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		btx.Latest(schema.FamilyState),
		btx.Latest(schema.FamilyMeta),
	)))
	if err != nil {
		return nil, err
	}
	sum := &Summary{ID: id}
	for _, item := range row[schema.FamilyState.String()] {
		sum.Status = string(item.Value)
		sum.UpdatedAt = item.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
		sum.Version = int64(item.Timestamp) / 1000                 // ok ttlage/not-write-time
	}
	for _, item := range row[schema.FamilyMeta.String()] {
		sum.Channel = string(item.Value)
		sum.Since = item.Timestamp.Time() // ok ttlage/not-write-time
	}
	return sum, nil
}

// Worker settles payments in the background.
type Worker struct {
	store   *Store
	clock   clock.Clock
	workers int

	mu   sync.Mutex
	done map[string]int64
}

// Settle writes settled states for several payments.
func (w *Worker) Settle(ctx context.Context, payments []*Payment) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(w.workers)
	for _, p := range payments {
		g.Go(func() error {
			mut := bigtable.NewMutation()
			mut.Set(schema.FamilyState.String(), "settled", bigtable.Now(), []byte(p.Currency)) // want ttlwrite/clock-in-sequence
			mut.Set(schema.FamilyMeta.String(), "settled", bigtable.Now(), []byte(p.Currency))  // ok ttlwrite/clock-in-sequence
			if err := w.store.tbl.Apply(ctx, p.ID, mut); err != nil {
				return err
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.done == nil {
				w.done = make(map[string]int64)
			}
			w.done[p.ID]++
			return nil
		})
	}
	return g.Wait()
}

// Checkpoint writes how often each payment has been settled.
func (w *Worker) Checkpoint(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var (
		keys []string
		muts []*bigtable.Mutation
	)
	for id := range w.done {
		w.done[id]++
		mut := bigtable.NewMutation()
		mut.Set(schema.FamilyState.String(), "checkpoint", bigtable.Timestamp(w.done[id]), nil) // want ttlwrite/unscaled-sequence
		mut.Set(schema.FamilyState.String(), "rounds", btx.Sequence(w.done[id]), nil)           // ok ttlwrite/unscaled-sequence
		keys = append(keys, id)
		muts = append(muts, mut)
	}
	if len(keys) == 0 {
		return nil
	}
	_, err := w.store.tbl.ApplyBulk(ctx, keys, muts)
	return err
}

// Stuck returns the payments whose lock is about to run out.
func (w *Worker) Stuck(ctx context.Context, wallet string) ([]string, error) {
	now := w.clock.Now()
	var ids []string
	err := w.store.tbl.ReadRows(ctx, bigtable.PrefixRange(wallet+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, item := range row[schema.FamilyIdem.String()] {
			if left := item.Timestamp.Time().Sub(now); left > 0 && left < 10*time.Second { // ok ttlage/not-write-time
				ids = append(ids, row.Key())
			}
		}
		return true
	}, bigtable.RowFilter(btx.Only(schema.FamilyIdem)))
	return ids, err
}

// Locked returns who holds which payment of a wallet.
func (w *Worker) Locked(ctx context.Context, wallet string) (map[string]string, error) {
	out := make(map[string]string)
	err := w.store.tbl.ReadRows(ctx, bigtable.PrefixRange(wallet+"#"), func(row bigtable.Row) bool { // want ttlread/missing-filter[locked]
		if v, ok := btx.Value(row, schema.FamilyIdem, _colLock); ok {
			out[row.Key()] = string(v)
		}
		return true
	}, bigtable.RowFilter(btx.Cell(schema.FamilyIdem, _colLock)), bigtable.LimitRows(1000)) // want ttlread/missing-filter[locked]
	return out, err
}

// HeldFor says how long a lock has been held.
func (w *Worker) HeldFor(ctx context.Context, id string) (time.Duration, error) {
	now := w.clock.Now()
	row, err := w.store.tbl.ReadRow(ctx, id, bigtable.RowFilter(btx.Only(schema.FamilyIdem, btx.Live(now)))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, item := range row[schema.FamilyIdem.String()] {
		return now.Sub(item.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, ErrNotFound
}
