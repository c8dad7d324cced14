// Package chat is rooms, messages that go after a week, and who is typing.
package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/arena/internal/mailbox"
	"example.com/arena/internal/schema"
	"example.com/arena/internal/stamp"
	"example.com/arena/internal/telemetry"
)

// ErrMuted is what a muted player gets.
var ErrMuted = errors.New("chat: muted")

// Message is one line of chat.
type Message struct {
	ID     string        `json:"id"`
	Room   string        `json:"room"`
	From   string        `json:"from"`
	Text   string        `json:"text"`
	Sent   time.Time     `json:"sent,omitzero"`
	Keep   time.Duration `json:"keep,omitempty"`
	System bool          `json:"system,omitempty"`
}

// reader is what rooms read from.
type reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, set bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

// writer is what rooms write to.
type writer interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

// Hub holds the rooms; a room is an actor that is started when it is needed.
type Hub struct {
	r     reader
	w     writer
	mu    sync.Mutex
	rooms map[string]*Room
	log   *slog.Logger
	lines *telemetry.Counter
	wg    sync.WaitGroup
	done  chan struct{}
}

// NewHub opens the chat.
func NewHub(c *bigtable.Client, reg *telemetry.Registry, log *slog.Logger) *Hub {
	tbl := c.Open(schema.TableChat)
	return &Hub{r: tbl, w: tbl, rooms: map[string]*Room{}, log: log, lines: reg.Counter("chat.lines"), done: make(chan struct{})}
}

// Room is one room's actor.
type Room struct {
	hub  *Hub
	name string
	box  *mailbox.Box[action]
	subs map[chan Message]struct{}
	mu   sync.Mutex
	seen time.Time
}

// action is what a room does.
type action func(ctx context.Context, r *Room) error

// Room returns the room of that name.
func (h *Hub) Room(name string) *Room {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r, ok := h.rooms[name]; ok {
		return r
	}
	r := &Room{hub: h, name: name, subs: map[chan Message]struct{}{}, seen: time.Now()}
	r.box = mailbox.Start("room-"+name, 256, h.log, func(ctx context.Context, a action) error { return a(ctx, r) })
	h.rooms[name] = r
	return r
}

// Close stops all rooms.
func (h *Hub) Close(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, r := range h.rooms {
		h.wg.Add(1)
		go func() {
			defer h.wg.Done()
			if err := r.box.Stop(ctx); err != nil {
				h.log.WarnContext(ctx, "room did not stop", "room", r.name, "err", err)
			}
		}()
	}
	h.wg.Wait()
	close(h.done)
	return errors.Join(errs...)
}

// key sorts the newest message first.
func (r *Room) key(id string) string { return r.name + "#" + id }

// Say sends a message, which is kept for a week.
func (r *Room) Say(ctx context.Context, m Message) error {
	return r.box.Ask(ctx, func(ctx context.Context, r *Room) error {
		v, err := json.Marshal(m)
		if err != nil {
			return err
		}
		mut := bigtable.NewMutation()
		mut.Set(schema.FamMsg, "body", bigtable.ServerTime, v)         // ok ttlwrite/server-timestamp
		mut.Set(schema.FamMsg, "from", bigtable.Now(), []byte(m.From)) // ok ttlwrite/write-time
		mut.DeleteCellsInColumn(schema.FamTyping, m.From)              // ok ttlwrite/delete-after-set
		if err := r.hub.w.Apply(ctx, r.key(m.ID), mut); err != nil {
			return err
		}
		r.hub.lines.Inc()
		r.publish(m)
		return nil
	})
}

// Whisper sends a message that is kept for as long as the sender says.
func (r *Room) Whisper(ctx context.Context, m Message) error {
	return r.box.Ask(ctx, func(ctx context.Context, r *Room) error {
		mut := bigtable.NewMutation()
		mut.Set(schema.FamMsg, "body", stamp.Shifted(m.Keep, schema.MsgTTL), []byte(m.Text)) // ok ttlwrite/wrong-base
		return r.hub.w.Apply(ctx, r.key(m.ID), mut)
	})
}

// Burn takes a message back: it is dated to before everything.
func (r *Room) Burn(ctx context.Context, id string) error {
	return r.box.Ask(ctx, func(ctx context.Context, r *Room) error {
		mut := bigtable.NewMutation()
		mut.Set(schema.FamMsg, "body", bigtable.Timestamp(1_000_000), nil) // want ttlwrite/already-expired
		return r.hub.w.Apply(ctx, r.key(id), mut)
	})
}

