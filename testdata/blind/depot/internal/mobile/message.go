package mobile

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/bt"
	"example.com/depot/internal/names"
	"example.com/depot/internal/seqx"
)

// InboxTTL is how long messages are kept.
const InboxTTL = 72 * time.Hour

// Message is a message to a driver.
type Message struct {
	ID     string    `json:"id"`
	From   string    `json:"from"`
	Text   string    `json:"text"`
	Sent   time.Time `json:"sent"`
	Urgent bool      `json:"urgent"`
}

func (m Message) bytes() []byte {
	b, _ := json.Marshal(m)
	return b
}

// Inbox is the messages of the drivers, and how far they have read.
type Inbox struct {
	messages *bigtable.Table
	outbox   *bigtable.Table
	mu       sync.Mutex
	reads    map[string]int
	log      *slog.Logger
}

// OpenInbox opens the tables.
func OpenInbox(c *bigtable.Client, log *slog.Logger) *Inbox {
	return &Inbox{messages: c.Open(names.Messages), outbox: c.Open(names.Outbox), reads: map[string]int{}, log: log}
}

// Send puts a message into an inbox. Urgent ones are gone after an hour.
func (b *Inbox) Send(ctx context.Context, driver string, msg Message) error {
	at := time.Now()
	if msg.Urgent {
		at = at.Add(time.Hour - InboxTTL)
	}
	m := bigtable.NewMutation()
	m.Set(string(names.Inbox), msg.ID, bigtable.Time(at), msg.bytes()) // ok ttlwrite/already-expired
	m.Set(string(names.Badge), "unread", 0, []byte{1})                 // ok ttlwrite/clock-in-zero
	return b.messages.Apply(ctx, driver, m)
}

// SendOld puts a message into an inbox that has been read elsewhere.
func (b *Inbox) SendOld(ctx context.Context, driver string, msg Message) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Inbox), msg.ID, bigtable.Timestamp(1577836800000000), msg.bytes()) // want ttlwrite/already-expired
	m.Set(string(names.Badge), "unread", bigtable.ServerTime, []byte{0})                  // want ttlwrite/clock-in-zero
	return b.messages.Apply(ctx, driver, m)
}

// Post hands a message to the other system, whose cells are ordinary.
func (b *Inbox) Post(ctx context.Context, driver string, msg Message) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Inbox), msg.ID, bigtable.Timestamp(1577836800000000), msg.bytes()) // ok ttlwrite/already-expired
	return b.outbox.Apply(ctx, driver, m)
}

// Posted reads what the other system has.
func (b *Inbox) Posted(ctx context.Context, driver string) (int, error) {
	row, err := b.outbox.ReadRow(ctx, driver) // ok ttlread/missing-filter
	return len(row[string(names.Inbox)]), err
}

// Advance notes how far a driver has read: the number is the message's.
func (b *Inbox) Advance(ctx context.Context, driver string, n bt.Seq) error {
	m := bigtable.NewMutation()
	bt.Put(m, names.Cursor, "read", n, strconv.AppendUint(nil, uint64(n), 10)) // ok ttlwrite/clock-in-sequence
	return b.messages.Apply(ctx, driver, m)
}

// AdvanceNow notes that a driver has read everything.
func (b *Inbox) AdvanceNow(ctx context.Context, driver string) error {
	m := bigtable.NewMutation()
	bt.Put(m, names.Cursor, "read", bt.Written(time.Now()), nil) // want ttlwrite/clock-in-sequence
	return b.messages.Apply(ctx, driver, m)
}

// AdvanceMillis notes how far a driver has read, by the clock of the
// telephone.
func (b *Inbox) AdvanceMillis(ctx context.Context, driver string) error {
	m := bigtable.NewMutation()
	m.Set(string(names.Cursor), "read", bigtable.Timestamp(time.Now().UnixMilli()*1000), nil) // want ttlwrite/clock-in-sequence
	return b.messages.Apply(ctx, driver, m)
}

// Tick counts what a driver has read in this process.
func (b *Inbox) Tick(ctx context.Context, driver string) error {
	b.mu.Lock()
	b.reads[driver]++
	n := b.reads[driver]
	b.mu.Unlock()
	m := bigtable.NewMutation()
	m.Set(string(names.Cursor), "ticks", bigtable.Timestamp(n), nil)        // want ttlwrite/unscaled-sequence
	m.Set(string(names.Cursor), "ticks-k", bigtable.Timestamp(n*1000), nil) // ok ttlwrite/unscaled-sequence
	return b.messages.Apply(ctx, driver, m)
}

// Confirm stores the confirmations of a list of messages.
func (b *Inbox) Confirm(ctx context.Context, driver string, ids iter.Seq[string]) error {
	m := bigtable.NewMutation()
	for i, id := range seqx.Enumerate(ids) {
		m.Set(string(names.Cursor), "confirmed", bigtable.Timestamp(i), []byte(id)) // want ttlwrite/unscaled-sequence
	}
	return b.messages.Apply(ctx, driver, m)
}

// ConfirmAll is Confirm with numbers that are kept apart.
func (b *Inbox) ConfirmAll(ctx context.Context, driver string, ids iter.Seq[string]) error {
	m := bigtable.NewMutation()
	for i, id := range seqx.Enumerate(ids) {
		m.Set(string(names.Cursor), "confirmed", bt.Seq(i+1).Timestamp(), []byte(id)) // ok ttlwrite/unscaled-sequence
	}
	return b.messages.Apply(ctx, driver, m)
}

// Unread counts up the badge.
func (b *Inbox) Unread(ctx context.Context, driver string) (uint64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(string(names.Badge), "unread", 1) // want ttlwrite/read-modify-write
	row, err := b.messages.ApplyReadModifyWrite(ctx, driver, rmw)
	if err != nil {
		return 0, err
	}
	v, _ := bt.Value(row, names.Badge, "unread")
	return binary.BigEndian.Uint64(v), nil
}

