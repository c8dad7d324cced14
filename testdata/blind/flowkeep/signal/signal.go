// Package signal delivers signals to runs. Signals live a week unless the sender says otherwise.
package signal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/flowkeep/internal/bt"
	"example.com/flowkeep/internal/clock"
	"example.com/flowkeep/internal/codec"
)

const (
	// Table is the table of signals.
	Table = "flow-signals"
	// Retention is the age at which the inbox is collected.
	Retention = 168 * time.Hour

	inbox = "inbox"
	ack   = "ack"
)

// Signal is one signal.
type Signal struct {
	ID      string `json:"id"`
	Run     string `json:"run"`
	Name    string `json:"name"`
	Payload []byte `json:"payload,omitempty"`
}

// Sender sends signals.
type Sender interface {
	Send(ctx context.Context, s Signal) error
}

// SenderFunc adapts a function.
type SenderFunc func(ctx context.Context, s Signal) error

// Send implements Sender.
func (f SenderFunc) Send(ctx context.Context, s Signal) error { return f(ctx, s) }

// Mailbox is the store of signals.
type Mailbox struct {
	tbl interface {
		bt.ReadWriter
		bt.Counter
	}
	clk    clock.Clock
	filter func() bigtable.Filter
}

// Open opens the mailbox.
func Open(c *bigtable.Client) *Mailbox {
	m := &Mailbox{tbl: c.Open(Table), clk: clock.System{}}
	m.filter = m.visible
	return m
}

func (m *Mailbox) visible() bigtable.Filter {
	return bt.In(inbox, bt.Since(m.clk.Now(), Retention))
}

// Send delivers s, for a week.
func (m *Mailbox) Send(ctx context.Context, s Signal) error {
	mut := bigtable.NewMutation()
	mut.Set(inbox, s.ID, bigtable.ServerTime, codec.Must(s)) // ok ttlwrite/server-timestamp
	return m.tbl.Apply(ctx, s.Run, mut)
}

// SendNow delivers s with the client's clock.
func (m *Mailbox) SendNow(ctx context.Context, s Signal) error {
	mut := bigtable.NewMutation()
	mut.Set(inbox, s.ID, bigtable.Time(m.clk.Now()), codec.Must(s)) // ok ttlwrite/write-time
	return m.tbl.Apply(ctx, s.Run, mut)
}

// SendFor delivers s for d.
func (m *Mailbox) SendFor(ctx context.Context, s Signal, d time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set(inbox, s.ID, bigtable.Time(m.clk.Now().Add(d-Retention)), codec.Must(s)) // ok ttlwrite/already-expired
	return m.tbl.Apply(ctx, s.Run, mut)
}

// SendHour delivers s for an hour.
func (m *Mailbox) SendHour(ctx context.Context, s Signal) error {
	mut := bigtable.NewMutation()
	mut.Set(inbox, s.ID, bigtable.Time(m.clk.Now().Add(time.Hour-Retention)), codec.Must(s)) // ok ttlwrite/already-expired
	return m.tbl.Apply(ctx, s.Run, mut)
}

// SendPast is what a test of the expiry used, and then somebody called it.
func (m *Mailbox) SendPast(ctx context.Context, s Signal) error {
	mut := bigtable.NewMutation()
	mut.Set(inbox, s.ID, bigtable.Time(m.clk.Now().Add(-10*24*time.Hour)), codec.Must(s)) // want ttlwrite/already-expired
	return m.tbl.Apply(ctx, s.Run, mut)
}

// SendTwice keeps a copy under the same column.
func (m *Mailbox) SendTwice(ctx context.Context, s Signal) error {
	ts := bigtable.Time(m.clk.Now())
	mut := bigtable.NewMutation()
	mut.Set(inbox, "latest", ts, []byte(s.ID))
	mut.Set(inbox, s.ID, ts, codec.Must(s))     // ok ttlwrite/same-timestamp
	mut.Set(inbox, "latest", ts, codec.Must(s)) // want ttlwrite/same-timestamp
	return m.tbl.Apply(ctx, s.Run, mut)
}

// SendAll delivers many signals to one run.
func (m *Mailbox) SendAll(ctx context.Context, run string, ss []Signal) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Now()
	for _, s := range ss {
		mut.Set(inbox, s.ID, ts, codec.Must(s))  // ok ttlwrite/same-timestamp
		mut.Set(inbox, "last", ts, []byte(s.ID)) // want ttlwrite/same-timestamp
	}
	return m.tbl.Apply(ctx, run, mut)
}

// Ack acknowledges a signal.
func (m *Mailbox) Ack(ctx context.Context, s Signal) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(inbox, s.ID)
	mut.Set(ack, s.ID, bigtable.Now(), nil) // ok ttlwrite/delete-after-set
	return m.tbl.Apply(ctx, s.Run, mut)
}

// Redeliver puts a signal back.
func (m *Mailbox) Redeliver(ctx context.Context, s Signal) error {
	mut := bigtable.NewMutation()
	mut.Set(inbox, "redelivered", bigtable.Now(), codec.Must(s))
	mut.DeleteCellsInFamily(inbox) // want ttlwrite/delete-after-set
	return m.tbl.Apply(ctx, s.Run, mut)
}

// Count counts deliveries. With a default expiration a counter is fine.
func (m *Mailbox) Count(ctx context.Context, run string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(inbox, "deliveries", 1) // ok ttlwrite/read-modify-write
	_, err := m.tbl.ApplyReadModifyWrite(ctx, run, rmw)
	return err
}

func signals(row bigtable.Row) ([]Signal, error) {
	var out []Signal
	var errs []error
	for _, it := range row[inbox] {
		s, err := codec.JSON[Signal]{}.Decode(it.Value)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", it.Column, err))
			continue
		}
		out = append(out, s)
	}
	return out, errors.Join(errs...)
}

