package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// OrderEvent is a change of an order.
type OrderEvent struct {
	Order string
	Seq   uint64
	Kind  string
	Price int64
	At    time.Time
}

// OrderBook keeps orders as events under sequence numbers and a snapshot.
type OrderBook struct {
	tbl *bigtable.Table

	mu  sync.Mutex
	seq uint64
	off int64
}

// NewOrderBook opens the table.
func NewOrderBook(client *bigtable.Client) *OrderBook {
	return &OrderBook{tbl: client.Open(tables.OrderBook)}
}

const seqStep = 1000

func seqTS(n uint64) bigtable.Timestamp { return bigtable.Timestamp(n) * seqStep }

func rawTS(n uint64) bigtable.Timestamp { return bigtable.Timestamp(n) }

// Record stores an event under its number.
func (b *OrderBook) Record(ctx context.Context, e OrderEvent) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamEvent, e.Kind, seqTS(e.Seq), marshal(e))        // ok ttlwrite/unscaled-sequence
	mut.Set(tables.FamInfo, "touched", bigtable.Now(), rfc3339(e.At)) // ok ttlwrite/clock-in-sequence
	return bigtablex.ApplyRetry(ctx, b.tbl, e.Order, mut)
}

// RecordNext numbers the event itself.
func (b *OrderBook) RecordNext(ctx context.Context, e OrderEvent) error {
	b.mu.Lock()
	b.seq++
	e.Seq = b.seq
	b.mu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(tables.FamEvent, e.Kind, bigtable.Timestamp(b.seq), marshal(e)) // want ttlwrite/unscaled-sequence
	return b.tbl.Apply(ctx, e.Order, mut)
}

// RecordStep numbers in steps that are whole milliseconds already.
func (b *OrderBook) RecordStep(ctx context.Context, e OrderEvent) error {
	b.mu.Lock()
	b.off += 1000
	ts := bigtable.Timestamp(b.off)
	b.mu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(tables.FamEvent, e.Kind, ts, marshal(e)) // ok ttlwrite/unscaled-sequence
	return b.tbl.Apply(ctx, e.Order, mut)
}

// RecordAt stores an event that came with a time and no number.
func (b *OrderBook) RecordAt(ctx context.Context, e OrderEvent) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamEvent, e.Kind, bigtable.Time(e.At), marshal(e)) // want ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, e.Order, mut)
}

// RecordUnix stores an event with its seconds as number.
func (b *OrderBook) RecordUnix(ctx context.Context, e OrderEvent) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamEvent, e.Kind, bigtable.Timestamp(time.Now().UnixMicro()), marshal(e)) // want ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, e.Order, mut)
}

// RecordNumber goes through a time and stays a number.
func (b *OrderBook) RecordNumber(ctx context.Context, e OrderEvent) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamEvent, e.Kind, bigtable.Time(time.UnixMilli(int64(e.Seq))), marshal(e)) // ok ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, e.Order, mut)
}

// Correct stores a correction behind everything that there is.
func (b *OrderBook) Correct(ctx context.Context, e OrderEvent) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamEvent, "correction", bigtablex.NowTS(), marshal(e)) // want ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, e.Order, mut)
}

// Replay stores events of the journal again.
func (b *OrderBook) Replay(ctx context.Context, order string, events []OrderEvent) error {
	mut := bigtable.NewMutation()
	n := uint64(0)
	for _, e := range events {
		n++
		mut.Set(tables.FamEvent, e.Kind, rawTS(n), marshal(e)) // want ttlwrite/unscaled-sequence
	}
	mut.Set(tables.FamEvent, "count", seqTS(uint64(len(events))), nil)      // ok ttlwrite/unscaled-sequence
	mut.Set(tables.FamEvent, "total", bigtable.Timestamp(len(events)), nil) // want ttlwrite/unscaled-sequence
	return b.tbl.Apply(ctx, order, mut)
}

// Snapshot stores the state after the event n.
func (b *OrderBook) Snapshot(ctx context.Context, order string, n uint64, state []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamSnapshot, "state", seqTS(n), state)        // ok ttlwrite/unscaled-sequence
	mut.Set(tables.FamSnapshot, "hash", seqTS(n), state[:1])     // ok ttlwrite/same-timestamp
	mut.Set(tables.FamInfo, "snap_at", bigtable.ServerTime, nil) // ok ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, order, mut)
}

// SnapshotTwice stores the state and, when it is large, its parts.
func (b *OrderBook) SnapshotTwice(ctx context.Context, order string, n uint64, head, tail []byte) error {
	ts := seqTS(n)
	mut := bigtable.NewMutation()
	mut.Set(tables.FamSnapshot, "state", ts, head)
	mut.Set(tables.FamSnapshot, "state", ts, tail) // want ttlwrite/same-timestamp
	return b.tbl.Apply(ctx, order, mut)
}

// SnapshotServer lets the server number.
func (b *OrderBook) SnapshotServer(ctx context.Context, order string, state []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("snap", "state", bigtable.ServerTime, state) // want ttlwrite/clock-in-sequence
	mut.Set("info", "state", bigtable.ServerTime, state) // ok ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, order, mut)
}