// Typing says that somebody is.
func (r *Room) Typing(ctx context.Context, who string) error {
	return r.box.Tell(ctx, func(ctx context.Context, r *Room) error {
		return r.mark(ctx, schema.FamTyping, who, stamp.In(schema.TypingTTL)) // ok ttlwrite/write-time
	})
}

// Poke is Typing for clients that do not say when they stop.
func (r *Room) Poke(ctx context.Context, who string) error {
	return r.box.Tell(ctx, func(ctx context.Context, r *Room) error {
		return r.mark(ctx, schema.FamTyping, who, bigtable.Now()) // want ttlwrite/write-time
	})
}

// Record says that somebody records a voice message.
func (r *Room) Record(ctx context.Context, who string) error {
	return r.box.Tell(ctx, func(ctx context.Context, r *Room) error {
		return r.mark(ctx, schema.FamTyping, who+"/rec", bigtable.ServerTime) // want ttlwrite/server-timestamp
	})
}

// React is kept like a message.
func (r *Room) React(ctx context.Context, who, what string) error {
	return r.box.Tell(ctx, func(ctx context.Context, r *Room) error {
		return r.mark(ctx, schema.FamMsg, "react#"+who+"#"+what, bigtable.ServerTime) // ok ttlwrite/server-timestamp
	})
}

// mark writes an empty cell under the room's own row.
func (r *Room) mark(ctx context.Context, family, column string, ts bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	mut.Set(family, column, ts, nil)
	return r.hub.w.Apply(ctx, r.name, mut)
}

// Draft keeps what somebody is typing; the client says until when, in
// milliseconds.
func (r *Room) Draft(ctx context.Context, who, text string, until time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamTyping, who, bigtable.Timestamp(until.UnixMilli()), []byte(text))                       // want ttlunit/wrong-unit
	mut.Set(schema.FamTyping, who+"/d", bigtable.Timestamp(until.UnixMilli()*1000), []byte(text))             // ok ttlunit/wrong-unit
	mut.Set(schema.FamTyping, who+"/l", stamp.Now()+bigtable.Timestamp(schema.TypingTTL), []byte{1})          // want ttlunit/wrong-unit
	mut.Set(schema.FamTyping, who+"/m", stamp.Now()+bigtable.Timestamp(schema.TypingTTL.Microseconds()), nil) // ok ttlunit/wrong-unit
	return r.hub.w.Apply(ctx, r.name, mut)
}

// Pin keeps a message a second week, by a nanosecond clock.
func (r *Room) Pin(ctx context.Context, id string, at time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamMsg, "pin", bigtable.Timestamp(at.Add(schema.MsgTTL).UnixNano()), nil)       // want ttlunit/wrong-unit
	mut.Set(schema.FamMsg, "pin2", bigtable.Timestamp(at.Add(schema.MsgTTL).UnixNano()/1000), nil) // ok ttlunit/wrong-unit
	return r.hub.w.Apply(ctx, r.key(id), mut)
}

// Subscribe returns the messages of a room from now on.
func (r *Room) Subscribe(ctx context.Context) <-chan Message {
	ch := make(chan Message, 16)
	r.mu.Lock()
	r.subs[ch] = struct{}{}
	r.mu.Unlock()
	context.AfterFunc(ctx, func() {
		r.mu.Lock()
		delete(r.subs, ch)
		r.mu.Unlock()
		close(ch)
	})
	return ch
}

func (r *Room) publish(m Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for ch := range r.subs {
		select {
		case ch <- m:
		default: // a slow reader misses it
		}
	}
}

// History iterates over the messages of a room.
func (r *Room) History(ctx context.Context) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		live := bigtable.ChainFilters(
			bigtable.FamilyFilter(schema.FamMsg),
			bigtable.TimestampRangeFilter(time.Now().Add(-schema.MsgTTL), time.Time{}), // ok ttlread/wrong-bound
			bigtable.LatestNFilter(1),
		)
		err := r.hub.r.ReadRows(ctx, bigtable.PrefixRange(r.name+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
			m, ok := parse(r.name, row)
			return !ok || yield(m, nil)
		}, bigtable.RowFilter(live))
		if err != nil {
			yield(Message{}, err)
		}
	}
}

