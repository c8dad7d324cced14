// Package commands keeps the orders that devices have to carry out, in order. A
// tenant has a table of its own. The cells of family entry are numbered: the
// timestamp is the sequence number, and the last three are kept. The family cursor
// has one value per column at timestamp zero; note is ordinary.
package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"example.com/gridwatch/internal/bus"
	"example.com/gridwatch/internal/events"
	"example.com/gridwatch/internal/retry"
	"example.com/gridwatch/internal/sink"
	"example.com/gridwatch/internal/store"
)

// Keep is how many entries survive.
const Keep = 3

// firstSeq is the number of the first entry of a log.
const firstSeq = 1

// ErrEmpty is returned for devices without commands.
var ErrEmpty = errors.New("commands: log is empty")

// Log is the command log of one tenant.
type Log struct {
	tbl    *bigtable.Table
	tenant string

	mu   sync.Mutex
	next map[string]int64

	total atomic.Int64
	ticks atomic.Int64
	n     int64
}

// NewLog opens the log of a tenant.
func NewLog(t *store.Tables, tenant string) *Log {
	return &Log{tbl: t.CommandLog(tenant), tenant: tenant, next: map[string]int64{}}
}

// Run appends what arrives, one worker per partition so that numbers stay in order.
func (l *Log) Run(ctx context.Context, in <-chan events.Command) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, part := range bus.Partition(ctx, in, 8, func(c events.Command) string { return c.Device }) {
		g.Go(func() error {
			for c := range part {
				if err := l.Append(ctx, c); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

func (l *Log) number(device string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next[device]++
	return l.next[device]
}

// Append adds one command.
func (l *Log) Append(ctx context.Context, c events.Command) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	n := l.number(c.Device)
	mut := bigtable.NewMutation()
	mut.Set(store.FamEntry, "cmd", store.Seq(n), b)                  // ok ttlwrite/unscaled-sequence
	mut.Set(store.FamCursor, "head", 0, fmt.Append(nil, n))          // ok ttlwrite/clock-in-zero
	mut.Set(store.FamNote, "appended", bigtable.Now(), []byte(c.Op)) // ok ttlwrite/clock-in-sequence
	return retry.Do(ctx, retry.Default, func(ctx context.Context) error {
		return l.tbl.Apply(ctx, c.Device, mut)
	})
}

// AppendFast skips the retry, and the factor.
func (l *Log) AppendFast(ctx context.Context, c events.Command) error {
	l.mu.Lock()
	l.next[c.Device]++
	n := l.next[c.Device]
	l.mu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(store.FamEntry, "fast", bigtable.Timestamp(n), []byte(c.Op))             // want ttlwrite/unscaled-sequence
	mut.Set(store.FamEntry, "fast-args", bigtable.Timestamp(n*1000), []byte(c.Args)) // ok ttlwrite/unscaled-sequence
	mut.Set(store.FamCursor, "fast", bigtable.ServerTime, []byte(c.Op))              // want ttlwrite/clock-in-zero
	return l.tbl.Apply(ctx, c.Device, mut)
}

// AppendTotal numbers over all devices.
func (l *Log) AppendTotal(ctx context.Context, c events.Command) error {
	mut := bigtable.NewMutation()
	mut.Set(store.FamEntry, "total", bigtable.Timestamp(l.total.Add(1)), []byte(c.Op))             // want ttlwrite/unscaled-sequence
	mut.Set(store.FamEntry, "total-args", bigtable.Timestamp(l.total.Add(1)*1000), []byte(c.Args)) // ok ttlwrite/unscaled-sequence
	mut.Set(store.FamEntry, "tick", bigtable.Timestamp(l.ticks.Add(1000)), []byte(c.Op))           // ok ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, c.Device, mut)
}

// AppendField numbers by a field.
func (l *Log) AppendField(ctx context.Context, c events.Command) error {
	l.mu.Lock()
	l.n++
	n := l.n
	l.mu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(store.FamEntry, "field", bigtable.Timestamp(n), []byte(c.Op)) // want ttlwrite/unscaled-sequence
	mut.Set(store.FamEntry, "field-args", store.Seq(n), []byte(c.Args))   // ok ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, c.Device, mut)
}

// AppendClock lets the clock number the commands.
func (l *Log) AppendClock(ctx context.Context, c events.Command, due time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(store.FamEntry, "clock", bigtable.Now(), []byte(c.Op))                              // want ttlwrite/clock-in-sequence
	mut.Set(store.FamEntry, "server", bigtable.ServerTime, []byte(c.Op))                        // want ttlwrite/clock-in-sequence
	mut.Set(store.FamEntry, "due", bigtable.Time(due), []byte(c.Op))                            // want ttlwrite/clock-in-sequence
	mut.Set(store.FamEntry, "micros", bigtable.Timestamp(time.Now().UnixMicro()), []byte(c.Op)) // want ttlwrite/clock-in-sequence
	mut.Set(store.FamNote, "clock", bigtable.Now(), []byte(c.Op))                               // ok ttlwrite/clock-in-sequence
	mut.Set(store.FamNote, "server", bigtable.ServerTime, []byte(c.Op))                         // ok ttlwrite/clock-in-sequence
	mut.Set(store.FamNote, "due", bigtable.Time(due), []byte(c.Op))                             // ok ttlwrite/clock-in-sequence
	mut.Set(store.FamEntry, "given", bigtable.Timestamp(c.Seq*1000), []byte(c.Op))              // ok ttlwrite/unscaled-sequence
	mut.Set(store.FamEntry, "milli", bigtable.Time(time.UnixMilli(c.Seq)), []byte(c.Op))        // ok ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, c.Device, mut)
}

// Restore writes a saved history back.
func (l *Log) Restore(ctx context.Context, device string, saved []events.Command) error {
	mut := bigtable.NewMutation()
	for i, c := range saved {
		mut.Set(store.FamEntry, "cmd", bigtable.Timestamp(i), []byte(c.Op))             // want ttlwrite/unscaled-sequence
		mut.Set(store.FamEntry, "args", bigtable.Timestamp((i+1)*1000), []byte(c.Args)) // ok ttlwrite/unscaled-sequence
	}
	mut.Set(store.FamEntry, "restored", bigtable.Timestamp(len(saved)), nil)          // want ttlwrite/unscaled-sequence
	mut.Set(store.FamEntry, "restored-n", bigtable.Timestamp(len(saved)*1000), nil)   // ok ttlwrite/unscaled-sequence
	mut.Set(store.FamCursor, "restored", bigtable.Now(), fmt.Append(nil, len(saved))) // want ttlwrite/clock-in-zero
	mut.Set(store.FamNote, "restored", bigtable.Now(), fmt.Append(nil, len(saved)))   // ok ttlwrite/clock-in-zero
	return l.tbl.Apply(ctx, device, mut)
}

// Newest writes a history that is given newest first.
func (l *Log) Newest(ctx context.Context, device string, saved []events.Command) error {
	mut := bigtable.NewMutation()
	for i, c := range saved {
		mut.Set(store.FamEntry, "cmd", bigtable.Timestamp(len(saved)-i), []byte(c.Op))                // want ttlwrite/unscaled-sequence
		mut.Set(store.FamEntry, "args", bigtable.Timestamp(1000*int64(len(saved)-i)), []byte(c.Args)) // ok ttlwrite/unscaled-sequence
	}
	return l.tbl.Apply(ctx, device, mut)
}

// Init starts a log.
func (l *Log) Init(ctx context.Context, device string) error {
	mut := bigtable.NewMutation()
	mut.Set(store.FamEntry, "cmd", firstSeq, []byte("init"))     // want ttlwrite/unscaled-sequence
	mut.Set(store.FamEntry, "args", firstSeq*1000, nil)          // ok ttlwrite/unscaled-sequence
	mut.Set(store.FamCursor, "head", 0, []byte("0"))             // ok ttlwrite/clock-in-zero
	mut.Set(store.FamCursor, "tail", store.NowTS(), []byte("0")) // want ttlwrite/clock-in-zero
	return l.tbl.Apply(ctx, device, mut)
}

// Count counts commands in the table; it cannot work on numbered cells.
func (l *Log) Count(ctx context.Context, device string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(store.FamEntry, "count", 1)  // want ttlwrite/read-modify-write
	rmw.Increment(store.FamCursor, "count", 1) // want ttlwrite/read-modify-write
	rmw.Increment(store.FamNote, "count", 1)   // ok ttlwrite/read-modify-write
	_, err := l.tbl.ApplyReadModifyWrite(ctx, device, rmw)
	return err
}

// Ack is a device's word that it carried a command out.
type Ack struct {
	Device string
	Seq    int64
	At     time.Time
	Result string
}

// Acks consumes acknowledgements and writes them through a sink.
func (l *Log) Acks(ctx context.Context, in <-chan Ack, cells chan<- sink.Cell) error {
	for a := range in {
		cells <- sink.Cell{Row: a.Device, Family: store.FamEntry, Column: "ack", TS: store.Seq(a.Seq), Value: []byte(a.Result)}        // ok ttlwrite/unscaled-sequence
		cells <- sink.Cell{Row: a.Device, Family: store.FamEntry, Column: "acked", TS: bigtable.Now(), Value: []byte(a.Result)}        // want ttlwrite/clock-in-sequence
		cells <- sink.Cell{Row: a.Device, Family: store.FamCursor, Column: "acked", TS: 0, Value: fmt.Append(nil, a.Seq)}              // ok ttlwrite/clock-in-zero
		cells <- sink.Cell{Row: a.Device, Family: store.FamCursor, Column: "ack-at", TS: bigtable.ServerTime, Value: []byte(a.Result)} // want ttlwrite/clock-in-zero
		cells <- sink.Cell{Row: a.Device, Family: store.FamNote, Column: "ack-at", TS: bigtable.ServerTime, Value: []byte(a.Result)}   // ok ttlwrite/clock-in-zero
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// Compact rewrites a log with consecutive numbers.
func (l *Log) Compact(ctx context.Context, device string) error {
	items, err := l.Entries(ctx, device)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(store.FamEntry, "cmd") // ok ttlwrite/delete-after-set
	seq := int64(len(items))
	for _, it := range items {
		mut.Set(store.FamEntry, "cmd", store.Seq(seq), it.Value) // ok ttlwrite/unscaled-sequence
		seq--
	}
	l.mu.Lock()
	l.next[device] = int64(len(items))
	l.mu.Unlock()
	return l.tbl.Apply(ctx, device, mut)
}

// Merge renumbers the entries of two devices into one log.
func (l *Log) Merge(ctx context.Context, into string, from ...string) error {
	mut := bigtable.NewMutation()
	var seq bigtable.Timestamp
	for _, device := range from {
		items, err := l.Entries(ctx, device)
		if err != nil {
			return err
		}
		for _, it := range items {
			seq += 1000
			mut.Set(store.FamEntry, "cmd", seq, it.Value) // ok ttlwrite/unscaled-sequence
		}
	}
	var done int
	for range from {
		done++
		mut.Set(store.FamEntry, "merged", bigtable.Timestamp(done), []byte(into)) // want ttlwrite/unscaled-sequence
	}
	slog.InfoContext(ctx, "merged", "into", into, "devices", done)
	return l.tbl.Apply(ctx, into, mut)
}