// Fill adds to the filled amount.
func (b *OrderBook) Fill(ctx context.Context, order string, qty int64) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(tables.FamSnapshot, "filled", qty) // want ttlwrite/read-modify-write
	rmw.Increment(tables.FamInfo, "fills", 1)        // ok ttlwrite/read-modify-write
	row, err := b.tbl.ApplyReadModifyWrite(ctx, order, rmw)
	if err != nil {
		return 0, err
	}
	for _, it := range row[tables.FamSnapshot] {
		return int64(binary.BigEndian.Uint64(it.Value)), nil
	}
	return 0, errors.New("orderbook: no counter")
}

// Load returns the snapshot and the events after it.
func (b *OrderBook) Load(ctx context.Context, order string) ([]byte, []OrderEvent, error) {
	row, err := b.tbl.ReadRow(ctx, order, bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/version-limit
		bigtablex.Latest(tables.FamSnapshot, 1),
		bigtablex.Latest(tables.FamEvent, tables.EventVersions),
	)))
	if err != nil {
		return nil, nil, fmt.Errorf("orderbook %s: %w", order, err)
	}
	return decodeOrder(row)
}

// LoadLoose does the same with one limit for both.
func (b *OrderBook) LoadLoose(ctx context.Context, order string) ([]byte, []OrderEvent, error) {
	row, err := b.tbl.ReadRow(ctx, order, bigtable.RowFilter(bigtable.LatestNFilter(10))) // want ttlread/version-limit
	if err != nil {
		return nil, nil, err
	}
	return decodeOrder(row)
}

// LoadAll reads without a filter.
func (b *OrderBook) LoadAll(ctx context.Context, order string) ([]byte, []OrderEvent, error) {
	row, err := b.tbl.ReadRow(ctx, order) // want ttlread/missing-filter
	if err != nil {
		return nil, nil, err
	}
	return decodeOrder(row)
}

// LoadNewest takes one cell of each column.
func (b *OrderBook) LoadNewest(ctx context.Context, order string) ([]byte, []OrderEvent, error) {
	row, err := b.tbl.ReadRow(ctx, order, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	if err != nil {
		return nil, nil, err
	}
	return decodeOrder(row)
}

func decodeOrder(row bigtable.Row) ([]byte, []OrderEvent, error) {
	var state []byte
	if it, ok := bigtablex.Item(row, tables.FamSnapshot, "state"); ok {
		state = it.Value
	}
	var evs []OrderEvent
	for _, it := range row[tables.FamEvent] {
		var e OrderEvent
		if err := unmarshal(it.Value, &e); err != nil {
			return nil, nil, err
		}
		e.Seq = uint64(it.Timestamp / seqStep)
		evs = append(evs, e)
	}
	return state, evs, nil
}

// Recent returns the orders that changed in the last hour.
func (b *OrderBook) Recent(ctx context.Context) ([]string, error) {
	var out []string
	err := b.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/wrong-bound[recent]
		out = append(out, row.Key())
		return true
	}, bigtable.RowFilter(bigtablex.Family(tables.FamEvent, bigtablex.Within(time.Hour)))) // want ttlread/wrong-bound[recent]
	return out, err
}

// RecentInfo asks the ordinary family, which knows.
func (b *OrderBook) RecentInfo(ctx context.Context) ([]string, error) {
	var out []string
	err := b.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/wrong-bound
		out = append(out, row.Key())
		return true
	}, bigtable.RowFilter(bigtablex.Family(tables.FamInfo, bigtablex.Within(time.Hour))))
	return out, err
}

// Stale says whether an order's newest event is older than d.
func (b *OrderBook) Stale(ctx context.Context, order string, d time.Duration) (bool, error) {
	row, err := b.tbl.ReadRow(ctx, order, bigtable.RowFilter(bigtablex.Latest(tables.FamEvent, 1)))
	if err != nil {
		return false, err
	}
	for _, it := range row[tables.FamEvent] {
		if time.Since(it.Timestamp.Time()) > d { // want ttlage/not-write-time
			return true, nil
		}
	}
	return false, nil
}

// Lag says how many events the snapshot is behind.
func (b *OrderBook) Lag(ctx context.Context, order string) (int64, error) {
	row, err := b.tbl.ReadRow(ctx, order, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil {
		return 0, err
	}
	var ev, snap bigtable.Timestamp
	for _, it := range row[tables.FamEvent] {
		ev = max(ev, it.Timestamp)
	}
	for _, it := range row[tables.FamSnapshot] {
		snap = it.Timestamp
	}
	return int64(ev-snap) / seqStep, nil // ok ttlage/not-write-time
}

// Start opens an order, if nobody did.
func (b *OrderBook) Start(ctx context.Context, e OrderEvent) error {
	set := bigtable.NewMutation()
	set.Set(tables.FamEvent, "open", seqTS(1), marshal(e)) // ok ttlwrite/unscaled-sequence
	var there bool
	err := b.tbl.Apply(ctx, e.Order, bigtable.NewCondMutation(bigtablex.Latest(tables.FamEvent, 1), nil, set), bigtable.GetCondMutationResult(&there)) // ok ttlread/conditional-mutation
	if err == nil && there {
		err = ErrConflict
	}
	return err
}

// Close drops the events and keeps the snapshot.
func (b *OrderBook) Close(ctx context.Context, order string, n uint64, state []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamEvent, "closed", seqTS(n+1), nil)
	mut.Set(tables.FamSnapshot, "state", seqTS(n), state)
	mut.DeleteCellsInFamily(tables.FamEvent) // want ttlwrite/delete-after-set
	return b.tbl.Apply(ctx, order, mut)
}