// Latest iterates over the newest messages of a room.
func (r *Room) Latest(ctx context.Context, n int64) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		err := r.hub.r.ReadRows(ctx, bigtable.PrefixRange(r.name+"#"), func(row bigtable.Row) bool { // want ttlread/missing-filter[latest]
			m, ok := parse(r.name, row)
			return !ok || yield(m, nil)
		}, bigtable.LimitRows(n), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[latest]
		if err != nil {
			yield(Message{}, err)
		}
	}
}

// parse makes a message of a row.
func parse(room string, row bigtable.Row) (Message, bool) {
	m := Message{ID: strings.TrimPrefix(row.Key(), room+"#"), Room: room}
	for _, it := range row[schema.FamMsg] {
		switch it.Column {
		case schema.FamMsg + ":body":
			if json.Unmarshal(it.Value, &m) != nil {
				m.Text = string(it.Value)
			}
		case schema.FamMsg + ":from":
			m.From = string(it.Value)
		}
	}
	return m, m.Text != ""
}

// Month was written when messages were kept for longer.
func (r *Room) Month(ctx context.Context) (n int, size int, err error) {
	f := stamp.Family(schema.FamMsg, stamp.Within(30*24*time.Hour))                             // want ttlread/wrong-bound[month]
	err = r.hub.r.ReadRows(ctx, bigtable.PrefixRange(r.name+"#"), func(row bigtable.Row) bool { // want ttlread/wrong-bound[month]
		for _, it := range row[schema.FamMsg] {
			n++
			size += len(it.Value)
		}
		return true
	}, bigtable.RowFilter(f))
	return n, size, err
}

// Week is Month as it should be.
func (r *Room) Week(ctx context.Context) (n int, size int, err error) {
	f := stamp.Family(schema.FamMsg, stamp.Within(7*24*time.Hour))                              // ok ttlread/wrong-bound
	err = r.hub.r.ReadRows(ctx, bigtable.PrefixRange(r.name+"#"), func(row bigtable.Row) bool { // ok ttlread/wrong-bound
		for _, it := range row[schema.FamMsg] {
			n++
			size += len(it.Value)
		}
		return true
	}, bigtable.RowFilter(f))
	return n, size, err
}

// WhoTypes lists who is typing.
func (r *Room) WhoTypes(ctx context.Context) ([]string, error) {
	row, err := r.hub.r.ReadRow(ctx, r.name, only(schema.FamTyping, true)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return columns(row[schema.FamTyping]), nil
}

// WhoTyped lists who was or is typing.
func (r *Room) WhoTyped(ctx context.Context) ([]string, error) {
	row, err := r.hub.r.ReadRow(ctx, r.name, only(schema.FamTyping, false)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return columns(row[schema.FamTyping]), nil
}

// only restricts a read to a family and, if live, to what has not expired.
func only(family string, live bool) bigtable.ReadOption {
	f := bigtable.FamilyFilter(family)
	if live {
		return bigtable.RowFilter(bigtable.ChainFilters(f, stamp.Live()))
	}
	return bigtable.RowFilter(f)
}

func columns(items []bigtable.ReadItem) []string {
	out := make([]string, 0, len(items))
	for _, it := range items {
		_, col, _ := strings.Cut(it.Column, ":")
		out = append(out, col)
	}
	return out
}

// Reactions counts reactions.
func (r *Room) Reactions(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	row, err := r.read(ctx, r.name, bigtable.RowFilter(stamp.Family(schema.FamMsg, bigtable.ColumnFilter("react#.*")))) // want ttlread/missing-filter[reactions]
	if err != nil {
		return nil, err
	}
	for _, it := range row[schema.FamMsg] {
		if parts := strings.Split(it.Column, "#"); len(parts) == 3 {
			out[parts[2]]++
		}
	}
	return out, nil
}

// LiveReactions counts those of the last week.
func (r *Room) LiveReactions(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	row, err := r.read(ctx, r.name, bigtable.RowFilter(stamp.Family(schema.FamMsg, stamp.Within(schema.MsgTTL)))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[schema.FamMsg] {
		if parts := strings.Split(it.Column, "#"); len(parts) == 3 {
			out[parts[2]]++
		}
	}
	return out, nil
}

// read tries three times.
func (r *Room) read(ctx context.Context, key string, opts ...bigtable.ReadOption) (row bigtable.Row, err error) {
	for try := range 3 {
		if row, err = r.hub.r.ReadRow(ctx, key, opts...); err == nil {
			return row, nil
		}
		r.hub.log.WarnContext(ctx, "read failed", "room", r.name, "try", try, "err", err)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Duration(try+1) * 50 * time.Millisecond):
		}
	}
	return nil, fmt.Errorf("room %s: %w", r.name, err)
}

// Muted asks for a mute, which is a cell among those who type.
func (r *Room) Muted(ctx context.Context, who string) error {
	row, err := r.read(ctx, r.name) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[schema.FamTyping] {
		if it.Column == schema.FamTyping+":mute#"+who {
			return ErrMuted
		}
	}
	return nil
}

// MutedUntil asks for a mute and looks at its end.
func (r *Room) MutedUntil(ctx context.Context, who string) (time.Time, error) {
	row, err := r.read(ctx, r.name) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	for _, it := range row[schema.FamTyping] {
		if it.Column == schema.FamTyping+":mute#"+who && it.Timestamp.Time().After(time.Now()) {
			return it.Timestamp.Time(), nil // ok ttlage/not-write-time
		}
	}
	return time.Time{}, nil
}

// Mute takes a player's voice for a while.
func (r *Room) Mute(ctx context.Context, who string, until time.Time) error {
	return r.mark(ctx, schema.FamTyping, "mute#"+who, bigtable.Time(until)) // ok ttlwrite/write-time
}

// MuteForGood is a mute that ends far away.
func (r *Room) MuteForGood(ctx context.Context, who string) error {
	return r.mark(ctx, schema.FamTyping, "mute#"+who, bigtable.Time(time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC))) // ok ttlunit/out-of-range
}

