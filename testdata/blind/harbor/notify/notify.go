// Package notify turns events into alerts, nonces and ledger memos. Everything goes through one channel of writes;
// a goroutine per table drains it.
package notify

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/harbor/btutil"
)

// Topic of an event.
type Topic string

// Topics.
const (
	TopicArrival   Topic = "arrival"
	TopicDeparture Topic = "departure"
	TopicStorm     Topic = "storm"
	TopicLogin     Topic = "login"
	TopicInvoice   Topic = "invoice"
	TopicTest      Topic = "test"
)

// Event is published by the services.
type Event struct {
	Topic   Topic
	Subject string
	Text    string
	At      time.Time
	Life    time.Duration
	Number  int64
	Attrs   map[string]string
}

type write struct {
	table string
	key   string
	mut   *bigtable.Mutation
}

// Writer is the piece of a table that sinks use; the fake has it too.
type Writer interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

// Hub distributes events.
type Hub struct {
	alerts   Writer
	sessions Writer
	events   chan Event
	writes   chan write
	wg       sync.WaitGroup
	hooks    map[Topic][]func(*Hub, Event)
	clock    func() time.Time
	counts   map[Topic]int64
	mu       sync.Mutex
}

// NewHub opens what it needs.
func NewHub(c *bigtable.Client) *Hub {
	h := NewHubWith(c.Open(btutil.TableAlerts), c.Open(btutil.TableSessions), time.Now) // want ttlwrite/already-expired[hubclock]
	return h
}

// NewHubWith is for tests.
func NewHubWith(alerts, sessions Writer, clock func() time.Time) *Hub {
	h := &Hub{
		alerts:   alerts,
		sessions: sessions,
		events:   make(chan Event, 100),
		writes:   make(chan write, 100),
		hooks:    map[Topic][]func(*Hub, Event){},
		clock:    clock,
		counts:   map[Topic]int64{},
	}
	h.On(TopicArrival, (*Hub).arrival)
	h.On(TopicDeparture, (*Hub).departure)
	h.On(TopicStorm, storm)
	h.On(TopicLogin, func(h *Hub, ev Event) {
		var b [8]byte
		if _, err := rand.Read(b[:]); err != nil {
			return
		}
		m := bigtable.NewMutation()
		m.Set("nonce", hex.EncodeToString(b[:]), bigtable.Time(h.clock().Add(btutil.NonceTTL)), []byte(ev.Subject)) // ok ttlwrite/write-time
		m.Set("nonce", "last", bigtable.Time(h.clock()), b[:])                                                      // want ttlwrite/write-time
		m.Set("profile", "lastlogin", bigtable.Time(h.clock()), nil)                                                // ok ttlwrite/write-time
		h.writes <- write{"sessions", ev.Subject, m}
	})
	return h
}

// On registers a hook.
func (h *Hub) On(t Topic, f func(*Hub, Event)) { h.hooks[t] = append(h.hooks[t], f) }

// Publish queues an event.
func (h *Hub) Publish(ev Event) {
	if ev.At.IsZero() {
		ev.At = h.clock()
	}
	h.events <- ev
}

// Start starts the goroutines.
func (h *Hub) Start(ctx context.Context) {
	h.wg.Add(2)
	go func() {
		defer h.wg.Done()
		defer close(h.writes)
		for ev := range h.events {
			h.mu.Lock()
			h.counts[ev.Topic]++
			h.mu.Unlock()
			for _, f := range h.hooks[ev.Topic] {
				f(h, ev)
			}
		}
	}()
	go func() {
		defer h.wg.Done()
		h.drain(ctx)
	}()
}

// Stop waits for what is queued.
func (h *Hub) Stop() {
	close(h.events)
	h.wg.Wait()
}

func (h *Hub) drain(ctx context.Context) {
	byTable := map[string]Writer{"alerts": h.alerts, "sessions": h.sessions}
	for w := range h.writes {
		t, ok := byTable[w.table]
		if !ok {
			log.Printf("notify: no table %q", w.table)
			continue
		}
		if err := btutil.Retry(ctx, 3, func() error { return t.Apply(ctx, w.key, w.mut) }); err != nil {
			log.Printf("notify: %s/%s: %v", w.table, w.key, err)
		}
	}
}

func (h *Hub) arrival(ev Event) {
	m := bigtable.NewMutation()
	m.Set("alert", "text", bigtable.ServerTime, []byte(ev.Text)) // ok ttlwrite/server-timestamp
	if ev.Life > 0 {
		m.Set("alert", "short", btutil.ShiftedTS(ev.Life, btutil.AlertTTL), []byte(ev.Text)) // ok ttlwrite/already-expired
	}
	h.writes <- write{"alerts", key(ev), m}
}

func (h *Hub) departure(ev Event) {
	m := bigtable.NewMutation()
	m.Set("alert", "text", bigtable.Time(ev.At), []byte(ev.Text))                           // ok ttlwrite/already-expired
	m.Set("alert", "gone", bigtable.Time(h.clock().Add(-btutil.AlertTTL)), []byte(ev.Text)) // want ttlwrite/already-expired[hubclock]
	h.writes <- write{"alerts", key(ev), m}
}

