// Package outbox is the queue of notifications that wait to be sent. A job is a
// row of the table outbox; what is not sent within six hours is dropped.
package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/bt"
	"example.com/skylark/internal/metrics"
	"example.com/skylark/internal/pipeline"
	"example.com/skylark/internal/queue"
)

// Channel is how a notification travels.
type Channel string

// Channels.
const (
	Email   Channel = "email"
	Push    Channel = "push"
	SMS     Channel = "sms"
	Webhook Channel = "webhook"
)

// Job is a notification.
type Job struct {
	ID       string    `json:"id"`
	Channel  Channel   `json:"channel"`
	To       string    `json:"to"`
	Body     string    `json:"body"`
	Attempt  int       `json:"attempt"`
	Deadline time.Time `json:"deadline"`
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
}

// Receipt says what became of a job.
type Receipt struct {
	ID     string    `json:"id"`
	Status string    `json:"status"`
	Until  time.Time `json:"until"`
	SentAt time.Time `json:"sent_at"`
}

// Sender delivers jobs of a channel.
type Sender interface {
	Send(ctx context.Context, j *Job) error
}

// SenderFunc is a Sender.
type SenderFunc func(context.Context, *Job) error

// Send calls f.
func (f SenderFunc) Send(ctx context.Context, j *Job) error { return f(ctx, j) }

// retention per channel. Webhooks are retried longest.
var retention = map[Channel]time.Duration{
	Email:   bt.JobTTL,
	Push:    bt.PushTTL,
	SMS:     bt.JobTTL,
	Webhook: 12 * time.Hour,
}

// Queue is the outbox.
type Queue struct {
	tbl     bigtable.TableAPI
	senders map[Channel]Sender
	jobs    chan *Job
	retries chan *Job
	receipt chan Receipt
	log     *slog.Logger
	m       *metrics.Set
	now     func() time.Time
}

// New returns the outbox.
func New(s *bt.Stores, senders map[Channel]Sender, log *slog.Logger, m *metrics.Set) *Queue {
	return &Queue{
		tbl:     s.Outbox,
		senders: senders,
		jobs:    make(chan *Job, 128),
		retries: make(chan *Job, 128),
		receipt: make(chan Receipt, 128),
		log:     log,
		m:       m,
		now:     time.Now,
	}
}

// Handle takes a message of the topic notify.
func (q *Queue) Handle(ctx context.Context, msg *queue.Message) error {
	var j Job
	if err := msg.Decode(&j); err != nil {
		return nil
	}
	j.ID = msg.ID
	if err := q.Enqueue(ctx, &j); err != nil {
		return err
	}
	select {
	case q.jobs <- &j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Enqueue stores a job.
func (q *Queue) Enqueue(ctx context.Context, j *Job) error {
	body, err := json.Marshal(j)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	ts := bigtable.Time(q.now().Add(bt.JobTTL))
	m.Set(bt.FamJob, "body", ts, body)                                        // ok ttlwrite/write-time
	m.Set(bt.FamJob, "channel", ts, []byte(j.Channel))                        // ok ttlwrite/same-timestamp
	m.Set(bt.FamJob, "queued", bigtable.ServerTime, []byte(q.now().String())) // want ttlwrite/server-timestamp
	m.Set(bt.FamReceipt, "status", bigtable.ServerTime, []byte("queued"))     // ok ttlwrite/server-timestamp
	return q.tbl.Apply(ctx, j.ID, m)
}

// Run sends jobs with the given number of workers and retries what failed.
func (q *Queue) Run(ctx context.Context, workers int) error {
	g, ctx := pipeline.NewGroup(ctx)
	work := pipeline.Merge(ctx, (<-chan *Job)(q.jobs), (<-chan *Job)(q.retries))
	results := pipeline.Map(ctx, work, workers, q.deliver)
	g.Go(func() error { return pipeline.Drain(ctx, results, q.settle) })
	g.Go(func() error { return q.writeReceipts(ctx) })
	g.Go(func() error { return q.recoverLoop(ctx, time.Minute) })
	return g.Wait()
}

type outcome struct {
	job *Job
	err error
}

func (q *Queue) deliver(ctx context.Context, j *Job) (outcome, bool) {
	s, ok := q.senders[j.Channel]
	if !ok {
		return outcome{j, fmt.Errorf("no sender for %s: %w", j.Channel, pipeline.ErrPermanent)}, true
	}
	claimed, err := q.claim(ctx, j)
	if err != nil {
		return outcome{j, err}, true
	}
	if !claimed {
		q.m.Inc("outbox_taken")
		return outcome{}, false
	}
	return outcome{j, s.Send(ctx, j)}, true
}

func (q *Queue) claim(ctx context.Context, j *Job) (bool, error) {
	take := bigtable.NewMutation()
	take.Set(bt.FamJob, "claim", bt.Expire(time.Minute), []byte(strconv.Itoa(j.Attempt))) // ok ttlwrite/write-time
	var taken bool
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamJob), bigtable.ColumnFilter("claim"), bigtable.LatestNFilter(1)) // want ttlread/conditional-mutation[claim]
	cm := bigtable.NewCondMutation(pred, nil, take)                                                                            // want ttlread/conditional-mutation[claim]
	err := q.tbl.Apply(ctx, j.ID, cm, bigtable.GetCondMutationResult(&taken))
	return !taken, err
}