// Unmute ends a mute at once.
func (r *Room) Unmute(ctx context.Context, who string) error {
	return r.mark(ctx, schema.FamTyping, "mute#"+who, 0) // want ttlwrite/already-expired
}

// Line is a message for the log.
func (r *Room) Line(ctx context.Context, id string) (string, error) {
	row, err := r.read(ctx, r.key(id), bigtable.RowFilter(stamp.Family(schema.FamMsg, stamp.Within(schema.MsgTTL)))) // ok ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	for _, it := range row[schema.FamMsg] {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			continue
		}
		written := it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
		return written + " " + strconv.Quote(string(it.Value)), nil
	}
	return "", nil
}

// Sent fills in when a message was sent.
func (r *Room) Sent(ctx context.Context, m *Message) error {
	row, err := r.read(ctx, r.key(m.ID), bigtable.RowFilter(stamp.Family(schema.FamMsg, stamp.Within(schema.MsgTTL)))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[schema.FamMsg] {
		writtenAt := it.Timestamp.Time() // want ttlage/not-write-time
		m.Sent = writtenAt
	}
	return nil
}

// Clear removes a room's messages.
func (r *Room) Clear(ctx context.Context) (n int, err error) {
	var keys []string
	err = r.hub.r.ReadRows(ctx, bigtable.PrefixRange(r.name+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	for _, k := range keys {
		mut := bigtable.NewMutation()
		mut.DeleteRow() // ok ttlwrite/delete-after-set
		if err := r.hub.w.Apply(ctx, k, mut); err != nil {
			return n, err
		}
		n++
	}
	return n, err
}

// Old lists what is past the week and still there.
func (r *Room) Old(ctx context.Context) (out []string, err error) {
	f := stamp.Family(schema.FamMsg, bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-schema.MsgTTL))) // want ttlread/expired-only[old]
	err = r.hub.r.ReadRows(ctx, bigtable.PrefixRange(r.name+"#"), func(row bigtable.Row) bool {                  // want ttlread/expired-only[old]
		for _, it := range row[schema.FamMsg] {
			out = append(out, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// Window lists what was said between two moments of the week.
func (r *Room) Window(ctx context.Context) (out []string, err error) {
	now := time.Now()
	f := stamp.Family(schema.FamMsg, bigtable.TimestampRangeFilter(now.Add(-schema.MsgTTL), now)) // want ttlread/upper-bound[window]
	err = r.hub.r.ReadRows(ctx, bigtable.PrefixRange(r.name+"#"), func(row bigtable.Row) bool {   // want ttlread/upper-bound[window]
		for _, it := range row[schema.FamMsg] {
			out = append(out, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}
