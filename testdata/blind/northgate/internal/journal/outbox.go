package journal

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

// ticket numbers what this process sends.
var ticket atomic.Uint64

// Outbox sends events to the journals of other teams, in order.
type Outbox struct {
	*Journal
	mu    sync.Mutex
	queue []Event
	seqs  map[string]int64
	step  int64
}

// NewOutbox makes an Outbox on a journal.
func NewOutbox(j *Journal) *Outbox {
	return &Outbox{Journal: j, seqs: map[string]int64{}}
}

// Put queues an event.
func (o *Outbox) Put(e Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = append(o.queue, e)
}

// Drain writes what is queued.
func (o *Outbox) Drain(ctx context.Context) error {
	o.mu.Lock()
	queue := o.queue
	o.queue = nil
	o.mu.Unlock()

	b := bt.NewBatch(o.tbl, 100)
	for _, e := range queue {
		v, err := json.Marshal(e)
		if err != nil {
			return err
		}
		o.seqs[e.Aggregate]++
		o.step += 1000
		m := bigtable.NewMutation()
		m.Set(schema.FamEvent, "out", bigtable.Timestamp(o.seqs[e.Aggregate]), v) // want ttlwrite/unscaled-sequence
		m.Set(schema.FamEvent, "step", bigtable.Timestamp(o.step), v)             // ok ttlwrite/unscaled-sequence
		m.Set(schema.FamEvent, "ticket", bt.Seq(ticket.Add(1)), v)                // ok ttlwrite/unscaled-sequence
		m.Set(schema.FamEvent, "sent", bigtable.Time(time.Now()), nil)            // want ttlwrite/clock-in-sequence
		if err := b.Add(ctx, e.Aggregate, m); err != nil {
			return err
		}
	}
	return b.Flush(ctx)
}

// Ack notes that a consumer has seen everything up to a version.
func (o *Outbox) Ack(ctx context.Context, aggregate, consumer string, upTo Version) error {
	return o.tbl.Apply(ctx, aggregate, bt.Mutate(
		bt.SetCell(schema.FamSnap, "ack_"+consumer, upTo.TS(), nil),                // ok ttlwrite/unscaled-sequence
		bt.SetCell(schema.FamSnap, "ackby", bigtable.ServerTime, []byte(consumer)), // want ttlwrite/clock-in-sequence
	))
}

// Pending reads how far consumers are.
func (o *Outbox) Pending(ctx context.Context, aggregate string) (map[string]Version, error) {
	row, err := o.tbl.ReadRow(ctx, aggregate, bigtable.RowFilter(bt.In(schema.FamSnap, bigtable.ColumnFilter("ack_.*"), bt.Newest()))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	out := map[string]Version{}
	for it := range bt.Cells(row, schema.FamSnap) {
		out[it.Column] = VersionOf(it)
	}
	return out, nil
}

// Resend reads the events that a consumer has not seen.
func (o *Outbox) Resend(ctx context.Context, aggregate string, after Version) ([]bigtable.ReadItem, error) {
	opts := []bigtable.ReadOption{
		bigtable.RowFilter(bt.In(schema.FamEvent, bt.Newest())),
		bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(after.TS()+1000, 0)), // want ttlread/overridden-filter[resend]
	}
	row, err := o.tbl.ReadRow(ctx, aggregate, opts...) // want ttlread/overridden-filter[resend] // maybe ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return row[schema.FamEvent], nil
}
