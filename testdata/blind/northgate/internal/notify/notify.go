// Package notify tells users about what happens to their tokens and grants.
package notify

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

// Message is something that a user is told, until it is dismissed or over.
type Message struct {
	ID    string        `json:"id"`
	Text  string        `json:"text"`
	Lasts time.Duration `json:"lasts"`
	Rev   uint64        `json:"rev"`
}

// Center keeps messages: in the window family of the quota table, which has
// the right policy, and what users want to hear of in their preferences.
type Center struct {
	quotas bt.Table
	prefs  bt.Table
	grants bt.Table
	online bt.Table
}

// New makes a Center.
func New(o bt.Opener) *Center {
	return &Center{
		quotas: bt.Open(o, schema.Quotas),
		prefs:  bt.Open(o, schema.Prefs),
		grants: bt.Open(o, schema.Grants),
		online: bt.Open(o, schema.Presence),
	}
}

// Send sends a message.
func (c *Center) Send(ctx context.Context, user string, msg Message) error {
	b, err := json.Marshal(msg)
	if err != nil {
		return err
	}
	return bt.NewRow(user).Lasting(msg.Lasts).
		Set(schema.FamWindow, "msg_"+msg.ID, b).         // ok ttlwrite/write-time
		Set(schema.FamWindow, "badge", []byte("1")).     // ok ttlwrite/write-time
		At(bt.Epoch).Set(schema.FamLimit, "inbox", nil). // ok ttlwrite/clock-in-zero
		Apply(ctx, c.quotas)
}

// Broadcast sends a message to many.
func (c *Center) Broadcast(ctx context.Context, users iter.Seq[string], msg Message) error {
	return bt.ApplyAll(ctx, c.quotas, func(yield func(*bt.RowWrite) bool) {
		for u := range users {
			row := bt.NewRow(u).Set(schema.FamWindow, "msg_"+msg.ID, []byte(msg.Text)) // want ttlwrite/write-time
			if !yield(row) {
				return
			}
		}
	})
}

// BroadcastFor is Broadcast with an end.
func (c *Center) BroadcastFor(ctx context.Context, users iter.Seq[string], msg Message, until time.Time) error {
	return bt.ApplyAll(ctx, c.quotas, func(yield func(*bt.RowWrite) bool) {
		for u := range users {
			row := bt.NewRow(u).At(bigtable.Time(until)).Set(schema.FamWindow, "msg_"+msg.ID, []byte(msg.Text)) // ok ttlwrite/write-time
			if !yield(row) {
				return
			}
		}
	})
}

// Mute stores that a user does not want a kind of message.
func (c *Center) Mute(ctx context.Context, user, kind string) error {
	row := bt.NewRow(user)
	row.SetAt(schema.FamPref, "mute_"+kind, 0, []byte("1"))              // ok ttlwrite/clock-in-zero
	row.SetAt(schema.FamPref, "muted_at", bt.ClockFrom(ctx).TS(), nil)   // want ttlwrite/clock-in-zero
	row.SetAt(schema.FamDevice, "muted_at", bt.ClockFrom(ctx).TS(), nil) // ok ttlwrite/clock-in-zero
	return row.Apply(ctx, c.prefs)
}

// GrantChanged notes which revision of a grant a user has been told of.
func (c *Center) GrantChanged(ctx context.Context, key string, msg Message) error {
	return bt.NewRow(key).Rev(msg.Rev). // want ttlwrite/clock-in-sequence[told]
						Set(schema.FamGrant, "told", []byte(msg.ID)).           // ok ttlwrite/clock-in-sequence
						SetAt(schema.FamGrant, "told_at", bigtable.Now(), nil). // want ttlwrite/clock-in-sequence[told]
						SetAt(schema.FamMeta, "told_at", bigtable.Now(), nil).  // ok ttlwrite/clock-in-sequence
						Apply(ctx, c.grants)
}

// Inbox ranges over the messages of a user.
func (c *Center) Inbox(ctx context.Context, user string) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		rows := bt.From(c.quotas, bigtable.SingleRow(user)).Where(bigtable.FamilyFilter(schema.FamWindow), bigtable.ColumnFilter("msg_.*"), bt.LiveAt(bt.ClockFrom(ctx)())).Rows(ctx) // ok ttlread/missing-filter
		for row, err := range rows {
			if err != nil {
				yield(Message{}, err)
				return
			}
			for it := range bt.Cells(row, schema.FamWindow) {
				var msg Message
				err := json.Unmarshal(it.Value, &msg)
				if !yield(msg, err) {
					return
				}
			}
		}
	}
}

// Unread counts the messages of users below a prefix.
func (c *Center) Unread(ctx context.Context, prefix string) (map[string]int, error) {
	out := map[string]int{}
	for row, err := range bt.From(c.quotas, bigtable.PrefixRange(prefix)).Where(bt.In(schema.FamWindow, bigtable.ColumnFilter("msg_.*"))).Limit(1000).Rows(ctx) { // want ttlread/missing-filter
		if err != nil {
			return nil, err
		}
		for it := range bt.Cells(row, schema.FamWindow) {
			if !strings.HasSuffix(string(it.Value), "read") {
				out[row.Key()]++
			}
		}
	}
	return out, nil
}

// Reachable ranges over who can be reached at once.
func (c *Center) Reachable(ctx context.Context, prefix string) iter.Seq[string] {
	return func(yield func(string) bool) {
		rows := bt.From(c.online, bigtable.PrefixRange(prefix)).Where(bt.In(schema.FamOnline, bt.Younger(time.Hour))).Rows(ctx) // want ttlread/wrong-bound
		for row, err := range rows {
			if err != nil || !yield(row.Key()+string(row[schema.FamOnline][0].Value)) {
				return
			}
		}
	}
}

// ReachableNow is Reachable with the family's own window.
func (c *Center) ReachableNow(ctx context.Context, prefix string) iter.Seq[string] {
	return func(yield func(string) bool) {
		rows := bt.From(c.online, bigtable.PrefixRange(prefix)).Where(bt.In(schema.FamOnline, bt.Younger(schema.OnlineTTL))).Rows(ctx) // ok ttlread/wrong-bound
		for row, err := range rows {
			if err != nil || !yield(row.Key()+string(row[schema.FamOnline][0].Value)) {
				return
			}
		}
	}
}

// Told reads which change of a grant a user has been told of.
func (c *Center) Told(ctx context.Context, key string) (string, error) {
	for row, err := range bt.From(c.grants, bigtable.SingleRow(key)).Where(bigtable.FamilyFilter(schema.FamGrant), bigtable.ColumnFilter("told"), bt.Newest()).Rows(ctx) { // ok ttlread/version-limit
		if err != nil {
			return "", err
		}
		return string(row[schema.FamGrant][0].Value), nil
	}
	return "", bt.ErrNotFound
}

// Muted reads what a user does not want to hear.
func (c *Center) Muted(ctx context.Context, user string) (kinds []string, err error) {
	for row, err := range bt.From(c.prefs, bigtable.SingleRow(user)).Where(bt.In(schema.FamPref, bigtable.ColumnFilter("mute_.*"))).Rows(ctx) { // ok ttlread/missing-filter
		if err != nil {
			return nil, err
		}
		for it := range bt.Cells(row, schema.FamPref) {
			kinds = append(kinds, strings.TrimPrefix(it.Column, "pref:mute_"))
		}
	}
	return kinds, nil
}
