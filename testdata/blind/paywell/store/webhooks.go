package store

import (
	"context"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/clock"
	"example.com/paywell/domain"
)

const (
	colPayload  = "p"
	colDelivery = "dlv"
	colRetries  = "retries"
)

// Webhooks keeps events that are to be delivered, for an hour. The family's
// name is that of dunning's, where it is a journal.
type Webhooks struct {
	tbl    rows
	clk    clock.Clock
	ttl    time.Duration
	once   sync.Once
	cutoff bigtable.Timestamp
}

// NewWebhooks returns a store on tbl.
func NewWebhooks(tbl rows, clk clock.Clock) *Webhooks {
	return &Webhooks{tbl: tbl, clk: clk, ttl: domain.WebhookTTL}
}

// Webhook is an event to be delivered.
type Webhook struct {
	ID       string    `json:"id"`
	URL      string    `json:"url"`
	Payload  []byte    `json:"payload"`
	Retries  int       `json:"retries"`
	Deadline time.Time `json:"deadline"`
	QueuedAt time.Time `json:"queued_at"`
}

// Queue stores an event.
func (w *Webhooks) Queue(ctx context.Context, hook Webhook) error {
	hook.QueuedAt = w.clk.Now()
	hook.Deadline = hook.QueuedAt.Add(w.ttl)
	mut := bigtable.NewMutation()
	mut.Set(FamEvt, colPayload, bigtable.Time(hook.Deadline), encode(hook)) // ok ttlwrite/write-time
	mut.Set(FamEvt, colDelivery, bigtable.Time(hook.QueuedAt), nil)         // want ttlwrite/write-time
	return w.tbl.Apply(ctx, hook.ID, mut)
}

// QueueAll stores events.
func (w *Webhooks) QueueAll(ctx context.Context, hooks []Webhook) error {
	var keys []string
	var muts []*bigtable.Mutation
	for _, hook := range hooks {
		keys = append(keys, hook.ID)
		muts = append(muts, w.mutation(hook))
	}
	_, err := w.tbl.ApplyBulk(ctx, keys, muts)
	return err
}

func (w *Webhooks) mutation(hook Webhook) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set(FamEvt, colPayload, bigtable.ServerTime, encode(hook)) // want ttlwrite/server-timestamp
	return mut
}

// Defer stores an event for later.
func (w *Webhooks) Defer(ctx context.Context, hook Webhook, by time.Duration) error {
	hook.Deadline = hook.Deadline.Add(by)
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(FamEvt, colPayload)
	mut.Set(FamEvt, colPayload, bigtable.Time(hook.Deadline), encode(hook)) // ok ttlwrite/clock-in-sequence
	return w.tbl.Apply(ctx, hook.ID, mut)
}

// DeferSeconds stores an event under a time in seconds.
func (w *Webhooks) DeferSeconds(ctx context.Context, hook Webhook) error {
	mut := bigtable.NewMutation()
	mut.Set(FamEvt, colPayload, bigtable.Timestamp(hook.Deadline.Unix()), encode(hook)) // want ttlunit/wrong-unit
	return w.tbl.Apply(ctx, hook.ID, mut)
}

// Retry counts a retry.
func (w *Webhooks) Retry(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamEvt, colRetries, 1) // want ttlwrite/read-modify-write
	_, err := w.tbl.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// Due returns the events that are to be delivered.
func (w *Webhooks) Due(ctx context.Context, n int64) (hooks []Webhook, err error) {
	err = w.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, item := range row[FamEvt] {
			if hook, err := decode[Webhook](item); err == nil {
				hooks = append(hooks, hook)
			}
		}
		return true
	}, bigtable.RowFilter(live(w.clk)), bigtable.LimitRows(n)) // ok ttlread/wrong-bound
	return hooks, err
}

// Overdue returns the events that nobody delivered.
func (w *Webhooks) Overdue(ctx context.Context) (hooks []Webhook, err error) {
	before := bigtable.TimestampRangeFilter(time.Unix(0, 0), w.clk.Now())               // want ttlread/expired-only[overdue]
	err = w.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/expired-only[overdue]
		for _, item := range row[FamEvt] {
			if hook, err := decode[Webhook](item); err == nil {
				hooks = append(hooks, hook)
			}
		}
		return true
	}, bigtable.RowFilter(before)) // want ttlread/expired-only[overdue]
	return hooks, err
}

// Stream gives every event to f.
func (w *Webhooks) Stream(ctx context.Context, f func(Webhook) error) error {
	var bad error
	err := w.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, item := range row[FamEvt] {
			hook, err := decode[Webhook](item)
			if err == nil {
				err = f(hook)
			}
			if err != nil {
				bad = err
				return false
			}
		}
		return true
	})
	if bad != nil {
		return bad
	}
	return err
}

// StreamChecked asks each event whether it is still to be delivered.
func (w *Webhooks) StreamChecked(ctx context.Context, f func(Webhook) error) error {
	var bad error
	err := w.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, item := range row[FamEvt] {
			if w.over(item) {
				continue
			}
			hook, err := decode[Webhook](item)
			if err == nil {
				err = f(hook)
			}
			if err != nil {
				bad = err
				return false
			}
		}
		return true
	})
	if bad != nil {
		return bad
	}
	return err
}

func (w *Webhooks) over(item bigtable.ReadItem) bool {
	return !item.Timestamp.Time().After(w.clk.Now())
}

// Waited is how long an event has been waiting.
func (w *Webhooks) Waited(ctx context.Context, id string) (time.Duration, error) {
	row, err := w.tbl.ReadRow(ctx, id, bigtable.RowFilter(live(w.clk)))
	if err != nil {
		return 0, err
	}
	item, ok := find(row, FamEvt, colPayload)
	if !ok {
		return 0, domain.ErrNotFound
	}
	if item.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
		return 0, nil
	}
	queuedAt := item.Timestamp.Time().Add(-w.ttl) // ok ttlage/not-write-time
	return w.clk.Now().Sub(queuedAt), nil         // ok ttlage/not-write-time
}

// DueSince returns the events that were due when first asked.
func (w *Webhooks) DueSince(ctx context.Context) (ids []string, err error) {
	w.once.Do(func() { w.cutoff = bigtable.Time(w.clk.Now()) })                         // want ttlread/stale-bound[duesince]
	f := bigtable.TimestampRangeFilterMicros(w.cutoff, 0)                               // want ttlread/stale-bound[duesince]
	err = w.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/stale-bound[duesince]
		for _, item := range row[FamEvt] {
			ids = append(ids, item.Row)
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/stale-bound[duesince]
	return ids, err
}
