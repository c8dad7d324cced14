// Package chat keeps the chat of a shard.
//
// Messages are kept for a week by default; channels may ask for less. What a
// member has seen is the number of the last message.
package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/guild/internal/kit"
	"example.com/guild/schema"
)

// Keep is how long messages are kept.
const Keep = 7 * 24 * time.Hour

// Retention is how long a kind of channel keeps its messages.
type Retention struct {
	Kind string
	For  time.Duration
}

// Retentions are the lifetimes of the channels' messages. The first is the
// default.
var Retentions = []Retention{
	{"guild", Keep},
	{"trade", 24 * time.Hour},
	{"match", time.Hour},
}

// ErrMuted says that the sender may not write.
var ErrMuted = errors.New("chat: muted")

// Line is one message.
type Line struct {
	N    int64     `json:"n"`
	From string    `json:"from"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// Room is a channel of a shard's chat.
type Room struct {
	tbl  *bigtable.Table
	name string
	kind string
	now  func() time.Time
	last atomic.Int64
}

// RoomOptions are the options of Enter.
type RoomOptions struct {
	Shard string
	Kind  string
	Now   func() time.Time
}

// Enter returns a channel.
func Enter(client *bigtable.Client, name string, opts RoomOptions) *Room {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Kind == "" {
		opts.Kind = Retentions[0].Kind
	}
	return &Room{tbl: client.Open(schema.ChatTable(opts.Shard)), name: name, kind: opts.Kind, now: opts.Now}
}

// rowKey returns the row key of the channel's day.
func (r *Room) rowKey(t time.Time) string {
	return r.name + "#" + t.UTC().Format("20060102")
}

// retention returns how long the channel keeps its messages.
func (r *Room) retention() time.Duration {
	for _, ret := range Retentions {
		if ret.Kind == r.kind {
			return ret.For
		}
	}
	return Keep
}

// Say appends a message.
func (r *Room) Say(ctx context.Context, from, text string) (Line, error) {
	now := r.now()
	l := Line{N: r.last.Add(1), From: from, Text: text, At: now}
	b, err := json.Marshal(l)
	if err != nil {
		return l, err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamMsg, strconv.FormatInt(l.N, 10), bigtable.Time(now.Add(r.retention()-Keep)), b) // ok ttlwrite/already-expired ttlwrite/write-time
	m.Set(schema.FamSeen, from, kit.Sequence(l.N), nil)                                             // ok ttlwrite/unscaled-sequence
	return l, r.tbl.Apply(ctx, r.rowKey(now), m)
}

// Whisper appends a message that is kept for as long as all others.
func (r *Room) Whisper(ctx context.Context, from, text string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamMsg, "w:"+from, bigtable.ServerTime, []byte(text)) // ok ttlwrite/server-timestamp
	m.Set(schema.FamSeen, from, bigtable.ServerTime, nil)              // want ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, r.rowKey(r.now()), m)
}

// Seen stores that a member has seen everything up to a message.
func (r *Room) Seen(ctx context.Context, member string, n int64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSeen, member, kit.Sequence(n), nil) // ok ttlwrite/unscaled-sequence ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, r.rowKey(r.now()), m)
}

// SeenAll stores that a member has seen everything.
func (r *Room) SeenAll(ctx context.Context, member string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSeen, member, bigtable.Timestamp(r.last.Add(0)), nil) // want ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, r.rowKey(r.now()), m)
}

// SeenNow stores that a member has seen everything until now.
func (r *Room) SeenNow(ctx context.Context, member string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSeen, member, bigtable.Time(r.now()), nil)     // want ttlwrite/clock-in-sequence
	m.Set(schema.FamMsg, "s:"+member, bigtable.Time(r.now()), nil) // ok ttlwrite/write-time ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, r.rowKey(r.now()), m)
}

// Unsend takes a message back: it vanishes at the next collection, and from
// what people read at once.
func (r *Room) Unsend(ctx context.Context, n int64) error {
	now := r.now()
	m := bigtable.NewMutation()
	m.Set(schema.FamMsg, strconv.FormatInt(n, 10), bigtable.Time(now.Add(-8*24*time.Hour)), nil) // want ttlwrite/already-expired
	return r.tbl.Apply(ctx, r.rowKey(now), m)
}

// Delete removes a message.
func (r *Room) Delete(ctx context.Context, n int64) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamMsg, strconv.FormatInt(n, 10)) // ok ttlwrite/delete-after-set
	return r.tbl.Apply(ctx, r.rowKey(r.now()), m)
}

// React adds an emoji to a message.
func (r *Room) React(ctx context.Context, n int64, emoji string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(schema.FamMsg, fmt.Sprintf("%d:react", n), []byte(emoji)) // ok ttlwrite/read-modify-write
	_, err := r.tbl.ApplyReadModifyWrite(ctx, r.rowKey(r.now()), rmw)
	return err
}

// CountSeen counts who has seen a message.
func (r *Room) CountSeen(ctx context.Context, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamSeen, fmt.Sprintf("%d:count", n), 1) // want ttlwrite/read-modify-write
	_, err := r.tbl.ApplyReadModifyWrite(ctx, r.rowKey(r.now()), rmw)
	return err
}

// query is what Query builds up.
type query struct {
	filters []bigtable.Filter
	opts    []bigtable.ReadOption
}

// Query changes what History returns.
type Query func(*query)

// Limit bounds the number of rows.
func Limit(n int64) Query {
	return func(q *query) { q.opts = append(q.opts, bigtable.LimitRows(n)) }
}

// From bounds the messages to one sender. Messages begin with it.
func From(sender string) Query {
	return func(q *query) { q.filters = append(q.filters, bigtable.ValueFilter(`.*"from":"`+sender+`".*`)) }
}

// Backwards returns the newest rows first.
func Backwards() Query {
	return func(q *query) { q.opts = append(q.opts, bigtable.ReverseScan()) }
}

// History calls f for the messages of the channel, by day.
func (r *Room) History(ctx context.Context, f func(Line) bool, qs ...Query) error {
	q := query{filters: []bigtable.Filter{
		bigtable.FamilyFilter(schema.FamMsg),
		kit.FreshWithin(r.now(), Keep), // ok ttlread/wrong-bound
	}}
	for _, opt := range qs {
		opt(&q)
	}
	opts := append(q.opts, bigtable.RowFilter(bigtable.ChainFilters(q.filters...)))
	return r.tbl.ReadRows(ctx, bigtable.PrefixRange(r.name+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter ttlread/overridden-filter
		return each(row, f)
	}, opts...)
}

// Backlog calls f for what the channel keeps, as the clients of the first
// version do: by the lifetime of the kind of channel.
func (r *Room) Backlog(ctx context.Context, f func(Line) bool) error {
	live := bigtable.TimestampRangeFilter(r.now().Add(-30*24*time.Hour), time.Time{}) // want ttlread/wrong-bound[backlog]
	filter := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamMsg), live)
	return r.tbl.ReadRows(ctx, bigtable.PrefixRange(r.name+"#"), func(row bigtable.Row) bool { // want ttlread/wrong-bound[backlog]
		return each(row, f)
	}, bigtable.RowFilter(filter)) // want ttlread/wrong-bound[backlog]
}

// Today calls f for the messages of today.
func (r *Room) Today(ctx context.Context, f func(Line) bool) error {
	row, err := r.tbl.ReadRow(ctx, r.rowKey(r.now()), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamMsg))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	each(row, f)
	return nil
}

// Search calls f for the messages that match a pattern.
func (r *Room) Search(ctx context.Context, pattern string, f func(Line) bool) error {
	opts := []bigtable.ReadOption{bigtable.RowFilter(kit.FreshWithin(r.now(), Keep))}
	opts = append(opts, bigtable.LimitRows(500))
	opts = append(opts, bigtable.RowFilter(kit.OfFamily(schema.FamMsg, bigtable.ValueFilter(pattern)))) // want ttlread/overridden-filter[search]
	return r.tbl.ReadRows(ctx, bigtable.PrefixRange(r.name+"#"), func(row bigtable.Row) bool {          // want ttlread/overridden-filter[search]
		return each(row, f)
	}, opts...) // want ttlread/overridden-filter[search]
}

// SearchLive is Search with one filter.
func (r *Room) SearchLive(ctx context.Context, pattern string, f func(Line) bool) error {
	filters := []bigtable.Filter{bigtable.FamilyFilter(schema.FamMsg), kit.FreshWithin(r.now(), Keep)}
	if pattern != "" {
		filters = append(filters, bigtable.ValueFilter(pattern))
	}
	return r.tbl.ReadRows(ctx, bigtable.PrefixRange(r.name+"#"), func(row bigtable.Row) bool { // ok ttlread/overridden-filter ttlread/missing-filter
		return each(row, f)
	}, bigtable.RowFilter(bigtable.ChainFilters(filters...)))
}

// Unseen returns how many messages a member has not seen.
func (r *Room) Unseen(ctx context.Context, member string) (int64, error) {
	f := kit.OfFamily(schema.FamSeen, bigtable.ColumnFilter(member), bigtable.LatestNFilter(1))
	row, err := r.tbl.ReadRow(ctx, r.rowKey(r.now()), bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	var seen int64
	for _, item := range row[schema.FamSeen] {
		seen = kit.SequenceOf(item) // ok ttlage/not-write-time
	}
	return r.last.Load() - seen, nil
}

// Members returns what every member has seen.
func (r *Room) Members(ctx context.Context) (map[string]int64, error) {
	row, err := r.tbl.ReadRow(ctx, r.rowKey(r.now()), bigtable.RowFilter(kit.OfFamily(schema.FamSeen))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for _, item := range row[schema.FamSeen] {
		out[item.Column] = kit.SequenceOf(item)
	}
	return out, nil
}

// LastSeen returns when a member last looked.
func (r *Room) LastSeen(ctx context.Context, member string) (time.Duration, error) {
	f := kit.OfFamily(schema.FamSeen, bigtable.ColumnFilter(member), bigtable.LatestNFilter(1))
	row, err := r.tbl.ReadRow(ctx, r.rowKey(r.now()), bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, item := range row[schema.FamSeen] {
		return r.now().Sub(item.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, kit.ErrNotFound
}

// Transcript returns the messages of a day with their times, which the
// messages themselves know.
func (r *Room) Transcript(ctx context.Context, day time.Time) ([]string, error) {
	f := kit.OfFamily(schema.FamMsg, kit.FreshWithin(r.now(), Keep))
	row, err := r.tbl.ReadRow(ctx, r.rowKey(day), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	each(row, func(l Line) bool {
		out = append(out, fmt.Sprintf("%s %s: %s", l.At.Format(time.TimeOnly), l.From, l.Text)) // ok ttlage/not-write-time
		return true
	})
	return out, nil
}

// Audit returns when each message of a day was written, for moderation.
func (r *Room) Audit(ctx context.Context, day time.Time) (map[string]string, error) {
	f := kit.OfFamily(schema.FamMsg, kit.FreshWithin(r.now(), Keep))
	row, err := r.tbl.ReadRow(ctx, r.rowKey(day), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, item := range row[schema.FamMsg] {
		written := item.Timestamp.Time()                // want ttlage/not-write-time[audit]
		out[item.Column] = written.Format(time.RFC3339) // want ttlage/not-write-time[audit]
	}
	return out, nil
}

// Mute stops a member from writing, unless he is muted already.
func (r *Room) Mute(ctx context.Context, member string) error {
	now := r.now()
	m := bigtable.NewMutation()
	m.Set(schema.FamMsg, "mute:"+member, bigtable.Time(now), nil)                                               // ok ttlwrite/write-time
	muted := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamMsg), bigtable.ColumnFilter("mute:"+member)) // want ttlread/conditional-mutation[mute]
	return r.tbl.Apply(ctx, r.rowKey(now), bigtable.NewCondMutation(muted, nil, m))                             // want ttlread/conditional-mutation[mute]
}

// MuteLive is Mute that minds mutes which are over.
func (r *Room) MuteLive(ctx context.Context, member string) error {
	now := r.now()
	m := bigtable.NewMutation()
	m.Set(schema.FamMsg, "mute:"+member, bigtable.Time(now), nil)
	muted := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamMsg), bigtable.ColumnFilter("mute:"+member), kit.FreshWithin(now, Keep))
	return r.tbl.Apply(ctx, r.rowKey(now), bigtable.NewCondMutation(muted, nil, m)) // ok ttlread/conditional-mutation
}

// each calls f for the messages of a row.
func each(row bigtable.Row, f func(Line) bool) bool {
	for _, item := range row[schema.FamMsg] {
		var l Line
		if err := json.Unmarshal(item.Value, &l); err != nil {
			continue
		}
		if !f(l) {
			return false
		}
	}
	return true
}