// Inbox reads the signals of run.
func (m *Mailbox) Inbox(ctx context.Context, run string) ([]Signal, error) {
	return bt.One(ctx, m.tbl, run, signals, bigtable.RowFilter(m.filter())) // ok ttlread/missing-filter // ok ttlread/wrong-bound
}

// InboxLatest reads the newest version of each.
func (m *Mailbox) InboxLatest(ctx context.Context, run string) ([]Signal, error) {
	return bt.One(ctx, m.tbl, run, signals, bigtable.RowFilter(bt.In(inbox, bt.Newest(1)))) // want ttlread/missing-filter
}

// InboxNow reads with the bound of the leases.
func (m *Mailbox) InboxNow(ctx context.Context, run string) ([]Signal, error) {
	now := m.clk.Now()
	return bt.One(ctx, m.tbl, run, signals, bigtable.RowFilter(bt.In(inbox, bt.Live(now)))) // want ttlread/wrong-bound
}

// InboxDay reads with a bound that was right once.
func (m *Mailbox) InboxDay(ctx context.Context, run string) ([]Signal, error) {
	f := bt.In(inbox, bt.Since(m.clk.Now(), 24*time.Hour))         // want ttlread/wrong-bound[day]
	return bt.One(ctx, m.tbl, run, signals, bigtable.RowFilter(f)) // want ttlread/wrong-bound[day]
}

// InboxUntilNow hides the signals that live longer than usual.
func (m *Mailbox) InboxUntilNow(ctx context.Context, run string) ([]Signal, error) {
	now := m.clk.Now()
	f := bigtable.TimestampRangeFilter(now.Add(-Retention), now)                 // want ttlread/upper-bound[untilnow]
	return bt.One(ctx, m.tbl, run, signals, bigtable.RowFilter(bt.In(inbox, f))) // want ttlread/upper-bound[untilnow]
}

// Dead reads what has expired only.
func (m *Mailbox) Dead(ctx context.Context, run string) ([]Signal, error) {
	f := bigtable.TimestampRangeFilter(time.Time{}, m.clk.Now().Add(-Retention)) // want ttlread/expired-only[dead]
	return bt.One(ctx, m.tbl, run, signals, bigtable.RowFilter(bt.In(inbox, f))) // want ttlread/expired-only[dead]
}

// Acked reads the acknowledgements.
func (m *Mailbox) Acked(ctx context.Context, run string) ([]string, error) {
	row, err := m.tbl.ReadRow(ctx, run) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, it := range row[ack] {
		ids = append(ids, it.Column)
	}
	return ids, nil
}

// Pair is a signal with its acknowledgement.
type Pair struct {
	Signals []Signal
	Acks    map[string]time.Time
}

// Pairs reads signals and acknowledgements.
func (m *Mailbox) Pairs(ctx context.Context, run string) (Pair, error) {
	row, err := m.tbl.ReadRow(ctx, run, bigtable.RowFilter(bigtable.InterleaveFilters(
		m.visible(),                  // ok ttlread/unfiltered-branch
		bigtable.FamilyFilter(ack)))) // ok ttlread/unfiltered-branch
	if err != nil {
		return Pair{}, err
	}
	p := Pair{Acks: map[string]time.Time{}}
	p.Signals, err = signals(row)
	for _, it := range row[ack] {
		p.Acks[it.Column] = it.Timestamp.Time()
	}
	return p, err
}

// PairsAll reads them without a bound in one branch.
func (m *Mailbox) PairsAll(ctx context.Context, run string) ([]Signal, error) {
	f := bigtable.InterleaveFilters(m.visible(), bigtable.ColumnFilter("pinned-.*")) // want ttlread/unfiltered-branch[pairsall]
	return bt.One(ctx, m.tbl, run, signals, bigtable.RowFilter(f))                   // want ttlread/unfiltered-branch[pairsall]
}

// IfFresh reads the inbox if it has anything live.
func (m *Mailbox) IfFresh(ctx context.Context, run string) ([]Signal, error) {
	f := bigtable.ConditionFilter(m.visible(), bigtable.FamilyFilter(inbox), nil) // want ttlread/unfiltered-branch[iffresh]
	return bt.One(ctx, m.tbl, run, signals, bigtable.RowFilter(f))                // want ttlread/unfiltered-branch[iffresh]
}

// IfAcked reads the live inbox if anything was acknowledged.
func (m *Mailbox) IfAcked(ctx context.Context, run string) ([]Signal, error) {
	f := bigtable.ConditionFilter(bigtable.FamilyFilter(ack), m.visible(), bigtable.BlockAllFilter()) // ok ttlread/unfiltered-branch
	return bt.One(ctx, m.tbl, run, signals, bigtable.RowFilter(f))                                    // ok ttlread/missing-filter
}

// Received is a signal as the UI shows it.
type Received struct {
	ID         string
	ReceivedAt time.Time
	WrittenAt  time.Time
	BestBefore time.Time
}

// List shows the inbox.
func (m *Mailbox) List(ctx context.Context, run string) ([]Received, error) {
	row, err := m.tbl.ReadRow(ctx, run, bigtable.RowFilter(m.filter()))
	if err != nil {
		return nil, err
	}
	var out []Received
	for _, it := range row[inbox] {
		out = append(out, Received{
			ID:         it.Column,
			WrittenAt:  it.Timestamp.Time(),                // want ttlage/not-write-time
			BestBefore: it.Timestamp.Time().Add(Retention), // ok ttlage/not-write-time
		})
	}
	return out, nil
}