// claimLive is claim as it should be.
func (q *Queue) claimLive(ctx context.Context, j *Job) (bool, error) {
	take := bigtable.NewMutation()
	take.Set(bt.FamJob, "claim", bt.Expire(time.Minute), []byte(strconv.Itoa(j.Attempt))) // ok ttlwrite/write-time
	var taken bool
	pred := bigtable.ChainFilters(bt.Live(bt.FamJob), bigtable.ColumnFilter("claim"))
	cm := bigtable.NewCondMutation(pred, nil, take) // ok ttlread/conditional-mutation
	err := q.tbl.Apply(ctx, j.ID, cm, bigtable.GetCondMutationResult(&taken))
	return !taken, err
}

func (q *Queue) settle(ctx context.Context, o outcome) error {
	j := o.job
	switch {
	case o.err == nil:
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(bt.FamJob)                                                  // ok ttlwrite/delete-after-set
		m.Set(bt.FamReceipt, "status", bigtable.Now(), []byte("sent"))                    // ok ttlwrite/write-time
		m.Set(bt.FamReceipt, "attempts", bigtable.Now(), []byte(strconv.Itoa(j.Attempt))) // ok ttlwrite/same-timestamp
		return q.tbl.Apply(ctx, j.ID, m)
	case errors.Is(o.err, pipeline.ErrPermanent) || j.Attempt > 8:
		m := bigtable.NewMutation()
		m.Set(bt.FamJob, "error", bigtable.Time(q.now()), []byte(o.err.Error())) // want ttlwrite/write-time
		m.DeleteCellsInFamily(bt.FamJob)                                         // want ttlwrite/delete-after-set
		m.Set(bt.FamReceipt, "status", bigtable.Now(), []byte("failed"))         // ok ttlwrite/write-time
		return q.tbl.Apply(ctx, j.ID, m)
	}
	j.Attempt++
	m := bigtable.NewMutation()
	m.Set(bt.FamJob, "attempt", bigtable.Time(time.Now()), []byte(strconv.Itoa(j.Attempt)))                 // want ttlwrite/write-time
	m.Set(bt.FamJob, "last_error", bigtable.Time(q.now().Add(retention[j.Channel])), []byte(o.err.Error())) // ok ttlwrite/write-time
	if err := q.tbl.Apply(ctx, j.ID, m); err != nil {
		return err
	}
	go func() {
		select {
		case <-time.After(time.Duration(j.Attempt) * time.Second):
			q.retries <- j
		case <-ctx.Done():
		}
	}()
	return nil
}

