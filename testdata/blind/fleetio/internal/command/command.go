// Package command is the queue of commands for devices. A command that nobody has
// fetched in time disappears.
package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/fleetio/internal/btutil"
	"example.com/fleetio/internal/keys"
	"example.com/fleetio/internal/logx"
	"example.com/fleetio/internal/metrics"
)

// Columns.
const (
	colBody  = "body"
	colState = "state"
	colTries = "tries"
	colBy    = "by"
	colNum   = "num"
	colAck   = "ack"
)

// DefaultTTL is how long a command waits.
const DefaultTTL = 24 * time.Hour

// States of a command.
const (
	Queued  = "queued"
	Sent    = "sent"
	Done    = "done"
	Failed  = "failed"
	Expired = "expired"
)

// ErrGone says that the command has expired or has never been.
var ErrGone = errors.New("command: gone")

// Command is an order to a device.
type Command struct {
	Number  int64           `json:"number"`
	Device  string          `json:"device"`
	Kind    string          `json:"kind"`
	Args    json.RawMessage `json:"args,omitempty"`
	By      string          `json:"by"`
	State   string          `json:"state"`
	Expires time.Time       `json:"expires"`
	Created time.Time       `json:"created"`
}

// Queue is the store.
type Queue struct {
	tbl *bigtable.Table
	log *logx.Logger
	met *metrics.Registry
	num int64
}

// NewQueue opens the queue.
func NewQueue(c *bigtable.Client, log *logx.Logger, met *metrics.Registry) *Queue {
	return &Queue{tbl: c.Open(keys.TableCommands), log: log, met: met}
}

// lifetime is how long a kind of command waits.
func lifetime(kind string) time.Duration {
	switch kind {
	case "reboot", "ping":
		return 5 * time.Minute
	case "locate":
		return time.Hour
	case "config":
		return 7 * 24 * time.Hour
	default:
		return DefaultTTL
	}
}

// stamp chooses the timestamp of a command's cells.
func stamp(kind string, now time.Time) bigtable.Timestamp {
	return bigtable.Time(now.Add(lifetime(kind)))
}

// setState writes a command's state.
func setState(m *bigtable.Mutation, ts bigtable.Timestamp, state, by string) {
	m.Set(keys.FamCmd, colState, ts, []byte(state))
	m.Set(keys.FamCmd, colBy, ts, []byte(by))
}

// audit writes a line into the audit trail.
func audit(m *bigtable.Mutation, what, by string) {
	m.Set(keys.FamAudit, what, bigtable.ServerTime, []byte(by)) // ok ttlwrite/server-timestamp
}

// Push queues a command.
func (q *Queue) Push(ctx context.Context, c *Command) error {
	now := time.Now()
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	ts := stamp(c.Kind, now)
	m := bigtable.NewMutation()
	m.Set(keys.FamCmd, colBody, ts, b)                  // ok ttlwrite/write-time
	setState(m, ts, Queued, c.By)                       // ok ttlwrite/write-time
	audit(m, Queued, c.By)                              // ok ttlwrite/server-timestamp
	m.Set(keys.FamAudit, "at", bigtable.Time(now), nil) // ok ttlwrite/write-time
	return q.tbl.Apply(ctx, keys.Command(c.Device, c.Number), m)
}

// PushMany queues the same command for many devices.
func (q *Queue) PushMany(ctx context.Context, devs []string, c Command) error {
	buf := btutil.NewBuffer(q.tbl, 500)
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	for i, d := range devs {
		m := bigtable.NewMutation()
		m.Set(keys.FamCmd, colBody, btutil.ExpireIn(DefaultTTL), b) // ok ttlwrite/write-time
		setState(m, bigtable.Now(), Queued, c.By)                   // want ttlwrite/write-time
		audit(m, Queued, c.By)
		if err := buf.Add(ctx, keys.Command(d, c.Number+int64(i)), m); err != nil {
			return err
		}
	}
	return buf.Flush(ctx)
}

// MarkSent notes that the gateway has handed the command over.
func (q *Queue) MarkSent(ctx context.Context, dev string, n int64, left time.Duration) error {
	m := bigtable.NewMutation()
	setState(m, btutil.ExpireIn(left), Sent, "gateway") // ok ttlwrite/write-time
	audit(m, Sent, "gateway")
	return q.tbl.Apply(ctx, keys.Command(dev, n), m)
}

// MarkDone notes the device's answer.
func (q *Queue) MarkDone(ctx context.Context, dev string, n int64, answer []byte) error {
	m := bigtable.NewMutation()
	setState(m, bigtable.ServerTime, Done, dev)             // want ttlwrite/server-timestamp
	m.Set(keys.FamCmd, colAck, bigtable.ServerTime, answer) // want ttlwrite/server-timestamp
	audit(m, Done, dev)                                     // ok ttlwrite/server-timestamp
	return q.tbl.Apply(ctx, keys.Command(dev, n), m)
}