func storm(h *Hub, ev Event) {
	for i := 0; i < 24; i++ {
		m := bigtable.NewMutation()
		m.Set("alert", "text", bigtable.Time(h.clock().Add(time.Duration(i-168)*time.Hour)), []byte(ev.Text)) // maybe ttlwrite/already-expired
		m.Set("alert", fmt.Sprintf("h%02d", i), bigtable.Now(), []byte(ev.Text))                              // ok ttlwrite/same-timestamp
		h.writes <- write{"alerts", fmt.Sprintf("storm#%s#%02d", ev.Subject, i), m}
	}
	// and a token for the page that everybody opens
	m := bigtable.NewMutation()
	m.Set("token", "storm", bigtable.ServerTime, []byte(ev.Subject)) // want ttlwrite/server-timestamp
	h.writes <- write{table: "sessions", key: "storm", mut: m}
}

func key(ev Event) string { return btutil.Key(string(ev.Topic), ev.Subject) }

// Bulk writes many events at once; older than Start.
func (h *Hub) Bulk(ctx context.Context, evs []Event, ttl time.Duration, stamp string) error {
	keys := make([]string, 0, len(evs))
	muts := make([]*bigtable.Mutation, 0, len(evs))
	for _, ev := range evs {
		b, err := json.Marshal(ev)
		if err != nil {
			return err
		}
		m := bigtable.NewMutation()
		var ts bigtable.Timestamp
		switch stamp {
		case "server":
			ts = bigtable.ServerTime
		case "event":
			ts = bigtable.Time(ev.At)
		default:
			ts = bigtable.Time(h.clock().Add(ttl - btutil.AlertTTL))
		}
		m.Set("alert", "json", ts, b) // ok ttlwrite/server-timestamp
		keys, muts = append(keys, key(ev)), append(muts, m)
	}
	errs, err := h.alerts.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return err
	}
	for i, e := range errs {
		if e != nil {
			return fmt.Errorf("%s: %w", keys[i], e)
		}
	}
	return nil
}

// Invite writes tokens for guests in bulk.
func (h *Hub) Invite(ctx context.Context, guests []string, life time.Duration) error {
	var keys []string
	var muts []*bigtable.Mutation
	exp := bigtable.Time(h.clock().Add(life))
	born := bigtable.Time(h.clock())
	for i, g := range guests {
		m := bigtable.NewMutation()
		m.Set("token", "guest", exp, []byte(g))                // ok ttlwrite/write-time
		m.Set("token", "born", born, []byte(g))                // want ttlwrite/write-time
		m.Set("profile", "born", born, []byte(g))              // ok ttlwrite/write-time
		m.Set("token", "guest", exp, []byte(fmt.Sprint(i, g))) // want ttlwrite/same-timestamp
		keys = append(keys, "guest#"+g)
		muts = append(muts, m)
	}
	_, err := h.sessions.ApplyBulk(ctx, keys, muts)
	return err
}

// Guests lists them.
func (h *Hub) Guests(ctx context.Context) ([]string, error) {
	var out []string
	err := h.sessions.ReadRows(ctx, bigtable.PrefixRange("guest#"), func(r bigtable.Row) bool { // want ttlread/missing-filter
		if v, ok := btutil.Column(r, "token", "guest"); ok {
			out = append(out, string(v))
		}
		return true
	})
	return out, err
}

// GuestsNow lists those that may still come in.
func (h *Hub) GuestsNow(ctx context.Context) ([]string, error) {
	var out []string
	live := bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilterMicros(bigtable.Time(h.clock()), 0)))
	err := h.sessions.ReadRows(ctx, bigtable.PrefixRange("guest#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		if v, ok := btutil.Column(r, "token", "guest"); ok {
			out = append(out, string(v))
		}
		return true
	}, live)
	return out, err
}

// Inbox reads the alerts of a subject.
func (h *Hub) Inbox(ctx context.Context, topic Topic, subject string, all bool) ([]string, error) {
	var opts []bigtable.ReadOption
	if !all {
		opts = append(opts, bigtable.RowFilter(btutil.Since(btutil.AlertTTL)))
	}
	row, err := h.alerts.ReadRow(ctx, btutil.Key(string(topic), subject), opts...) // strict ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row["alert"] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// InboxDay reads them by another lifetime.
func (h *Hub) InboxDay(ctx context.Context, topic Topic, subject string) ([]string, error) {
	row, err := h.alerts.ReadRow(ctx, btutil.Key(string(topic), subject), bigtable.RowFilter(btutil.Since(btutil.QuoteTTL))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row["alert"] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// InboxWeek is right.
func (h *Hub) InboxWeek(ctx context.Context, topic Topic, subject string) ([]string, error) {
	row, err := h.alerts.ReadRow(ctx, btutil.Key(string(topic), subject), bigtable.RowFilter(btutil.Since(btutil.AlertTTL))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row["alert"] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// Counts returns how many events there were.
func (h *Hub) Counts() map[Topic]int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make(map[Topic]int64, len(h.counts))
	for k, v := range h.counts {
		out[k] = v
	}
	return out
}
