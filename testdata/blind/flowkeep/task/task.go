// Package task queues activities for the workers.
package task

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/flowkeep/internal/bt"
	"example.com/flowkeep/internal/codec"
	"example.com/flowkeep/internal/pool"
)

const (
	// TableName is the queue's table.
	TableName = "flow-tasks"

	familyTask    = "task"
	familyAttempt = "attempt"

	// Visibility is how long a task waits for a worker.
	Visibility = time.Hour
)

// Status is what became of a task.
type Status int

// The states of a task.
const (
	Queued Status = iota
	Running
	Done
	Failed
)

// Task is one activity.
type Task struct {
	ID       string        `json:"id"`
	Queue    string        `json:"queue"`
	Activity string        `json:"activity"`
	Input    []byte        `json:"input,omitempty"`
	Timeout  time.Duration `json:"timeout,omitempty"`
	Status   Status        `json:"status"`
	Attempt  int           `json:"attempt"`
	Deadline time.Time     `json:"deadline"`
}

func (t Task) row() string { return t.Queue + "#" + t.ID }

// envelope is a mutation on its way to the writer.
type envelope struct {
	key string
	mut *bigtable.Mutation
}

type backend interface {
	bt.ReadWriter
	bt.BulkApplier
	bt.Counter
}

// Queue is the queue of tasks. Writes go through one goroutine.
type Queue struct {
	tbl   backend
	now   func() time.Time
	log   *slog.Logger
	out   chan envelope
	stamp func(t Task) bigtable.Timestamp
}

// Option changes a queue.
type Option func(*Queue)

// Now replaces the clock.
func Now(f func() time.Time) Option { return func(q *Queue) { q.now = f } }

// Stamp replaces the expiry of tasks.
func Stamp(f func(Task) bigtable.Timestamp) Option { return func(q *Queue) { q.stamp = f } }

// Open opens the queue.
func Open(c *bigtable.Client, opts ...Option) *Queue {
	q := &Queue{tbl: c.Open(TableName), now: time.Now, log: slog.Default(), out: make(chan envelope, 64)}
	q.stamp = q.deadline
	for _, o := range opts {
		o(q)
	}
	return q
}

func (q *Queue) deadline(t Task) bigtable.Timestamp {
	if t.Timeout > 0 {
		return bigtable.Time(q.now().Add(t.Timeout))
	}
	return bigtable.Time(q.now().Add(Visibility))
}

// Write writes what was enqueued, in batches, until ctx ends.
func (q *Queue) Write(ctx context.Context) error {
	batch := make([]envelope, 0, 100)
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		keys, muts := make([]string, len(batch)), make([]*bigtable.Mutation, len(batch))
		for i, e := range batch {
			keys[i], muts[i] = e.key, e.mut
		}
		batch = batch[:0]
		errs, err := q.tbl.ApplyBulk(ctx, keys, muts)
		return errors.Join(append(errs, err)...)
	}
	for {
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), flush())
		case e := <-q.out:
			if batch = append(batch, e); len(batch) == cap(batch) {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
}

// Enqueue queues t.
func (q *Queue) Enqueue(t Task) {
	mut := bigtable.NewMutation()
	mut.Set(familyTask, "body", q.stamp(t), codec.Must(t)) // ok ttlwrite/write-time
	q.out <- envelope{t.row(), mut}
}

// EnqueueAt queues t until its deadline.
func (q *Queue) EnqueueAt(t Task) {
	mut := bigtable.NewMutation()
	mut.Set(familyTask, "body", bigtable.Time(t.Deadline), codec.Must(t)) // ok ttlwrite/write-time
	q.out <- envelope{key: t.row(), mut: mut}
}

// EnqueueQuick queues t for whoever comes first.
func (q *Queue) EnqueueQuick(t Task) {
	mut := bigtable.NewMutation()
	mut.Set(familyTask, "body", bigtable.Now(), codec.Must(t)) // want ttlwrite/write-time
	q.out <- envelope{key: t.row(), mut: mut}
}

// EnqueueSync queues t and waits.
func (q *Queue) EnqueueSync(ctx context.Context, t Task) error {
	return q.tbl.Apply(ctx, t.row(), q.mutation(t, -1)) // want ttlwrite/server-timestamp[sync]
}

// EnqueueUntil queues t until ts.
func (q *Queue) EnqueueUntil(ctx context.Context, t Task) error {
	return q.tbl.Apply(ctx, t.row(), q.mutation(t, q.stamp(t))) // ok ttlwrite/server-timestamp
}

func (q *Queue) mutation(t Task, ts bigtable.Timestamp) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set(familyTask, "body", ts, codec.Must(t))
	return mut
}

// transition is a change of a task's state.
type transition struct {
	from, to Status
	write    func(q *Queue, m *bigtable.Mutation, t Task)
}

