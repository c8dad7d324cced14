// Package offsets keeps how far consumers have come. An offset is the version of
// its own cell, so that a consumer that lags cannot overwrite one that leads.
package offsets

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/bt"
	"example.com/skylark/internal/metrics"
	"example.com/skylark/internal/pipeline"
	"example.com/skylark/internal/queue"
	"example.com/skylark/internal/sink"
)

const family = "commit"

// Offset is a position in a partition.
type Offset struct {
	Group     string
	Topic     string
	Partition int
	Position  int64
}

func (o Offset) key() string { return fmt.Sprintf("%s#%s#%d", o.Group, o.Topic, o.Partition) }

// Info is what the operators see.
type Info struct {
	Key       string    `json:"key"`
	Position  int64     `json:"position"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Committer commits offsets in batches; of one key only the highest counts.
type Committer struct {
	tbl  *bigtable.Table
	in   chan Offset
	log  *slog.Logger
	m    *metrics.Set
	gen  atomic.Int64
	tick int64
}

// NewCommitter returns a committer.
func NewCommitter(c *bigtable.Client, log *slog.Logger, m *metrics.Set) *Committer {
	return &Committer{tbl: c.Open(bt.Offsets), in: make(chan Offset, 512), log: log, m: m}
}

// Handler wraps h so that offsets of handled messages are committed.
func (c *Committer) Handler(group string, h queue.Handler) queue.Handler {
	return func(ctx context.Context, m *queue.Message) error {
		if err := h(ctx, m); err != nil {
			return err
		}
		select {
		case c.in <- Offset{Group: group, Topic: m.Topic, Position: m.Seq}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Run commits until ctx ends.
func (c *Committer) Run(ctx context.Context) error {
	return pipeline.Drain(ctx, pipeline.Batch(ctx, c.in, 100, time.Second), c.commit)
}

func (c *Committer) commit(ctx context.Context, os []Offset) error {
	top := map[string]Offset{}
	for _, o := range os {
		if cur, ok := top[o.key()]; !ok || o.Position > cur.Position {
			top[o.key()] = o
		}
	}
	keys := make([]string, 0, len(top))
	muts := make([]*bigtable.Mutation, 0, len(top))
	for k, o := range top {
		m := bigtable.NewMutation()
		m.Set(family, "position", bigtable.Timestamp(o.Position*1000), strconv.AppendInt(nil, o.Position, 10)) // ok ttlwrite/unscaled-sequence
		keys = append(keys, k)
		muts = append(muts, m)
	}
	errs, err := c.tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return err
	}
	for i, e := range errs {
		if e != nil {
			c.log.Warn("commit", "key", keys[i], "err", e)
		}
	}
	c.m.Add("commits", int64(len(keys)))
	return nil
}

// Heartbeat says that a consumer lives.
func (c *Committer) Heartbeat(ctx context.Context, group string) error {
	c.tick++
	m := bigtable.NewMutation()
	m.Set(family, "alive", bigtable.Timestamp(c.tick), []byte(group)) // want ttlwrite/unscaled-sequence
	return c.tbl.Apply(ctx, "group#"+group, m)
}

// Generation starts a new generation of a group.
func (c *Committer) Generation(ctx context.Context, group string) (int64, error) {
	n := c.gen.Add(1)
	m := bigtable.NewMutation()
	m.Set(family, "generation", bt.Plain(n), []byte(group)) // want ttlwrite/unscaled-sequence
	m.Set(family, "leader", bt.Seq(n), []byte(group))       // ok ttlwrite/unscaled-sequence
	return n, c.tbl.Apply(ctx, "group#"+group, m)
}

// Reset sets a group back; the newest write has to win, so it takes the clock.
func (c *Committer) Reset(ctx context.Context, o Offset) error {
	m := bigtable.NewMutation()
	m.Set(family, "position", bigtable.Now(), strconv.AppendInt(nil, o.Position, 10)) // want ttlwrite/clock-in-sequence
	return c.tbl.Apply(ctx, o.key(), m)
}

// ResetHard is Reset as it should be: what is there goes first.
func (c *Committer) ResetHard(ctx context.Context, o Offset) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(family, "position")                                             // ok ttlwrite/delete-after-set
	m.Set(family, "position", bt.Seq(o.Position), strconv.AppendInt(nil, o.Position, 10)) // ok ttlwrite/clock-in-sequence
	return c.tbl.Apply(ctx, o.key(), m)
}

// Pause stops a group.
func (c *Committer) Pause(ctx context.Context, group, why string) error {
	m := bigtable.NewMutation()
	m.Set(family, "paused", bt.Stamp(), []byte(why)) // want ttlwrite/clock-in-sequence
	return c.tbl.Apply(ctx, "group#"+group, m)
}

// Resume has a group go on.
func (c *Committer) Resume(ctx context.Context, group string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(family, "paused") // ok ttlwrite/delete-after-set
	return c.tbl.Apply(ctx, "group#"+group, m)
}

// Lease hands a partition to a consumer, until a time.
func (c *Committer) Lease(ctx context.Context, o Offset, until time.Time) error {
	m := bigtable.NewMutation()
	m.Set(family, "lease", bigtable.Time(until), []byte(o.Group)) // want ttlwrite/clock-in-sequence
	return c.tbl.Apply(ctx, o.key(), m)
}

// FromMicros sets an offset whose number came as microseconds of an epoch.
func (c *Committer) FromMicros(ctx context.Context, o Offset) error {
	m := bigtable.NewMutation()
	m.Set(family, "position", bigtable.Time(time.UnixMilli(o.Position)), nil) // ok ttlwrite/clock-in-sequence
	return c.tbl.Apply(ctx, o.key(), m)
}

// Position reads an offset.
func (c *Committer) Position(ctx context.Context, o Offset) (int64, error) {
	row, err := c.tbl.ReadRow(ctx, o.key(), bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[family] {
		if it.Column == "commit:position" {
			return int64(it.Timestamp) / 1000, nil
		}
	}
	return 0, nil
}

// Positions reads every offset of a group.
func (c *Committer) Positions(ctx context.Context, group string) (map[string]int64, error) {
	res := map[string]int64{}
	err := c.tbl.ReadRows(ctx, bigtable.PrefixRange(group+"#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row[family] {
			res[row.Key()+"/"+it.Column] = int64(it.Timestamp) / 1000
		}
		return true
	})
	return res, err
}

// Infos is Positions for the operators.
func (c *Committer) Infos(ctx context.Context, group string) ([]Info, error) {
	var infos []Info
	err := c.tbl.ReadRows(ctx, bigtable.PrefixRange(group+"#"), func(row bigtable.Row) bool { // ok ttlread/version-limit
		for _, it := range row[family] {
			infos = append(infos, Info{
				Key:       row.Key(),
				Position:  int64(it.Timestamp) / 1000,
				UpdatedAt: it.Timestamp.Time(), // want ttlage/not-write-time
			})
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return infos, err
}

// Stuck lists groups that have not committed for a while.
func (c *Committer) Stuck(ctx context.Context, group string, limit time.Duration) ([]string, error) {
	var stuck []string
	err := c.tbl.ReadRows(ctx, bigtable.PrefixRange(group+"#"), func(row bigtable.Row) bool { // ok ttlread/version-limit
		for _, it := range row[family] {
			if time.Since(it.Timestamp.Time()) > limit { // want ttlage/not-write-time
				stuck = append(stuck, row.Key())
			}
		}
		return true
	}, bigtable.RowFilter(bt.Newest(family, 1)))
	return stuck, err
}

// Two reads the two newest commits of a partition.
func (c *Committer) Two(ctx context.Context, o Offset) (row bigtable.Row, err error) {
	return c.tbl.ReadRow(ctx, o.key(), bigtable.RowFilter(bt.Newest(family, 2))) // want ttlread/version-limit
}

// Today lists what was committed today.
func (c *Committer) Today(ctx context.Context, group string) (n int, err error) {
	midnight := time.Now().Truncate(24 * time.Hour)
	f := bigtable.ChainFilters(bigtable.LatestNFilter(1), bigtable.TimestampRangeFilter(midnight, time.Time{})) // want ttlread/wrong-bound[today]
	err = c.tbl.ReadRows(ctx, bigtable.PrefixRange(group), func(row bigtable.Row) bool {                        // want ttlread/wrong-bound[today]
		n += len(row[family])
		return true
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[today]
	return n, err
}

// Fence makes sure that only one committer of a group runs.
func (c *Committer) Fence(ctx context.Context, group string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, "fence", 1) // want ttlwrite/read-modify-write
	_, err := c.tbl.ApplyReadModifyWrite(ctx, "group#"+group, rmw)
	return err
}

// Mirror copies commits into other sinks.
type Mirror struct {
	mu    sync.Mutex
	sinks []*sink.Sink
}

// NewMirror returns a mirror of the tables that follow the offsets.
func NewMirror(s *bt.Stores) *Mirror {
	return &Mirror{sinks: []*sink.Sink{
		sink.New(s.Offsets, "offsets", sink.WithTrace(family, bt.Seq(1))),            // ok ttlwrite/unscaled-sequence
		sink.New(s.Offsets, "offsets-eu", sink.WithMark(family, bigtable.Now)),       // want ttlwrite/clock-in-sequence
		sink.New(s.Archive, "archive", sink.WithMark(family, bigtable.Now)),          // ok ttlwrite/clock-in-sequence
		sink.New(s.Devices, "devices", sink.WithMark(bt.FamShadow, bt.Stamp)),        // ok ttlwrite/write-time
		sink.New(s.Outbox, "outbox", sink.WithTrace(bt.FamJob, bigtable.ServerTime)), // want ttlwrite/server-timestamp
		sink.New(s.Tokens, "tokens", sink.WithMark(bt.FamPush, bt.Stamp)),            // want ttlwrite/write-time
	}}
}

// Send sends a write to every sink.
func (m *Mirror) Send(ctx context.Context, w sink.Write) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.sinks {
		if err := s.Send(ctx, w); err != nil {
			return err
		}
	}
	return nil
}
