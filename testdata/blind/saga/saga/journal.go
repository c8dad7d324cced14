package saga

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/bt"
	"example.com/saga/clock"
	"example.com/saga/policy"
	"example.com/saga/schema"
	"example.com/saga/vo"
)

// Journal writes down how far a saga is: beside the order, and in the outbox's table for what must be done soon.
type Journal struct {
	orders bt.Table
	outbox bt.Table
	clk    clock.Clock
	keep   policy.Lifetime
	step   int64
}

// JournalOption changes a journal.
type JournalOption func(*Journal)

// Keep says how long deadlines are kept.
func Keep(l policy.Lifetime) JournalOption { return func(j *Journal) { j.keep = l } }

// NewJournal opens the journal of an environment.
func NewJournal(c *bigtable.Client, clk clock.Clock, env string, opts ...JournalOption) *Journal {
	j := &Journal{orders: c.Open(schema.OrdersTable(env)), outbox: c.Open(schema.Outbox), clk: clk, keep: policy.For(time.Minute)}
	for _, o := range opts {
		o(j)
	}
	return j
}

// mark is a cell that says what happened.
type mark struct {
	family, column string
	at             func(j *Journal, r vo.Revision) bigtable.Timestamp
}

func byRevision(_ *Journal, r vo.Revision) bigtable.Timestamp { return bt.Rev(r) }
func byClock(j *Journal, _ vo.Revision) bigtable.Timestamp    { return bt.Stamp(j.clk) }
func atZero(*Journal, vo.Revision) bigtable.Timestamp         { return 0 }

var finished = []mark{
	{schema.FamRev, "finished", byRevision}, // ok ttlwrite/clock-in-sequence
	{schema.FamRev, "sealed", byClock},      // want ttlwrite/clock-in-sequence[sealed]
	{schema.FamStatus, "saga", atZero},      // ok ttlwrite/clock-in-zero
	{schema.FamNote, "saga", byClock},       // ok ttlwrite/clock-in-sequence
}

// Finished marks an order whose saga is through.
func (j *Journal) Finished(u *bt.UnitOfWork, id vo.OrderID, r vo.Revision) {
	mut := bigtable.NewMutation()
	for _, m := range finished {
		mut.Set(m.family, m.column, m.at(j, r), []byte("done")) // want ttlwrite/clock-in-sequence[sealed]
	}
	u.Register(j.orders, string(id), mut)
}

// until is the timestamp of what lives for l.
func (j *Journal) until(l policy.Lifetime) bigtable.Timestamp {
	return bigtable.Time(l.Until(j.clk.Now()))
}

// Step marks a step that is done.
func (j *Journal) Step(ctx context.Context, id vo.OrderID, i int, name string) error {
	j.step++
	mut := bigtable.NewMutation()
	mut.Set(schema.FamRev, "step", bigtable.Timestamp(j.step), []byte(name))               // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamRev, "step.at", bigtable.Timestamp((j.step)*1000), []byte(name))     // ok ttlwrite/unscaled-sequence
	mut.Set(schema.FamNote, fmt.Sprintf("step%02d", i), bigtable.ServerTime, []byte(name)) // ok ttlwrite/clock-in-sequence
	if err := j.orders.Apply(ctx, string(id), mut); err != nil {
		return fmt.Errorf("step %s of %s: %w", name, id, err)
	}
	due := bigtable.NewMutation()
	due.Set(schema.FamLease, "due", j.until(policy.For(30*time.Second)), []byte(name)) // ok ttlwrite/write-time
	due.Set(schema.FamLease, "step", j.until(policy.Instant{}), []byte(name))          // want ttlwrite/write-time
	due.Set(schema.FamLease, "kept", bigtable.Time(j.keep.Until(j.clk.Now())), nil)    // ok ttlwrite/write-time
	return j.outbox.Apply(ctx, "saga#"+string(id), due)
}

// Undone marks a step that was taken back.
func (j *Journal) Undone(ctx context.Context, id vo.OrderID, i int, name string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamRev, "undone", bigtable.ServerTime, []byte(name))                   // want ttlwrite/clock-in-sequence
	mut.Set(schema.FamStatus, "saga", 0, []byte("undone "+name))                          // ok ttlwrite/clock-in-zero
	mut.Set(schema.FamStatus, fmt.Sprintf("undone%02d", i), bigtable.Now(), []byte(name)) // want ttlwrite/clock-in-zero
	return j.orders.Apply(ctx, string(id), mut)
}

// Delay says that a saga waits for somebody.
func (j *Journal) Delay(ctx context.Context, id vo.OrderID, d policy.Lifetime, why string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLease, "delay", bigtable.Time(d.Until(j.clk.Now())), []byte(why)) // ok ttlwrite/write-time
	mut.Set(schema.FamLease, "why", bigtable.ServerTime, []byte(why))                   // want ttlwrite/server-timestamp
	return j.outbox.Apply(ctx, "saga#"+string(id), mut)
}

// Overdue lists the sagas whose time is over.
func (j *Journal) Overdue(ctx context.Context) ([]string, error) {
	var keys []string
	err := j.outbox.ReadRows(ctx, bigtable.PrefixRange("saga#"), func(row bigtable.Row) bool { // want ttlread/expired-only[over]
		for _, it := range row[schema.FamLease] {
			keys = append(keys, strings.TrimPrefix(row.Key(), "saga#")+" "+string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bt.Column(schema.FamLease, "due", bt.Between(time.Unix(0, 0), j.clk.Now())))) // want ttlread/expired-only[over]
	return keys, err
}

// Running lists the sagas that are on their way.
func (j *Journal) Running(ctx context.Context) ([]string, error) {
	var keys []string
	err := j.outbox.ReadRows(ctx, bigtable.PrefixRange("saga#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamLease] {
			keys = append(keys, strings.TrimPrefix(row.Key(), "saga#")+" "+string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bt.Column(schema.FamLease, "due", bt.Live(j.clk))))
	return keys, err
}

// Due tells when a saga must be through.
func (j *Journal) Due(ctx context.Context, id vo.OrderID) (time.Time, error) {
	row, err := j.outbox.ReadRow(ctx, "saga#"+string(id), bigtable.RowFilter(bigtable.ColumnFilter("due"))) // want ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	for _, it := range row[schema.FamLease] {
		return it.Timestamp.Time(), nil // ok ttlage/not-write-time
	}
	return time.Time{}, bt.ErrNotFound
}

// Steps are the steps that an order has been through.
func (j *Journal) Steps(ctx context.Context, id vo.OrderID) ([]string, error) {
	row, err := j.orders.ReadRow(ctx, string(id), bigtable.RowFilter(bt.Column(schema.FamRev, "step", bigtable.LatestNFilter(5)))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[schema.FamRev] {
		out = append(out, fmt.Sprintf("%d %s", it.Timestamp/1000, it.Value))
	}
	return out, nil
}

// AllSteps are the steps with when they were.
func (j *Journal) AllSteps(ctx context.Context, id vo.OrderID) ([]string, error) {
	row, err := j.orders.ReadRow(ctx, string(id)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[schema.FamRev] {
		modified := it.Timestamp.Time() // want ttlage/not-write-time
		out = append(out, modified.Format(time.RFC3339)+" "+string(it.Value))
	}
	for _, it := range row[schema.FamNote] {
		modified := it.Timestamp.Time() // ok ttlage/not-write-time
		out = append(out, modified.Format(time.RFC3339)+" "+string(it.Value))
	}
	return out, nil
}
