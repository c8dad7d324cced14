// Package dedupe drops messages that were seen before. What was seen is kept in
// a table for as long as the broker may deliver it again.
package dedupe

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/bt"
	"example.com/skylark/internal/queue"
)

const window = 10 * time.Minute

// Filter drops what was seen before.
type Filter struct {
	tbl   *bigtable.Table
	clock func() time.Time
	keep  time.Duration
}

// New returns a filter.
func New(c *bigtable.Client) *Filter {
	return &Filter{tbl: c.Open(bt.Dedupe), clock: time.Now, keep: window}
}

func key(m *queue.Message) string {
	sum := sha256.Sum256(m.Body)
	return m.Topic + "#" + hex.EncodeToString(sum[:8])
}

// Wrap returns a handler that calls next at most once per message.
func (f *Filter) Wrap(next queue.Handler) queue.Handler {
	return func(ctx context.Context, m *queue.Message) error {
		fresh, err := f.First(ctx, m)
		if err != nil {
			return fmt.Errorf("dedupe: %w", err)
		}
		if !fresh {
			return nil
		}
		return next(ctx, m)
	}
}

// First says whether a message comes for the first time.
func (f *Filter) First(ctx context.Context, m *queue.Message) (bool, error) {
	now := f.clock()
	mark := bigtable.NewMutation()
	mark.Set("seen", "at", bigtable.Time(now.Add(f.keep)), []byte(m.ID)) // ok ttlwrite/write-time
	alive := bigtable.TimestampRangeFilter(now, time.Time{})
	var was bool
	err := f.tbl.Apply(ctx, key(m), bigtable.NewCondMutation(alive, nil, mark), bigtable.GetCondMutationResult(&was)) // ok ttlread/conditional-mutation
	return !was, err
}

// FirstOfTopic is First by topic.
func (f *Filter) FirstOfTopic(ctx context.Context, m *queue.Message) (bool, error) {
	mark := bigtable.NewMutation()
	mark.Set("seen", "topic", bigtable.Time(f.clock()), []byte(m.ID)) // want ttlwrite/write-time
	var was bool
	err := f.tbl.Apply(ctx, m.Topic, bigtable.NewCondMutation(bigtable.PassAllFilter(), nil, mark), bigtable.GetCondMutationResult(&was)) // want ttlread/conditional-mutation
	return !was, err
}

// Seen says whether a message was seen.
func (f *Filter) Seen(ctx context.Context, m *queue.Message) (bool, error) {
	row, err := f.tbl.ReadRow(ctx, key(m)) // want ttlread/missing-filter
	return len(row) > 0, err
}

// SeenLive is Seen within the window.
func (f *Filter) SeenLive(ctx context.Context, m *queue.Message) (bool, error) {
	row, err := f.tbl.ReadRow(ctx, key(m), bigtable.RowFilter(bigtable.TimestampRangeFilter(f.clock(), time.Time{}))) // ok ttlread/missing-filter
	return len(row) > 0, err
}

// Mark marks a message without a look at what is there.
func (f *Filter) Mark(ctx context.Context, m *queue.Message) error {
	mut := bigtable.NewMutation()
	mut.Set("seen", "at", bigtable.ServerTime, []byte(m.ID)) // want ttlwrite/server-timestamp
	return f.tbl.Apply(ctx, key(m), mut)
}

// MarkFor marks a message for a while.
func (f *Filter) MarkFor(ctx context.Context, m *queue.Message, d time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set("seen", "at", bt.Expire(d), []byte(m.ID)) // ok ttlwrite/server-timestamp
	return f.tbl.Apply(ctx, key(m), mut)
}

// Forget has a message pass again.
func (f *Filter) Forget(ctx context.Context, m *queue.Message) error {
	mut := bigtable.NewMutation()
	mut.DeleteRow() // ok ttlwrite/delete-after-set
	return f.tbl.Apply(ctx, key(m), mut)
}

// Clean deletes the rows of a topic.
func (f *Filter) Clean(ctx context.Context, topic string) error {
	return f.tbl.ReadRows(ctx, bigtable.PrefixRange(topic+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteRow()
		return f.tbl.Apply(ctx, row.Key(), m) == nil
	}, bigtable.RowFilter(bigtable.CellsPerRowLimitFilter(1)))
}