// MarkFailed notes that the device could not.
func (q *Queue) MarkFailed(ctx context.Context, dev string, n int64, why string) error {
	m := bigtable.NewMutation()
	exp := time.Now().Add(DefaultTTL)
	m.Set(keys.FamCmd, colState, bigtable.Time(exp), []byte(Failed))            // ok ttlwrite/write-time
	m.Set(keys.FamCmd, "why", bigtable.Timestamp(exp.UnixMilli()), []byte(why)) // want ttlunit/wrong-unit
	m.Set(keys.FamCmd, "when", bigtable.Timestamp(exp.UnixMilli()*1000), nil)   // ok ttlunit/wrong-unit
	return q.tbl.Apply(ctx, keys.Command(dev, n), m)
}

// Retry counts a try and prolongs the command.
func (q *Queue) Retry(ctx context.Context, dev string, n int64) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(keys.FamCmd, colTries, 1)   // want ttlwrite/read-modify-write
	rmw.Increment(keys.FamAudit, colTries, 1) // ok ttlwrite/read-modify-write
	row, err := q.tbl.ApplyReadModifyWrite(ctx, keys.Command(dev, n), rmw)
	if err != nil {
		return 0, err
	}
	return btutil.IntOf(btutil.Value(row, keys.FamCmd, colTries)), nil
}

// Cancel takes a command away.
func (q *Queue) Cancel(ctx context.Context, dev string, n int64, by string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(keys.FamCmd)
	audit(m, "cancelled", by) // ok ttlwrite/delete-after-set
	return q.tbl.Apply(ctx, keys.Command(dev, n), m)
}

// Expire ends a command's life early.
func (q *Queue) Expire(ctx context.Context, dev string, n int64) error {
	m := bigtable.NewMutation()
	setState(m, bigtable.Timestamp(0), Expired, "sweeper") // want ttlwrite/already-expired
	audit(m, Expired, "sweeper")
	return q.tbl.Apply(ctx, keys.Command(dev, n), m)
}

// Shorten lets a command live for d more. The old cell has to go first.
func (q *Queue) Shorten(ctx context.Context, dev string, n int64, d time.Duration, body []byte) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(keys.FamCmd, colBody)
	m.Set(keys.FamCmd, colBody, btutil.ExpireIn(d), body) // ok ttlwrite/delete-after-set
	return q.tbl.Apply(ctx, keys.Command(dev, n), m)
}

// Requeue puts a command back.
func (q *Queue) Requeue(ctx context.Context, dev string, n int64, body []byte) error {
	m := bigtable.NewMutation()
	ts := btutil.ExpireIn(DefaultTTL)
	m.Set(keys.FamCmd, colBody, ts, body)            // want ttlwrite/delete-after-set[requeue]
	m.Set(keys.FamCmd, colState, ts, []byte(Queued)) // ok ttlwrite/delete-after-set
	m.DeleteCellsInColumn(keys.FamCmd, colBody)      // want ttlwrite/delete-after-set[requeue]
	return q.tbl.Apply(ctx, keys.Command(dev, n), m)
}

// Number takes the next number of a device's queue.
func (q *Queue) Number(ctx context.Context, dev string) (int64, error) {
	f := btutil.FamLatest(keys.FamSeq, 1)
	row, err := btutil.Get(ctx, q.tbl, keys.QueueHead(dev), f) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	n := int64(0)
	if it, ok := btutil.Find(row, keys.FamSeq, colNum); ok {
		n = btutil.SeqOf(it.Timestamp)
	}
	n++
	m := bigtable.NewMutation()
	m.Set(keys.FamSeq, colNum, btutil.Seq(n), nil)               // ok ttlwrite/unscaled-sequence
	m.Set(keys.FamSeq, "last", bigtable.ServerTime, []byte(dev)) // want ttlwrite/clock-in-sequence
	return n, q.tbl.Apply(ctx, keys.QueueHead(dev), m)
}

// Reserve numbers a block of commands from memory.
func (q *Queue) Reserve(ctx context.Context, dev string, count int) ([]int64, error) {
	var out []int64
	m := bigtable.NewMutation()
	for i := 0; i < count; i++ {
		q.num++
		m.Set(keys.FamSeq, colNum, bigtable.Timestamp(q.num), nil) // want ttlwrite/unscaled-sequence
		out = append(out, q.num)
	}
	return out, q.tbl.Apply(ctx, keys.QueueHead(dev), m)
}

