// Package mail is the guild's mail: what players, guilds and the game send.
//
// It is in the middle of a migration. The old table, "mailbox", keeps the
// moment of expiry as timestamp (package legacy). The new one, "mailbox2", has
// a default lifetime of thirty days, and its timestamps are those of the
// write. Both call their family "mail". Package shim writes to both, and
// reads the new table first; package backfill copies what is left.
package mail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/guild/internal/kit"
	"example.com/guild/schema"
)

// TTL is how long mail is kept.
const TTL = 30 * 24 * time.Hour

// SystemTTL is how long mail that the game sends is kept.
const SystemTTL = 72 * time.Hour

// ErrTooLong says that a message has too many characters.
var ErrTooLong = errors.New("mail: too long")

// Message is one message.
type Message struct {
	ID      string    `json:"id"`
	From    string    `json:"from"`
	To      string    `json:"to"`
	Subject string    `json:"subject"`
	Body    string    `json:"body"`
	SentAt  time.Time `json:"sent_at"`
}

// Backend is what keeps mail: the old store, the new one, or both.
type Backend interface {
	Send(ctx context.Context, msg Message) error
	Inbox(ctx context.Context, player string) ([]Message, error)
	Delete(ctx context.Context, player, id string) error
}

// Store is the new store.
type Store struct {
	tbl   bigtable.TableAPI
	now   func() time.Time
	limit int
}

// Option changes a store.
type Option func(*options)

// options are the options of New.
type options struct {
	table string
	now   func() time.Time
	limit int
}

// WithClock takes the time from c.
func WithClock(c kit.Clock) Option { return func(o *options) { o.now = c.Now } }

// WithLimit bounds the length of a body.
func WithLimit(n int) Option { return func(o *options) { o.limit = n } }

// New returns the store of the new table.
func New(client *bigtable.Client, opts ...Option) *Store {
	o := options{table: schema.Mailbox2, now: time.Now, limit: 4000}
	for _, opt := range opts {
		opt(&o)
	}
	return &Store{tbl: client.OpenTable(o.table), now: o.now, limit: o.limit}
}

// RowKey returns the row key of a player's mailbox, in both tables.
func RowKey(player string) string { return "mb#" + player }

// Encode returns the mutation that stores a message sent now.
func Encode(msg Message) (*bigtable.Mutation, error) {
	b, err := json.Marshal(msg)
	if err != nil {
		return nil, err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamMail, msg.ID, bigtable.Now(), b)
	return m, nil
}

// EncodeUntil returns the mutation that stores a message under a timestamp
// that the caller knows.
func EncodeUntil(msg Message, ts bigtable.Timestamp) (*bigtable.Mutation, error) {
	b, err := json.Marshal(msg)
	if err != nil {
		return nil, err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamMail, msg.ID, ts, b)
	return m, nil
}

// Send implements Backend.
func (s *Store) Send(ctx context.Context, msg Message) error {
	if len(msg.Body) > s.limit {
		return ErrTooLong
	}
	m, err := Encode(msg)
	if err != nil {
		return err
	}
	if err := s.tbl.Apply(ctx, RowKey(msg.To), m); err != nil { // ok ttlwrite/write-time
		return fmt.Errorf("send %s: %w", msg.ID, err)
	}
	return nil
}

// SendSystem sends mail of the game, which lives for SystemTTL.
func (s *Store) SendSystem(ctx context.Context, msg Message) error {
	m, err := EncodeUntil(msg, bigtable.Time(s.now().Add(SystemTTL-TTL))) // ok ttlwrite/already-expired
	if err != nil {
		return err
	}
	return s.tbl.Apply(ctx, RowKey(msg.To), m) // ok ttlwrite/already-expired
}

// SendArchived stores mail that is at the end of its life, for moderation.
func (s *Store) SendArchived(ctx context.Context, msg Message) error {
	b, err := json.Marshal(msg)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamMail, msg.ID, bigtable.Time(s.now().Add(-2*TTL)), b) // want ttlwrite/already-expired
	m.Set(schema.FamFlag, msg.ID, 0, []byte("archived"))                 // ok ttlwrite/already-expired ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, RowKey(msg.To), m)
}

// Star marks a message.
func (s *Store) Star(ctx context.Context, player, id string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamFlag, id, bigtable.Now(), []byte("star")) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, RowKey(player), m)
}

// Read marks a message as read.
func (s *Store) Read(ctx context.Context, player, id string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamFlag, id, 0, []byte("read")) // ok ttlwrite/clock-in-zero ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, RowKey(player), m)
}

// Inbox implements Backend.
func (s *Store) Inbox(ctx context.Context, player string) ([]Message, error) {
	f := kit.OfFamily(schema.FamMail, kit.FreshWithin(s.now(), TTL))
	row, err := s.tbl.ReadRow(ctx, RowKey(player), bigtable.RowFilter(f)) // ok ttlread/wrong-bound ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return Decode(row)
}

// InboxFlagged returns the mail of a player and its flags.
func (s *Store) InboxFlagged(ctx context.Context, player string) ([]Message, map[string]string, error) {
	f := kit.FreshWithin(s.now(), TTL)                                    // want ttlread/hides-other-families[flagged]
	row, err := s.tbl.ReadRow(ctx, RowKey(player), bigtable.RowFilter(f)) // want ttlread/hides-other-families[flagged]
	if err != nil {
		return nil, nil, err
	}
	flags := map[string]string{}
	for _, item := range row[schema.FamFlag] {
		flags[item.Column] = string(item.Value)
	}
	msgs, err := Decode(row)
	return msgs, flags, err
}

// InboxMarked is InboxFlagged with a filter for each family.
func (s *Store) InboxMarked(ctx context.Context, player string) ([]Message, map[string]string, error) {
	f := bigtable.InterleaveFilters(kit.OfFamily(schema.FamMail, kit.FreshWithin(s.now(), TTL)), kit.OfFamily(schema.FamFlag))
	row, err := s.tbl.ReadRow(ctx, RowKey(player), bigtable.RowFilter(f)) // ok ttlread/hides-other-families ttlread/unfiltered-branch
	if err != nil {
		return nil, nil, err
	}
	flags := map[string]string{}
	for _, item := range row[schema.FamFlag] {
		flags[item.Column] = string(item.Value)
	}
	msgs, err := Decode(row)
	return msgs, flags, err
}

// Unread returns the number of messages.
func (s *Store) Unread(ctx context.Context, player string) (int, error) {
	row, err := s.tbl.ReadRow(ctx, RowKey(player), bigtable.RowFilter(kit.OfFamily(schema.FamMail, bigtable.StripValueFilter()))) // want ttlread/missing-filter
	return len(row[schema.FamMail]), err
}

// Flags returns the flags of a player's mail.
func (s *Store) Flags(ctx context.Context, player string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, RowKey(player), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamFlag))) // ok ttlread/missing-filter
}

// Delete implements Backend.
func (s *Store) Delete(ctx context.Context, player, id string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamMail, id)
	m.DeleteCellsInColumn(schema.FamFlag, id)
	return s.tbl.Apply(ctx, RowKey(player), m)
}

// Decode returns the messages of a row of either table.
func Decode(row bigtable.Row) ([]Message, error) {
	var out []Message
	for _, item := range row[schema.FamMail] {
		var msg Message
		if err := json.Unmarshal(item.Value, &msg); err != nil {
			return nil, fmt.Errorf("message %s: %w", item.Column, err)
		}
		msg.ID = strings.TrimPrefix(item.Column, schema.FamMail+":")
		out = append(out, msg)
	}
	return out, nil
}
