// Package shim is mail during the migration: it writes to the old and the new
// table, and reads the new one with a fallback to the old.
//
// It goes when mail.read_old has been off for TTL.
package shim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/guild/internal/kit"
	"example.com/guild/mail"
	"example.com/guild/mail/legacy"
	"example.com/guild/schema"
)

// Mode says how far the migration is.
type Mode int

// The modes, in their order.
const (
	OldOnly Mode = iota
	DualWriteReadOld
	DualWriteReadNew
	NewOnly
)

// Flags are the switches of the migration, from the configuration.
type Flags struct {
	Mode     Mode
	ReadOld  bool // fall back to the old table
	Verify   bool // compare what the two tables return
	MaxBatch int
}

// Mail is mail in both tables.
type Mail struct {
	old   *legacy.Box
	next  *mail.Store
	tbl2  *bigtable.Table
	flags Flags
	clock kit.Clock
}

var _ mail.Backend = (*Mail)(nil)

// New returns mail in both tables.
func New(client *bigtable.Client, flags Flags, clock kit.Clock) *Mail {
	if clock == nil {
		clock = kit.SystemClock{}
	}
	return &Mail{
		old:   legacy.Open(client),
		next:  mail.New(client, mail.WithClock(clock)),
		tbl2:  client.Open(schema.Mailbox2),
		flags: flags,
		clock: clock,
	}
}

// Send implements mail.Backend: to the old table, then to the new.
func (m *Mail) Send(ctx context.Context, msg mail.Message) error {
	msg.SentAt = m.clock.Now()
	if m.flags.Mode != NewOnly {
		if err := m.old.Send(ctx, msg); err != nil {
			return fmt.Errorf("old table: %w", err)
		}
	}
	if m.flags.Mode == OldOnly {
		return nil
	}
	if err := m.next.Send(ctx, msg); err != nil {
		return fmt.Errorf("new table: %w", err)
	}
	return nil
}

// SendFast writes one mutation to both tables, which saves the second encoding.
func (m *Mail) SendFast(ctx context.Context, msg mail.Message) error {
	mut, err := mail.Encode(msg)
	if err != nil {
		return err
	}
	key := mail.RowKey(msg.To)
	return errors.Join(
		m.old.Tbl.Apply(ctx, key, mut), // want ttlwrite/write-time
		m.tbl2.Apply(ctx, key, mut),    // ok ttlwrite/write-time
	)
}

// SendBoth writes to both tables, to each with a timestamp of its own.
func (m *Mail) SendBoth(ctx context.Context, msg mail.Message, ttl time.Duration) error {
	now := m.clock.Now()
	oldMut, err := mail.EncodeUntil(msg, bigtable.Time(now.Add(ttl))) // ok ttlwrite/write-time
	if err != nil {
		return err
	}
	newMut, err := mail.EncodeUntil(msg, bigtable.Time(now.Add(ttl-mail.TTL))) // ok ttlwrite/already-expired
	if err != nil {
		return err
	}
	key := mail.RowKey(msg.To)
	return errors.Join(m.old.Tbl.Apply(ctx, key, oldMut), m.tbl2.Apply(ctx, key, newMut)) // ok ttlwrite/write-time ttlwrite/already-expired
}

// SendGift writes a gift to both tables.
func (m *Mail) SendGift(ctx context.Context, msg mail.Message) error {
	now := m.clock.Now()
	oldMut, err := mail.EncodeUntil(msg, bigtable.Time(now)) // want ttlwrite/write-time[gift]
	if err != nil {
		return err
	}
	newMut, err := mail.EncodeUntil(msg, bigtable.Time(now)) // ok ttlwrite/write-time
	if err != nil {
		return err
	}
	key := mail.RowKey(msg.To)
	if err := m.old.Tbl.Apply(ctx, key, oldMut); err != nil { // want ttlwrite/write-time[gift]
		return err
	}
	return m.tbl2.Apply(ctx, key, newMut) // ok ttlwrite/write-time
}

// MarkRead marks a message as read in both tables.
func (m *Mail) MarkRead(ctx context.Context, player, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamFlag, id, bigtable.Now(), []byte("read")) // want ttlwrite/clock-in-zero[markRead]
	key := mail.RowKey(player)
	if err := m.old.Tbl.Apply(ctx, key, mut); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	return m.tbl2.Apply(ctx, key, mut) // want ttlwrite/clock-in-zero[markRead]
}