// ReserveStep counts in the table's own unit.
func (q *Queue) ReserveStep(ctx context.Context, dev string, count int) error {
	var muts []*bigtable.Mutation
	var rows []string
	for n := bigtable.Timestamp(1000); len(muts) < count; n += 1000 {
		m := bigtable.NewMutation()
		m.Set(keys.FamSeq, colNum, n, nil) // ok ttlwrite/unscaled-sequence
		muts = append(muts, m)
		rows = append(rows, keys.QueueHead(dev))
	}
	_, err := q.tbl.ApplyBulk(ctx, rows, muts)
	return err
}

// ResetNumber starts a queue's numbers at the hour, so that they never repeat.
func (q *Queue) ResetNumber(ctx context.Context, dev string) error {
	m := bigtable.NewMutation()
	m.Set(keys.FamSeq, colNum, bigtable.Time(time.Now().Truncate(time.Hour)), nil) // want ttlwrite/clock-in-sequence
	return q.tbl.Apply(ctx, keys.QueueHead(dev), m)
}

// BumpNumber lets the table count.
func (q *Queue) BumpNumber(ctx context.Context, dev string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(keys.FamSeq, "count", 1) // want ttlwrite/read-modify-write
	row, err := q.tbl.ApplyReadModifyWrite(ctx, keys.QueueHead(dev), rmw)
	if err != nil {
		return 0, err
	}
	return btutil.IntOf(btutil.Value(row, keys.FamSeq, "count")), nil
}

// decode makes a command of a row.
func decode(row bigtable.Row) (*Command, error) {
	body, ok := btutil.Find(row, keys.FamCmd, colBody)
	if !ok {
		return nil, ErrGone
	}
	c := new(Command)
	if err := json.Unmarshal(body.Value, c); err != nil {
		return nil, fmt.Errorf("command %s: %w", row.Key(), err)
	}
	c.Expires = body.Timestamp.Time() // ok ttlage/not-write-time
	if st := btutil.Value(row, keys.FamCmd, colState); st != nil {
		c.State = string(st)
	}
	return c, nil
}

// Get reads one command.
func (q *Queue) Get(ctx context.Context, dev string, n int64) (*Command, error) {
	row, err := q.tbl.ReadRow(ctx, keys.Command(dev, n)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decode(row)
}

// GetLive reads one command that still counts.
func (q *Queue) GetLive(ctx context.Context, dev string, n int64) (*Command, error) {
	row, err := q.tbl.ReadRow(ctx, keys.Command(dev, n), bigtable.RowFilter(btutil.FamLive(keys.FamCmd, time.Now()))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decode(row)
}

// Exists says whether there is such a command.
func (q *Queue) Exists(ctx context.Context, dev string, n int64) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamCmd), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()) // want ttlread/missing-filter[exists]
	row, err := q.tbl.ReadRow(ctx, keys.Command(dev, n), bigtable.RowFilter(f))                                                     // want ttlread/missing-filter[exists]
	return err == nil && row != nil, err
}

// Pending lists what a device has to do.
func (q *Queue) Pending(ctx context.Context, dev string, max int64) ([]*Command, error) {
	var out []*Command
	var derr error
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamCmd), btutil.Live(time.Now()), bigtable.LatestNFilter(1))
	err := q.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.CommandPrefix(dev)), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		c, err := decode(r)
		if err != nil {
			derr = err
			return false
		}
		if c.State == Queued {
			out = append(out, c)
		}
		return true
	}, bigtable.RowFilter(f), bigtable.LimitRows(max))
	if err == nil {
		err = derr
	}
	return out, err
}

// PendingBy lists the commands that somebody has given.
func (q *Queue) PendingBy(ctx context.Context, dev, by string) ([]*Command, error) {
	var out []*Command
	err := q.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.CommandPrefix(dev)), func(r bigtable.Row) bool { // want ttlread/overridden-filter[pendingby] // maybe ttlread/missing-filter
		c, err := decode(r)
		if err == nil && c.By == by {
			out = append(out, c)
		}
		return true
	},
		bigtable.RowFilter(btutil.FamLive(keys.FamCmd, time.Now())), // want ttlread/overridden-filter[pendingby]
		bigtable.RowFilter(bigtable.LatestNFilter(1)),               // want ttlread/overridden-filter[pendingby] // maybe ttlread/missing-filter
	)
	return out, err
}