func (q *Queue) writeReceipts(ctx context.Context) error {
	for {
		select {
		case r, ok := <-q.receipt:
			if !ok {
				return nil
			}
			if err := q.note(ctx, r.ID, "provider", r.Status); err != nil {
				q.log.Warn("receipt", "id", r.ID, "err", err)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (q *Queue) note(ctx context.Context, id, column, value string) error {
	m := bigtable.NewMutation()
	m.Set(bt.FamReceipt, column, bigtable.ServerTime, []byte(value)) // ok ttlwrite/server-timestamp
	return q.tbl.Apply(ctx, id, m)
}

// mark writes a marker into either family.
func (q *Queue) mark(ctx context.Context, id, family, column string, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set(family, column, ts, []byte{1})
	return q.tbl.Apply(ctx, id, m)
}

// Open marks a notification as opened.
func (q *Queue) Open(ctx context.Context, id string) error {
	if err := q.mark(ctx, id, bt.FamReceipt, "opened", bigtable.Now()); err != nil { // ok ttlwrite/write-time
		return err
	}
	return q.mark(ctx, id, bt.FamJob, "opened", bigtable.Now()) // want ttlwrite/write-time
}

// Hold keeps a job back for as long as it lives.
func (q *Queue) Hold(ctx context.Context, id string) error {
	return q.mark(ctx, id, bt.FamJob, "held", bt.Expire(bt.JobTTL)) // ok ttlwrite/write-time
}

// Freeze keeps a job back, for good.
func (q *Queue) Freeze(ctx context.Context, id string) error {
	return q.mark(ctx, id, bt.FamJob, "frozen", bigtable.ServerTime) // want ttlwrite/server-timestamp
}

func (q *Queue) recoverLoop(ctx context.Context, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := q.recover(ctx); err != nil {
				q.log.Warn("recover", "err", err)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// recover finds jobs that a crashed worker left behind.
func (q *Queue) recover(ctx context.Context) error {
	return q.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter[recover]
		it, ok := bt.First(row, bt.FamJob, "body")
		if !ok {
			return true
		}
		var j Job
		if err := json.Unmarshal(it.Value, &j); err != nil {
			q.log.Warn("bad job", "id", row.Key(), "err", err)
			return true
		}
		j.Updated = it.Timestamp.Time() // want ttlage/not-write-time
		select {
		case q.retries <- &j:
			return true
		case <-ctx.Done():
			return false
		}
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamJob), bigtable.LatestNFilter(1))), bigtable.LimitRows(500)) // want ttlread/missing-filter[recover]
}

// Pending streams the jobs that may still be sent.
func (q *Queue) Pending(ctx context.Context, out chan<- Job) error {
	defer close(out)
	return q.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[bt.FamJob] {
			if !strings.HasSuffix(it.Column, ":body") {
				continue
			}
			var j Job
			if json.Unmarshal(it.Value, &j) != nil {
				continue
			}
			j.Deadline = it.Timestamp.Time() // ok ttlage/not-write-time
			select {
			case out <- j:
			case <-ctx.Done():
				return false
			}
		}
		return true
	}, bigtable.RowFilter(bt.Live(bt.FamJob)))
}

// Backlog counts pending jobs by channel.
func (q *Queue) Backlog(ctx context.Context) (map[string]int, error) {
	n := map[string]int{}
	err := q.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter[backlog]
		it, ok := bt.First(row, bt.FamJob, "channel")
		if ok {
			n[string(it.Value)]++
		}
		return true
	}, bigtable.RowFilter(bt.Column(bt.FamJob, "channel"))) // want ttlread/missing-filter[backlog]
	return n, err
}

// Size counts the rows.
func (q *Queue) Size(ctx context.Context) (n int, err error) {
	err = q.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	return n, err
}

// Has says whether a job is queued.
func (q *Queue) Has(ctx context.Context, id string) (bool, error) {
	row, err := q.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // want ttlread/missing-filter
	return len(row) != 0, err
}