// transitions are all that there are.
var transitions = []transition{
	{Queued, Running, func(q *Queue, m *bigtable.Mutation, t Task) {
		m.Set(familyTask, "status", q.stamp(t), codec.Must(Running)) // ok ttlwrite/write-time
		m.Set(familyAttempt, "n", bt.Seq(int64(t.Attempt)), nil)     // ok ttlwrite/unscaled-sequence
	}},
	{Running, Done, func(q *Queue, m *bigtable.Mutation, t Task) {
		m.Set(familyTask, "status", bigtable.Time(q.now()), codec.Must(Done)) // want ttlwrite/write-time
	}},
	{Running, Failed, failed},
	{Failed, Queued, (*Queue).requeue},
}

func failed(q *Queue, m *bigtable.Mutation, t Task) {
	m.Set(familyTask, "status", bigtable.ServerTime, codec.Must(Failed)) // want ttlwrite/server-timestamp
	m.Set(familyAttempt, "failed", bt.Seq(int64(t.Attempt)), nil)        // ok ttlwrite/clock-in-sequence
}

func (q *Queue) requeue(m *bigtable.Mutation, t Task) {
	t.Attempt++
	m.Set(familyTask, "status", q.deadline(t), codec.Must(Queued)) // ok ttlwrite/write-time
	m.Set(familyAttempt, "n", bigtable.Timestamp(t.Attempt), nil)  // want ttlwrite/unscaled-sequence
}

// Move brings t into another state.
func (q *Queue) Move(ctx context.Context, t Task, to Status) error {
	for _, tr := range transitions {
		if tr.from == t.Status && tr.to == to {
			mut := bigtable.NewMutation()
			tr.write(q, mut, t)
			return q.tbl.Apply(ctx, t.row(), mut)
		}
	}
	return fmt.Errorf("task %s: no way from %d to %d", t.ID, t.Status, to)
}

// Attempted records attempt n.
func (q *Queue) Attempted(ctx context.Context, t Task, reason string) error {
	mut := bigtable.NewMutation()
	for n := 1; n <= t.Attempt; n++ {
		mut.Set(familyAttempt, fmt.Sprintf("reason-%d", n), bigtable.Timestamp(n), []byte(reason))      // want ttlwrite/unscaled-sequence
		mut.Set(familyAttempt, fmt.Sprintf("scaled-%d", n), bigtable.Timestamp(n)*1000, []byte(reason)) // ok ttlwrite/unscaled-sequence
	}
	mut.Set(familyAttempt, "at", bigtable.Time(q.now()), nil) // want ttlwrite/clock-in-sequence
	return q.tbl.Apply(ctx, t.row(), mut)
}

// Retry lets the server count the attempts.
func (q *Queue) Retry(ctx context.Context, t Task) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(familyAttempt, "log", []byte("retry\n")) // want ttlwrite/read-modify-write
	rmw.Increment(familyTask, "retries", 1)                  // want ttlwrite/read-modify-write
	_, err := q.tbl.ApplyReadModifyWrite(ctx, t.row(), rmw)
	return err
}

func decode(row bigtable.Row) (Task, error) {
	b, ok := bt.Value(row, familyTask, "body")
	if !ok {
		return Task{}, bt.ErrNotFound
	}
	t, err := codec.JSON[Task]{}.Decode(b)
	for _, it := range row[familyAttempt] {
		t.Attempt = max(t.Attempt, int(bt.SeqOf(it.Timestamp)))
	}
	return t, err
}

func (q *Queue) filter() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.InterleaveFilters(
		bt.In(familyTask, bigtable.TimestampRangeFilter(q.now(), time.Time{})), // ok ttlread/unfiltered-branch
		bt.In(familyAttempt, bigtable.LatestNFilter(1))))                       // ok ttlread/version-limit
}

// Poll reads up to n tasks of queue.
func (q *Queue) Poll(ctx context.Context, queue string, n int64) ([]Task, error) {
	var out []Task
	err := bt.Each(ctx, q.tbl, bigtable.PrefixRange(queue+"#"), decode, func(t Task) bool { // ok ttlread/missing-filter
		out = append(out, t)
		return true
	}, q.filter(), bigtable.LimitRows(n))
	return out, err
}

