package command

import (
	"context"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/fleetio/internal/btutil"
	"example.com/fleetio/internal/keys"
	"example.com/fleetio/internal/logx"
)

// Outcome is what a worker sends to the collector.
type Outcome struct {
	Device string
	Number int64
	State  string
	Answer []byte
	Took   time.Duration
}

// Sender hands a command to a device.
type Sender func(ctx context.Context, c *Command) ([]byte, error)

// Dispatcher is a pool of workers around a queue.
type Dispatcher struct {
	q       *Queue
	send    Sender
	workers int
	in      chan *Command
	out     chan Outcome
	ops     map[string]func(m *bigtable.Mutation, o Outcome)
}

// NewDispatcher makes the pool.
func NewDispatcher(q *Queue, workers int, send Sender) *Dispatcher {
	return &Dispatcher{
		q: q, send: send, workers: workers,
		in:  make(chan *Command, workers*4),
		out: make(chan Outcome, workers*4),
		ops: map[string]func(m *bigtable.Mutation, o Outcome){
			Done: func(m *bigtable.Mutation, o Outcome) {
				m.Set(keys.FamCmd, colAck, btutil.ExpireIn(time.Hour), o.Answer) // ok ttlwrite/write-time
				setState(m, btutil.ExpireIn(time.Hour), Done, o.Device)          // ok ttlwrite/write-time
			},
			Failed: func(m *bigtable.Mutation, o Outcome) {
				m.Set(keys.FamCmd, colAck, bigtable.Now(), o.Answer)     // want ttlwrite/write-time
				m.Set(keys.FamAudit, "failed", bigtable.Now(), o.Answer) // ok ttlwrite/write-time
			},
			Expired: func(m *bigtable.Mutation, o Outcome) {
				m.DeleteCellsInFamily(keys.FamCmd)
				audit(m, Expired, o.Device)
			},
		},
	}
}

// Submit gives the pool a command.
func (d *Dispatcher) Submit(c *Command) { d.in <- c }

// Run works until ctx ends.
func (d *Dispatcher) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for i := 0; i < d.workers; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			d.work(ctx)
		}()
	}
	done := make(chan error, 1)
	go func() { done <- d.collect(ctx) }()
	<-ctx.Done()
	close(d.in)
	wg.Wait()
	close(d.out)
	return <-done
}

func (d *Dispatcher) work(ctx context.Context) {
	for c := range d.in {
		start := time.Now()
		o := Outcome{Device: c.Device, Number: c.Number}
		ok, err := d.q.Take(ctx, c.Device, c.Number, "dispatcher")
		switch {
		case err != nil:
			d.q.log.Error("take", err, logx.KV{"dev": c.Device})
			continue
		case !ok:
			continue
		}
		o.Answer, err = d.send(ctx, c)
		if err != nil {
			o.State, o.Answer = Failed, []byte(err.Error())
		} else {
			o.State = Done
		}
		o.Took = time.Since(start)
		d.out <- o
	}
}

// collect writes outcomes in bulk.
func (d *Dispatcher) collect(ctx context.Context) error {
	const max = 100
	var pend []btutil.Op
	flush := func() error {
		if len(pend) == 0 {
			return nil
		}
		err := btutil.ApplyOps(context.WithoutCancel(ctx), d.q.tbl, pend)
		pend = pend[:0]
		return err
	}
	for o := range d.out {
		if op, ok := d.ops[o.State]; ok {
			m := bigtable.NewMutation()
			op(m, o)
			if err := d.q.tbl.Apply(ctx, keys.Command(o.Device, o.Number), m); err != nil {
				return err
			}
		}
		row := keys.Command(o.Device, o.Number)
		pend = append(pend,
			btutil.Op{Key: row, Family: keys.FamAudit, Column: "took", TS: bigtable.Now(), Value: []byte(o.Took.String())},  // ok ttlwrite/write-time
			btutil.Op{Key: row, Family: keys.FamCmd, Column: "fin", TS: btutil.ExpireIn(time.Hour), Value: []byte(o.State)}, // ok ttlwrite/write-time
		)
		if len(pend) >= max {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// Broadcast tells all devices of a list something, without a worker for each.
func (q *Queue) Broadcast(ctx context.Context, devs []string, body []byte) error {
	var ops []btutil.Op
	for _, d := range devs {
		row := keys.Command(d, 0)
		ops = append(ops,
			btutil.Op{Key: row, Family: keys.FamCmd, Column: colBody, TS: bigtable.ServerTime, Value: body}, // want ttlwrite/server-timestamp[broadcast]
			btutil.Op{Key: row, Family: keys.FamAudit, Column: "cast", TS: bigtable.ServerTime, Value: nil}, // ok ttlwrite/server-timestamp
		)
	}
	return btutil.ApplyOps(ctx, q.tbl, ops) // want ttlwrite/server-timestamp[broadcast]
}

// Drain reads and deletes everything of a device, for decommissioning.
func (q *Queue) Drain(ctx context.Context, dev string) error {
	var rows []string
	err := q.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.CommandPrefix(dev)), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		rows = append(rows, r.Key())
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	if err != nil {
		return err
	}
	muts := make([]*bigtable.Mutation, len(rows))
	for i := range rows {
		muts[i] = bigtable.NewMutation()
		muts[i].DeleteRow()
	}
	_, err = q.tbl.ApplyBulk(ctx, rows, muts)
	return err
}

// Backlog returns the bodies of a device's commands, oldest first.
func (q *Queue) Backlog(ctx context.Context, dev string) ([][]byte, error) {
	var out [][]byte
	err := btutil.Scan(ctx, q.tbl, keys.CommandPrefix(dev), nil, func(r bigtable.Row) bool { // want ttlread/missing-filter
		out = append(out, btutil.Value(r, keys.FamCmd, colBody))
		return true
	})
	return out, err
}

// BacklogLive is Backlog without corpses.
func (q *Queue) BacklogLive(ctx context.Context, dev string) ([][]byte, error) {
	var out [][]byte
	err := btutil.Scan(ctx, q.tbl, keys.CommandPrefix(dev), btutil.FamLive(keys.FamCmd, time.Now()), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		out = append(out, btutil.Value(r, keys.FamCmd, colBody))
		return true
	})
	return out, err
}

// Nearby reads commands that end about now, to warn their authors.
func (q *Queue) Nearby(ctx context.Context, dev string) (int, error) {
	now := time.Now()
	n := 0
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamCmd), bigtable.TimestampRangeFilter(now.Add(-DefaultTTL), time.Time{})) // want ttlread/wrong-bound[nearby]
	err := btutil.Scan(ctx, q.tbl, keys.CommandPrefix(dev), f, func(r bigtable.Row) bool {                                           // want ttlread/wrong-bound[nearby]
		n += len(r[keys.FamCmd])
		return true
	})
	return n, err
}

// Head describes the counters of a device's queue.
func (q *Queue) Head(ctx context.Context, dev string) (string, error) {
	row, err := btutil.Get(ctx, q.tbl, keys.QueueHead(dev), nil) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	it, ok := btutil.Find(row, keys.FamSeq, colNum)
	if !ok {
		return "empty", nil
	}
	return fmt.Sprintf("number %d, last written %s", btutil.SeqOf(it.Timestamp), it.Timestamp.Time().Format(time.Kitchen)), nil // want ttlage/not-write-time
}
