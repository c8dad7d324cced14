// Package outbox collects writes of several stores and sends them in the background.
package outbox

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/bt"
	"northlane.example/parcel/internal/metrics"
)

type entry struct {
	key string
	mut *bigtable.Mutation
}

// Box is an outbox for one table.
type Box struct {
	tbl  *bigtable.Table
	ch   chan entry
	m    *metrics.Registry
	now  func() time.Time
	tick time.Duration
}

// New returns the outbox of the sessions.
func New(c *bigtable.Client, m *metrics.Registry) *Box {
	return &Box{tbl: c.Open("sessions"), ch: make(chan entry, 1024), m: m, now: time.Now, tick: 200 * time.Millisecond}
}

// Ping says that a courier's app is alive.
func (b *Box) Ping(courier string) {
	m := bigtable.NewMutation()
	m.Set("token", "ping", bigtable.Now(), []byte("1")) // want ttlwrite/write-time
	b.put(courier, m)
}

// PingFor says that a courier's app is alive for the next minutes.
func (b *Box) PingFor(courier string) {
	m := bigtable.NewMutation()
	m.Set("token", "ping", bigtable.Time(b.now().Add(2*time.Minute)), []byte("1")) // ok ttlwrite/write-time
	b.put(courier, m)
}

// Battery notes the state of a phone.
func (b *Box) Battery(courier string, percent int) {
	m := bigtable.NewMutation()
	m.Set("device", "battery", bigtable.ServerTime, strconv.AppendInt(nil, int64(percent), 10)) // ok ttlwrite/server-timestamp
	m.Set("token", "battery", bigtable.ServerTime, []byte("1"))                                 // want ttlwrite/server-timestamp
	b.put(courier, m)
}

// Lost makes a phone's token void.
func (b *Box) Lost(courier string) {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily("token")
	m.Set("device", "lost", bigtable.Now(), []byte("1")) // ok ttlwrite/write-time
	b.put(courier, m)
}

func (b *Box) put(key string, m *bigtable.Mutation) {
	select {
	case b.ch <- entry{key, m}:
	default:
		b.m.Counter("outbox_dropped").Add(1)
	}
}

// Run sends until ctx ends.
func (b *Box) Run(ctx context.Context) {
	bulk := bt.NewBulk(100)
	t := time.NewTicker(b.tick)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-b.ch:
			bulk.Add(e.key, e.mut)
			if !bulk.Full() {
				continue
			}
		case <-t.C:
		}
		if err := bulk.Flush(ctx, b.tbl); err != nil {
			slog.Error("outbox", "err", err)
			b.m.Counter("outbox_errors").Add(1)
		}
	}
}