// PollFast reads up to n tasks of queue, newest cells only.
func (q *Queue) PollFast(ctx context.Context, queue string, n int64) ([]Task, error) {
	var out []Task
	err := bt.Each(ctx, q.tbl, bigtable.PrefixRange(queue+"#"), decode, func(t Task) bool { // want ttlread/missing-filter[pollfast]
		out = append(out, t)
		return true
	}, bigtable.LimitRows(n), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[pollfast]
	return out, err
}

// Get reads one task.
func (q *Queue) Get(ctx context.Context, queue, id string) (Task, error) {
	return bt.One(ctx, q.tbl, queue+"#"+id, decode, q.filter()) // ok ttlread/missing-filter
}

// Depth counts the live tasks of queue.
func (q *Queue) Depth(ctx context.Context, queue string) (int, error) {
	n := 0
	err := q.tbl.ReadRows(ctx, bigtable.PrefixRange(queue+"#"), func(bigtable.Row) bool { n++; return true }, // ok ttlread/missing-filter
		bigtable.RowFilter(bigtable.ChainFilters(bt.In(familyTask, bt.Live(q.now())), bigtable.StripValueFilter())))
	return n, err
}

// Handler does an activity.
type Handler func(ctx context.Context, t Task) error

// Workers polls and runs tasks.
type Workers struct {
	q        *Queue
	size     int
	handlers map[string]Handler
	before   []func(context.Context, Task) error
	after    []func(context.Context, Task, error)
}

// NewWorkers makes a pool of size workers.
func NewWorkers(q *Queue, size int) *Workers {
	w := &Workers{q: q, size: size, handlers: map[string]Handler{}}
	w.before = append(w.before, w.mark)
	w.after = append(w.after, w.settle, w.audit)
	return w
}

// Handle registers h.
func (w *Workers) Handle(activity string, h Handler) { w.handlers[activity] = h }

func (w *Workers) mark(ctx context.Context, t Task) error { return w.q.Move(ctx, t, Running) }

func (w *Workers) settle(ctx context.Context, t Task, err error) {
	to := Done
	if err != nil {
		to = Failed
	}
	if err := w.q.Move(ctx, t, to); err != nil {
		w.q.log.ErrorContext(ctx, "settle", "task", t.ID, "err", err)
	}
}

func (w *Workers) audit(ctx context.Context, t Task, err error) {
	mut := bigtable.NewMutation()
	until := bigtable.Time(w.q.now().Add(t.Timeout + Visibility))
	mut.Set(familyTask, "result", until, []byte(fmt.Sprint(err))) // ok ttlwrite/write-time
	defer func() {
		mut.Set(familyTask, "finished", bigtable.Now(), nil) // want ttlwrite/write-time
		if err := w.q.tbl.Apply(ctx, t.row(), mut); err != nil {
			w.q.log.ErrorContext(ctx, "audit", "task", t.ID, "err", err)
		}
	}()
}

// Run runs one batch of queue.
func (w *Workers) Run(ctx context.Context, queue string) error {
	ts, err := w.q.Poll(ctx, queue, int64(w.size)*2)
	if err != nil {
		return err
	}
	g, _ := pool.WithContext(ctx, w.size)
	for _, t := range ts {
		g.Go(func(ctx context.Context) error {
			fresh, err := w.q.tbl.ReadRow(ctx, t.row(), bigtable.RowFilter(bt.In(familyTask, bigtable.ColumnFilter("status")))) // want ttlread/missing-filter
			if err != nil {
				return err
			}
			if b, ok := bt.Value(fresh, familyTask, "status"); ok && string(b) != "0" {
				return nil
			}
			return w.one(ctx, t)
		})
	}
	return g.Wait()
}

// RunChecked is Run with a check that sees live cells only.
func (w *Workers) RunChecked(ctx context.Context, queue string) error {
	ts, err := w.q.Poll(ctx, queue, int64(w.size)*2)
	if err != nil {
		return err
	}
	live := bt.In(familyTask, bigtable.ColumnFilter("status"), bt.Live(w.q.now()))
	_, err = pool.Map(ctx, w.size, ts, func(ctx context.Context, t Task) (bool, error) {
		fresh, err := w.q.tbl.ReadRow(ctx, t.row(), bigtable.RowFilter(live)) // ok ttlread/missing-filter // ok ttlread/stale-bound
		if err != nil || len(fresh) == 0 {
			return false, err
		}
		return true, w.one(ctx, t)
	})
	return err
}

func (w *Workers) one(ctx context.Context, t Task) error {
	h := w.handlers[t.Activity]
	if h == nil {
		return fmt.Errorf("task %s: no handler for %q", t.ID, t.Activity)
	}
	for _, f := range w.before {
		if err := f(ctx, t); err != nil {
			return err
		}
	}
	if t.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t.Timeout)
		defer cancel()
	}
	err := h(ctx, t)
	for _, f := range w.after {
		f(ctx, t, err)
	}
	return err
}

// WaitTime is how long a task has been waiting.
func (q *Queue) WaitTime(ctx context.Context, t Task) (time.Duration, error) {
	row, err := q.tbl.ReadRow(ctx, t.row(), q.filter())
	if err != nil {
		return 0, err
	}
	var wait time.Duration
	for _, it := range row[familyTask] {
		queued := it.Timestamp.Time()
		wait = max(wait, time.Since(queued)) // want ttlage/not-write-time
	}
	return wait, nil
}

// Remaining is how long a task will still wait.
func (q *Queue) Remaining(ctx context.Context, t Task) (time.Duration, error) {
	row, err := q.tbl.ReadRow(ctx, t.row(), q.filter())
	if err != nil {
		return 0, err
	}
	var left time.Duration
	for _, it := range row[familyTask] {
		deadline := it.Timestamp.Time()
		left = max(left, time.Until(deadline)) // ok ttlage/not-write-time
	}
	return left, nil
}