// MarkUnread takes that back.
func (m *Mail) MarkUnread(ctx context.Context, player, id string) error {
	key := mail.RowKey(player)
	was := bigtable.NewMutation()
	was.Set(schema.FamFlag, id, bigtable.Time(m.clock.Now()), []byte("unread")) // ok ttlwrite/write-time ttlwrite/clock-in-zero
	is := bigtable.NewMutation()
	is.Set(schema.FamFlag, id, 0, []byte("unread")) // ok ttlwrite/clock-in-zero ttlwrite/already-expired
	return errors.Join(m.old.Tbl.Apply(ctx, key, was), m.tbl2.Apply(ctx, key, is))
}

// Inbox implements mail.Backend: the new table, with a fallback to the old.
func (m *Mail) Inbox(ctx context.Context, player string) ([]mail.Message, error) {
	if m.flags.Mode >= DualWriteReadNew {
		msgs, err := m.next.Inbox(ctx, player)
		if err != nil || len(msgs) > 0 || !m.flags.ReadOld {
			return msgs, err
		}
	}
	return m.old.Inbox(ctx, player)
}

// One returns one message from the table that has it.
func (m *Mail) One(ctx context.Context, player, id string) ([]byte, error) {
	spec := kit.ReadSpec{Key: mail.RowKey(player), Family: schema.FamMail, Column: id}
	now := m.clock.Now()
	r := kit.ReadCell(ctx, m.tbl2, spec, kit.FreshWithin(now, mail.TTL)) // ok ttlread/wrong-bound ttlread/missing-filter
	if errors.Is(r.Err(), kit.ErrNotFound) {
		r = kit.ReadCell(ctx, m.old.Tbl, spec, kit.UnexpiredAt(now)) // ok ttlread/wrong-bound ttlread/missing-filter
	}
	return r.Get()
}

// OneFast is One with one filter for both.
func (m *Mail) OneFast(ctx context.Context, player, id string) ([]byte, error) {
	spec := kit.ReadSpec{Key: mail.RowKey(player), Family: schema.FamMail, Column: id}
	live := kit.UnexpiredAt(m.clock.Now())     // want ttlread/wrong-bound[oneFast]
	r := kit.ReadCell(ctx, m.tbl2, spec, live) // want ttlread/wrong-bound[oneFast]
	if errors.Is(r.Err(), kit.ErrNotFound) {
		r = kit.ReadCell(ctx, m.old.Tbl, spec, live) // ok ttlread/wrong-bound
	}
	return r.Get()
}

// source is one of the two tables and what is alive in it.
type source struct {
	name string
	tbl  *bigtable.Table
	live bigtable.Filter
}

// sources returns the two tables, the new one first.
func (m *Mail) sources() []source {
	now := m.clock.Now()
	return []source{
		{name: "new", tbl: m.tbl2, live: kit.FreshWithin(now, mail.TTL)}, // ok ttlread/wrong-bound
		{name: "old", tbl: m.old.Tbl, live: kit.UnexpiredAt(now)},        // ok ttlread/wrong-bound
	}
}

// Digest returns the number of messages by table, for the dashboard.
func (m *Mail) Digest(ctx context.Context, player string) (map[string]int, error) {
	out := map[string]int{}
	for _, src := range m.sources() {
		f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamMail), src.live)
		row, err := src.tbl.ReadRow(ctx, mail.RowKey(player), bigtable.RowFilter(f)) // ok ttlread/missing-filter ttlread/wrong-bound
		if err != nil {
			return nil, fmt.Errorf("%s table: %w", src.name, err)
		}
		out[src.name] = len(row[schema.FamMail])
	}
	return out, nil
}

// Compare says whether the tables agree about a player. It logs what is only
// in one of them.
func (m *Mail) Compare(ctx context.Context, player string) (bool, error) {
	key := mail.RowKey(player)
	got, err := m.tbl2.ReadRow(ctx, key, bigtable.RowFilter(kit.OfFamily(schema.FamMail, kit.FreshWithin(m.clock.Now(), mail.TTL)))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	want, err := m.old.Tbl.ReadRow(ctx, key, bigtable.RowFilter(kit.OfFamily(schema.FamMail, kit.FreshWithin(m.clock.Now(), mail.TTL)))) // want ttlread/wrong-bound
	if err != nil {
		return false, err
	}
	have := map[string]bool{}
	for _, item := range got[schema.FamMail] {
		have[item.Column] = true
	}
	same := true
	for _, item := range want[schema.FamMail] {
		if !have[item.Column] {
			same = false
			kit.LoggerFrom(ctx).Warn("mail only in the old table", "player", player, "message", item.Column)
		}
	}
	return same, nil
}

// Delete implements mail.Backend.
func (m *Mail) Delete(ctx context.Context, player, id string) error {
	return errors.Join(m.old.Delete(ctx, player, id), m.next.Delete(ctx, player, id))
}