// Typing appends to what somebody is typing; it is gone in three days.
func (b *Inbox) Typing(ctx context.Context, driver, text string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(string(names.Inbox), "typing", []byte(text)) // ok ttlwrite/read-modify-write
	rmw.AppendValue(string(names.Cursor), "typed", []byte(text)) // want ttlwrite/read-modify-write
	_, err := b.messages.ApplyReadModifyWrite(ctx, driver, rmw)
	return err
}

// List yields the messages of a driver, oldest first.
func (b *Inbox) List(ctx context.Context, driver string) ([]Message, error) {
	row, err := bt.One(ctx, b.messages, driver, bt.With(bt.Only(names.Inbox), bt.Since(time.Now(), InboxTTL))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return messagesOf(row), nil
}

// ListAll yields the messages of a driver that the table has.
func (b *Inbox) ListAll(ctx context.Context, driver string) ([]Message, error) {
	var opts []bigtable.ReadOption
	if driver != "" {
		opts = append(opts, bigtable.RowFilter(bt.Only(names.Inbox)))
	}
	row, err := bt.One(ctx, b.messages, driver, opts...) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return messagesOf(row), nil
}

// ListLive yields the messages of a driver by the filter for holds.
func (b *Inbox) ListLive(ctx context.Context, driver string) ([]Message, error) {
	live := bt.LiveOnly(names.Inbox, time.Now())                          // want ttlread/wrong-bound[inbox]
	row, err := bt.One(ctx, b.messages, driver, bigtable.RowFilter(live)) // want ttlread/wrong-bound[inbox]
	if err != nil {
		return nil, err
	}
	return messagesOf(row), nil
}

// ListTwice yields the messages of a driver by two filters.
func (b *Inbox) ListTwice(ctx context.Context, driver string) ([]Message, error) {
	row, err := b.messages.ReadRow(ctx, driver, bigtable.RowFilter(bt.Only(names.Inbox)), bigtable.RowFilter(bt.Since(time.Now(), InboxTTL))) // want ttlread/overridden-filter // maybe ttlread/*
	if err != nil {
		return nil, err
	}
	return messagesOf(row), nil
}

// ListOnce yields the messages of a driver by one filter and a limit.
func (b *Inbox) ListOnce(ctx context.Context, driver string) ([]Message, error) {
	opts := []bigtable.ReadOption{bigtable.LimitRows(1)}
	opts = append(opts, bt.With(bt.Only(names.Inbox), bt.Since(time.Now(), InboxTTL)))
	row, err := b.messages.ReadRow(ctx, driver, opts...) // ok ttlread/overridden-filter
	if err != nil {
		return nil, err
	}
	return messagesOf(row), nil
}

func messagesOf(row bigtable.Row) []Message {
	out := slices.Collect(seqx.Map(bt.Items(row, names.Inbox), func(it bigtable.ReadItem) Message {
		m := Message{ID: bt.Qualifier(it)}
		_ = json.Unmarshal(it.Value, &m)
		return m
	}))
	slices.SortFunc(out, func(a, b Message) int { return a.Sent.Compare(b.Sent) })
	return out
}

// Read says how far a driver has read.
func (b *Inbox) Read(ctx context.Context, driver string) (bt.Seq, error) {
	row, err := b.messages.ReadRow(ctx, driver, bt.With(bt.Newest(names.Cursor))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for it := range bt.Items(row, names.Cursor) {
		return bt.SeqOf(it.Timestamp), nil
	}
	return 0, fmt.Errorf("cursor of %s: %w", driver, bt.ErrNoRow)
}

// ReadBefore says how far a driver had read before.
func (b *Inbox) ReadBefore(ctx context.Context, driver string) (bt.Seq, error) {
	row, err := b.messages.ReadRow(ctx, driver, bt.With(bt.Only(names.Cursor), bigtable.LatestNFilter(2))) // want ttlread/version-limit
	if err != nil {
		return 0, err
	}
	items := row[string(names.Cursor)]
	if len(items) < 2 {
		return 0, bt.ErrNoRow
	}
	return bt.SeqOf(items[1].Timestamp), nil
}

// Behind says since when a driver has not read.
func (b *Inbox) Behind(ctx context.Context, driver string) (string, error) {
	row, err := b.messages.ReadRow(ctx, driver, bt.With(bt.Newest(names.Cursor)))
	if err != nil {
		return "", err
	}
	for it := range bt.Items(row, names.Cursor) {
		b.log.InfoContext(ctx, "cursor", "updated", it.Timestamp.Time())   // maybe ttlage/*
		b.log.InfoContext(ctx, "cursor", "number", bt.SeqOf(it.Timestamp)) // ok ttlage/not-write-time
		return it.Timestamp.Time().Format(time.Kitchen), nil               // maybe ttlage/*
	}
	return "", bt.ErrNoRow
}

// Delay is how long messages lie before they are fetched.
func (b *Inbox) Delay(ctx context.Context, driver string) (longest time.Duration, err error) {
	now := time.Now()
	row, err := b.messages.ReadRow(ctx, driver, bt.With(bt.Only(names.Inbox), bt.Since(now, InboxTTL)))
	if err != nil {
		return 0, err
	}
	for it := range bt.Items(row, names.Inbox) {
		longest = max(longest, now.Sub(it.Timestamp.Time())) // want ttlage/not-write-time
	}
	for _, m := range messagesOf(row) {
		longest = max(longest, now.Sub(m.Sent)) // ok ttlage/not-write-time
	}
	return longest, nil
}
