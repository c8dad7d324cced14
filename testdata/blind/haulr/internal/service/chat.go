package service

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/clock"
	"haulr.dev/backend/internal/store"
	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// Inbox is what Chat needs of the store.
type Inbox interface {
	Append(ctx context.Context, m store.Message) error
	Messages(ctx context.Context, chat string, n int) ([]store.Message, error)
	SaveDraft(ctx context.Context, d store.Draft) error
	DraftsWeek(ctx context.Context, chat string) ([]store.Draft, error)
}

// Chat sends messages.
type Chat struct {
	inbox  Inbox
	events *store.EventStore
	clk    clock.Clock

	mu   sync.Mutex
	seqs map[string]int64
}

// NewChat makes the service.
func NewChat(inbox Inbox, events *store.EventStore, clk clock.Clock) *Chat {
	return &Chat{inbox: inbox, events: events, clk: clk, seqs: map[string]int64{}}
}

// Send stores a message under the next number.
func (c *Chat) Send(ctx context.Context, chat, sender, text string) (int64, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, fmt.Errorf("chat: empty message")
	}
	c.mu.Lock()
	last, ok := c.seqs[chat]
	c.mu.Unlock()
	if !ok {
		ms, err := c.inbox.Messages(ctx, chat, 1)
		if err != nil {
			return 0, err
		}
		if len(ms) > 0 {
			last = ms[0].Seq
		}
	}
	seq := last + 1
	if err := c.inbox.Append(ctx, store.Message{Chat: chat, Seq: seq, Sender: sender, Text: text, SentAt: c.clk.Now()}); err != nil {
		return 0, err
	}
	c.mu.Lock()
	c.seqs[chat] = seq
	c.mu.Unlock()
	if c.events != nil {
		_ = c.events.EmitNow(ctx, sender, "chat.sent")
	}
	return seq, nil
}

// History returns the newest messages.
func (c *Chat) History(ctx context.Context, chat string, n int) ([]store.Message, error) {
	return c.inbox.Messages(ctx, chat, n)
}

// Type saves a draft.
func (c *Chat) Type(ctx context.Context, d store.Draft) error { return c.inbox.SaveDraft(ctx, d) }

// Receipts keeps who has read what, in the chat's own row. It goes around the
// store because the team that wrote it could not wait.
type Receipts struct {
	tbl bigtablex.Table
	clk clock.Clock
}

// NewReceipts takes the inbox table.
func NewReceipts(client *bigtable.Client, clk clock.Clock) *Receipts {
	return &Receipts{tbl: client.Open(tables.Inbox), clk: clk}
}

// Mark notes that a user has read up to seq.
func (r *Receipts) Mark(ctx context.Context, chat, user string, seq int64) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamMessage, "read:"+user, bigtablex.Seq(seq), []byte(user)) // ok ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, chat, mut)
}

// MarkAll notes that a user has read everything.
func (r *Receipts) MarkAll(ctx context.Context, chat, user string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamMessage, "read:"+user, bigtable.Time(r.clk.Now()), []byte(user)) // want ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, chat, mut)
}

// Delivered notes when a message reached the phone.
func (r *Receipts) Delivered(ctx context.Context, chat, user string, at time.Time) error {
	ts := bigtable.Time(at)
	mut := bigtable.NewMutation()
	mut.Set(tables.FamMessage, "dlv:"+user, ts, rfc3339(at)) // want ttlwrite/clock-in-sequence
	mut.Set(tables.FamDraft, "dlv:"+user, ts, rfc3339(at))   // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, chat, mut)
}

// Readers says how far the readers of a chat are.
func (r *Receipts) Readers(ctx context.Context, chat string) (map[string]int64, error) {
	row, err := r.tbl.ReadRow(ctx, chat, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/version-limit
		bigtable.FamilyFilter(tables.FamMessage),
		bigtable.ColumnFilter("read:.*"),
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return nil, err
	}
	return readers(row), nil
}

// ReadersFast saves the limit: there is one version per reader, it was thought.
func (r *Receipts) ReadersFast(ctx context.Context, chat string) (map[string]int64, error) {
	row, err := r.tbl.ReadRow(ctx, chat, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/version-limit
		bigtable.FamilyFilter(tables.FamMessage),
		bigtable.ColumnFilter("read:.*"),
	)))
	if err != nil {
		return nil, err
	}
	return readers(row), nil
}

func readers(row bigtable.Row) map[string]int64 {
	out := map[string]int64{}
	for _, it := range row[tables.FamMessage] {
		user := strings.TrimPrefix(it.Column, tables.FamMessage+":read:")
		out[user] = bigtablex.SeqOf(it.Timestamp)
	}
	return out
}

// LastRead says when a user has read last.
func (r *Receipts) LastRead(ctx context.Context, chat, user string) (string, error) {
	row, err := r.tbl.ReadRow(ctx, chat, bigtable.RowFilter(bigtablex.Latest(tables.FamMessage, 1)))
	if err != nil {
		return "", err
	}
	it, ok := bigtablex.Item(row, tables.FamMessage, "read:"+user)
	if !ok {
		return "never", nil
	}
	modified := it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
	return modified, nil
}

func rfc3339(t time.Time) []byte { return []byte(t.UTC().Format(time.RFC3339Nano)) }