// Receipt reads what became of a job.
func (q *Queue) Receipt(ctx context.Context, id string) (*Receipt, error) {
	row, err := q.tbl.ReadRow(ctx, id, bigtable.RowFilter(bt.Since(bt.FamReceipt, bt.ReceiptTTL))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	r := &Receipt{ID: id}
	for _, it := range row[bt.FamReceipt] {
		if it.Column == bt.FamReceipt+":status" {
			r.Status = string(it.Value)
			r.Until = it.Timestamp.Time().Add(bt.ReceiptTTL) // ok ttlage/not-write-time
		}
	}
	return r, nil
}

// Receipts reads the receipts of several jobs.
func (q *Queue) Receipts(ctx context.Context, ids []string) ([]Receipt, error) {
	var out []Receipt
	filter := bt.Since(bt.FamReceipt, 30*24*time.Hour)                              // want ttlread/wrong-bound[receipts]
	err := q.tbl.ReadRows(ctx, bigtable.RowList(ids), func(row bigtable.Row) bool { // want ttlread/wrong-bound[receipts]
		for _, it := range row[bt.FamReceipt] {
			out = append(out, Receipt{ID: row.Key(), Status: string(it.Value)})
		}
		return true
	}, bigtable.RowFilter(filter)) // want ttlread/wrong-bound[receipts]
	return out, err
}

// Both reads a job with its receipt.
func (q *Queue) Both(ctx context.Context, id string) (job []byte, status string, err error) {
	now := q.now()
	row, err := bt.Get(ctx, q.tbl, id, bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamJob), bigtable.TimestampRangeFilter(now, time.Time{})),
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamReceipt), bigtable.TimestampRangeFilter(now.Add(-7*24*time.Hour), time.Time{})),
	))
	if err != nil {
		return nil, "", err
	}
	if it, ok := bt.First(row, bt.FamJob, "body"); ok {
		job = it.Value
	}
	if it, ok := bt.First(row, bt.FamReceipt, "status"); ok {
		status = string(it.Value)
	}
	return job, status, nil
}

// Trace reads all of a job, for support.
func (q *Queue) Trace(ctx context.Context, id string) (map[string]string, error) {
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[trace]
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamJob), bigtable.TimestampRangeFilter(q.now(), time.Time{})),
		bigtable.FamilyFilter(bt.FamReceipt), // want ttlread/unfiltered-branch[trace]
	)
	row, err := q.tbl.ReadRow(ctx, id, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[trace]
	if err != nil {
		return nil, err
	}
	res := map[string]string{}
	for _, items := range row {
		for _, it := range items {
			res[it.Column] = string(it.Value)
		}
	}
	return res, nil
}

// Sendable reads a job if it may still be sent.
func (q *Queue) Sendable(ctx context.Context, id string) ([]byte, error) {
	alive := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamJob), bigtable.TimestampRangeFilter(q.now(), time.Time{}))
	f := bigtable.ConditionFilter(alive, bigtable.FamilyFilter(bt.FamJob), bigtable.BlockAllFilter()) // want ttlread/unfiltered-branch[sendable]
	row, err := q.tbl.ReadRow(ctx, id, bigtable.RowFilter(f))                                         // want ttlread/unfiltered-branch[sendable]
	if err != nil {
		return nil, err
	}
	it, ok := bt.First(row, bt.FamJob, "body")
	if !ok {
		return nil, errors.New("not there")
	}
	return it.Value, nil
}

// Body reads a job's body; the author thought that options add up.
func (q *Queue) Body(ctx context.Context, id string) ([]byte, error) {
	row, err := q.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ColumnFilter("body")), bigtable.RowFilter(bt.Live(bt.FamJob))) // want ttlread/overridden-filter
	if err != nil {
		return nil, err
	}
	it, _ := bt.First(row, bt.FamJob, "body")
	return it.Value, nil
}

// Stats increments a job's counters.
func (q *Queue) Stats(ctx context.Context, id string, opened, clicked int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamReceipt, "opened", opened) // ok ttlwrite/read-modify-write
	if clicked > 0 {
		rmw.Increment(bt.FamJob, "clicked", clicked) // want ttlwrite/read-modify-write
	}
	_, err := q.tbl.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// AppendLog appends to a job's log.
func (q *Queue) AppendLog(ctx context.Context, id, line string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(bt.FamJob, "log", []byte(line+"\n")) // want ttlwrite/read-modify-write
	_, err := q.tbl.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}