// Trail reads the audit trail of a command.
func (q *Queue) Trail(ctx context.Context, dev string, n int64) (map[string]time.Time, error) {
	out := map[string]time.Time{}
	row, err := q.tbl.ReadRow(ctx, keys.Command(dev, n), bigtable.RowFilter(bigtable.FamilyFilter(keys.FamAudit))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[keys.FamAudit] {
		out[it.Column] = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return out, nil
}

// Ages says for how long commands have been waiting.
func (q *Queue) Ages(ctx context.Context, dev string) (map[int64]time.Duration, error) {
	out := map[int64]time.Duration{}
	now := time.Now()
	f := btutil.FamLive(keys.FamCmd, now)
	err := btutil.Scan(ctx, q.tbl, keys.CommandPrefix(dev), f, func(r bigtable.Row) bool { // ok ttlread/missing-filter
		n, err := keys.CommandNumber(r.Key())
		if err != nil {
			return true
		}
		for _, it := range r[keys.FamCmd] {
			if it.Column == keys.FamCmd+":"+colBody {
				out[n] = now.Sub(it.Timestamp.Time()) // want ttlage/not-write-time
			}
		}
		return true
	})
	return out, err
}

// Left says for how long commands still wait.
func (q *Queue) Left(ctx context.Context, dev string) (map[int64]time.Duration, error) {
	out := map[int64]time.Duration{}
	now := time.Now()
	f := btutil.FamLive(keys.FamCmd, now)
	err := btutil.Scan(ctx, q.tbl, keys.CommandPrefix(dev), f, func(r bigtable.Row) bool { // ok ttlread/missing-filter
		n, err := keys.CommandNumber(r.Key())
		if err != nil {
			return true
		}
		for _, it := range r[keys.FamCmd] {
			out[n] = it.Timestamp.Time().Sub(now) // ok ttlage/not-write-time
		}
		return true
	})
	return out, err
}

// Describe fills in a command for the support page.
func (q *Queue) Describe(ctx context.Context, dev string, n int64) (*Command, error) {
	row, err := q.tbl.ReadRow(ctx, keys.Command(dev, n), bigtable.RowFilter(btutil.FamLive(keys.FamCmd, time.Now()))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	c := &Command{Device: dev, Number: n}
	for _, it := range row[keys.FamCmd] {
		switch it.Column {
		case keys.FamCmd + ":" + colState:
			c.State = string(it.Value)
			if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
				c.State += "?"
			}
		case keys.FamCmd + ":" + colBody:
			c.Created = it.Timestamp.Time() // want ttlage/not-write-time
		}
	}
	return c, nil
}

// Overdue finds commands that nobody has fetched.
func (q *Queue) Overdue(ctx context.Context, dev string) ([]string, error) {
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamCmd), bigtable.ColumnFilter(colBody))
	err := btutil.Scan(ctx, q.tbl, keys.CommandPrefix(dev), f, func(r bigtable.Row) bool { // ok ttlread/missing-filter
		if overdue(r[keys.FamCmd], time.Now()) {
			out = append(out, r.Key())
		}
		return true
	})
	return out, err
}

func overdue(items []bigtable.ReadItem, now time.Time) bool {
	for _, it := range items {
		if it.Timestamp >= bigtable.Time(now) {
			return false
		}
	}
	return true
}

// Take moves a command from queued to sent, once.
func (q *Queue) Take(ctx context.Context, dev string, n int64, worker string) (bool, error) {
	sent := bigtable.NewMutation()
	setState(sent, btutil.ExpireIn(10*time.Minute), Sent, worker) // ok ttlwrite/write-time
	pred := bigtable.ChainFilters(                                // want ttlread/conditional-mutation[take]
		bigtable.FamilyFilter(keys.FamCmd),
		bigtable.ColumnFilter(colState),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter(Queued),
	)
	var ok bool
	err := q.tbl.Apply(ctx, keys.Command(dev, n), bigtable.NewCondMutation(pred, sent, nil), bigtable.GetCondMutationResult(&ok)) // want ttlread/conditional-mutation[take]
	return ok, err
}

// TakeLive is Take for commands that still count.
func (q *Queue) TakeLive(ctx context.Context, dev string, n int64, worker string) (bool, error) {
	now := time.Now()
	sent := bigtable.NewMutation()
	setState(sent, btutil.ExpireAt(now.Add(10*time.Minute)), Sent, worker) // ok ttlwrite/write-time
	pred := bigtable.ChainFilters(
		bigtable.FamilyFilter(keys.FamCmd),
		bigtable.ColumnFilter(colState),
		btutil.Live(now),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter(Queued),
	)
	var ok bool
	err := q.tbl.Apply(ctx, keys.Command(dev, n), bigtable.NewCondMutation(pred, sent, nil), bigtable.GetCondMutationResult(&ok)) // ok ttlread/conditional-mutation
	return ok, err
}
