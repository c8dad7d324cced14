// Package session keeps login sessions, on top of the token tables.
package session

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/platform/kv"
	"github.com/northgate/identity/internal/schema"
)

// Session is a login.
type Session struct {
	ID        string    `json:"id"`
	User      string    `json:"user"`
	Agent     string    `json:"agent"`
	Started   time.Time `json:"started"`
	Ends      time.Time `json:"ends"`
	CreatedAt time.Time `json:"-"`
}

// Manager manages sessions.
type Manager struct {
	tokens   bt.Table
	presence bt.Table
	prefs    bt.Table
	grants   bt.Table

	csrf     *kv.Space
	remember *kv.Space
	flash    *kv.Space
	badge    *kv.Space
	ui       *kv.Space
	motd     *kv.Space
	notes    *kv.Space
}

// Deps are the tables of a Manager.
type Deps struct {
	Tokens, Presence, Prefs, Grants bt.Table
}

// New makes a Manager.
func New(d Deps) *Manager {
	return &Manager{
		tokens:   d.Tokens,
		presence: d.Presence,
		prefs:    d.Prefs,
		grants:   d.Grants,
		csrf:     kv.NewSpace(d.Tokens, schema.Access, kv.Until{TTL: schema.AccessTTL}),      // ok ttlwrite/write-time
		remember: kv.NewSpace(d.Tokens, schema.Refresh, kv.Until{TTL: 60 * 24 * time.Hour}),  // ok ttlread/missing-filter
		flash:    kv.NewSpace(d.Tokens, schema.Access, kv.Newest{}),                          // want ttlwrite/write-time ttlread/missing-filter
		badge:    kv.NewSpace(d.Presence, schema.FamOnline, kv.Usual{TTL: schema.OnlineTTL}), // ok ttlread/wrong-bound
		ui:       kv.NewSpace(d.Prefs, schema.FamPref, kv.Single{}),                          // ok ttlwrite/clock-in-zero
		motd:     kv.NewSpace(d.Prefs, schema.FamPref, kv.Newest{}),                          // want ttlwrite/clock-in-zero
		notes:    kv.NewSpace(d.Tokens, schema.Audit, kv.Newest{}),                           // ok ttlwrite/write-time
	}
}

// Start starts a session.
func (m *Manager) Start(ctx context.Context, user, agent string, ttl time.Duration) (*Session, error) {
	now := time.Now()
	s := &Session{ID: rand.Text(), User: user, Agent: agent, Started: now, Ends: now.Add(ttl)}
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	err = kv.Store(ctx, m.tokens, "s#"+s.ID,
		kv.Write[schema.Family]{Family: schema.Access, Name: "session", At: bigtable.Time(s.Ends), Value: b},              // ok ttlwrite/write-time
		kv.Write[schema.Family]{Family: schema.Access, Name: "agent", At: bigtable.Time(s.Started), Value: []byte(agent)}, // want ttlwrite/write-time
		kv.Write[schema.Family]{Family: schema.Audit, Name: "login", At: bigtable.Time(s.Started), Value: []byte(user)},   // ok ttlwrite/write-time
	)
	if err != nil {
		return nil, fmt.Errorf("start session: %w", err)
	}
	return s, m.csrf.Put(ctx, "s#"+s.ID, "csrf", []byte(rand.Text())) // ok ttlwrite/write-time
}

// filterFor is the filter of a read; support may look at sessions that are over.
func filterFor(ended bool) bigtable.Filter {
	f := bigtable.FamilyFilter(string(schema.Access))
	if ended {
		return f
	}
	return bigtable.ChainFilters(f, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
}

// Load reads a session.
func (m *Manager) Load(ctx context.Context, id string) (*Session, error) {
	row, err := kv.Fetch(ctx, m.tokens, "s#"+id, bigtable.RowFilter(filterFor(false))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return parse(row)
}

// LoadEnded reads a session that may be over.
func (m *Manager) LoadEnded(ctx context.Context, id string) (*Session, error) {
	row, err := kv.Fetch(ctx, m.tokens, "s#"+id, bigtable.RowFilter(filterFor(true))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return parse(row)
}

// Peek reads a session without anything else.
func (m *Manager) Peek(ctx context.Context, id string) (*Session, error) {
	row, err := kv.Fetch(ctx, m.tokens, "s#"+id) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return parse(row)
}

// Logins reads the audit trail of a session.
func (m *Manager) Logins(ctx context.Context, id string) ([]time.Time, error) {
	row, err := kv.Fetch(ctx, m.tokens, "s#"+id, bigtable.RowFilter(bt.In(schema.Audit))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []time.Time
	for it := range bt.Cells(row, schema.Audit) {
		out = append(out, it.Timestamp.Time()) // ok ttlage/not-write-time
	}
	return out, nil
}

func parse(row bigtable.Row) (*Session, error) {
	it, ok := bt.First(row, schema.Access, "session")
	if !ok {
		return nil, bt.ErrNotFound
	}
	s := &Session{CreatedAt: it.Timestamp.Time()} // want ttlage/not-write-time
	return s, json.Unmarshal(it.Value, s)
}

// keepAlive writes a session's cell at ts.
func (m *Manager) keepAlive(ctx context.Context, id, column string, ts bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	mut.Set(string(schema.Access), column, ts, []byte("1"))
	return m.tokens.Apply(ctx, "s#"+id, mut)
}

// extend keeps a session alive until t.
func (m *Manager) extend(ctx context.Context, id string, t time.Time) error {
	return m.keepAlive(ctx, id, "alive", bigtable.Time(t))
}

// Ping keeps a session alive for the usual time.
func (m *Manager) Ping(ctx context.Context, id string) error {
	return m.extend(ctx, id, time.Now().Add(schema.AccessTTL)) // ok ttlwrite/write-time
}

// Touch notes that a session was used.
func (m *Manager) Touch(ctx context.Context, id string) error {
	return m.extend(ctx, id, time.Now()) // want ttlwrite/write-time
}

// Visit notes that a page was opened.
func (m *Manager) Visit(ctx context.Context, id, page string) error {
	return errors.Join(
		m.keepAlive(ctx, id, "page", bigtable.ServerTime),              // want ttlwrite/server-timestamp
		m.keepAlive(ctx, id, "p_"+page, bt.ExpireIn(schema.AccessTTL)), // ok ttlwrite/server-timestamp
	)
}

// End ends a session.
func (m *Manager) End(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(string(schema.Access))
	mut.Set(string(schema.Audit), "logout", bigtable.Now(), nil) // ok ttlwrite/delete-after-set
	return m.tokens.Apply(ctx, "s#"+id, mut)
}

// EndAt ends a session at a time, or now.
func (m *Manager) EndAt(ctx context.Context, id string, at time.Time) error {
	if at.IsZero() {
		return m.End(ctx, id)
	}
	return m.extend(ctx, id, at) // ok ttlwrite/write-time
}

// Flash stores a message for the next page.
func (m *Manager) Flash(ctx context.Context, id, text string) error {
	return m.flash.Put(ctx, "s#"+id, "flash", []byte(text)) // maybe ttlwrite/write-time
}

// TakeFlash reads the message for this page.
func (m *Manager) TakeFlash(ctx context.Context, id string) (string, error) {
	b, err := m.flash.Get(ctx, "s#"+id, "flash") // maybe ttlread/missing-filter
	return string(b), err
}

// Remember keeps a browser's mark.
func (m *Manager) Remember(ctx context.Context, user, mark string) error {
	return m.remember.Put(ctx, "u#"+user, "mark", []byte(mark)) // ok ttlwrite/write-time
}

// RememberUntil is Remember with an end.
func (m *Manager) RememberUntil(ctx context.Context, user, mark string, d time.Duration) error {
	return m.remember.PutAt(ctx, "u#"+user, "mark", bt.ExpireIn(d), []byte(mark)) // ok ttlwrite/write-time
}

// Remembered reads a browser's mark.
func (m *Manager) Remembered(ctx context.Context, user string) ([]byte, error) {
	return m.remember.Get(ctx, "u#"+user, "mark") // ok ttlread/missing-filter
}

// Badge shows that a user is there.
func (m *Manager) Badge(ctx context.Context, user string) error {
	if err := m.badge.Put(ctx, user, "badge", []byte("on")); err != nil { // ok ttlwrite/write-time
		return err
	}
	return m.badge.PutAt(ctx, user, "badge.min", bt.Shifted(time.Minute, schema.OnlineTTL), nil) // ok ttlwrite/already-expired
}

// Layout stores how a user has arranged the console.
func (m *Manager) Layout(ctx context.Context, user string, layout []byte) error {
	if err := m.ui.Put(ctx, user, "layout", layout); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	return m.ui.PutAt(ctx, user, "layout.at", bigtable.Now(), nil) // want ttlwrite/clock-in-zero
}

// Motd stores the message of the day that a user has dismissed.
func (m *Manager) Motd(ctx context.Context, user, id string) error {
	return m.motd.Put(ctx, user, "motd", []byte(id)) // maybe ttlwrite/clock-in-zero
}

// Note notes something in the audit trail.
func (m *Manager) Note(ctx context.Context, id, text string) error {
	return m.notes.Put(ctx, "s#"+id, "note", []byte(text)) // ok ttlwrite/write-time
}

// Allowed tells whether a session's user holds a grant.
func (m *Manager) Allowed(ctx context.Context, s *Session, resource string) (bool, error) {
	row, err := kv.Fetch(ctx, m.grants, resource+"#"+s.User, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamGrant))) // want ttlread/version-limit
	if err != nil {
		return false, err
	}
	for it := range bt.Cells(row, schema.FamGrant) {
		if string(it.Value) == "denied" {
			return false, nil
		}
	}
	return true, nil
}

// AllowedTo is Allowed for an action.
func (m *Manager) AllowedTo(ctx context.Context, s *Session, resource, action string) (bool, error) {
	row, err := kv.Fetch(ctx, m.grants, resource+"#"+s.User, bt.Where(schema.FamGrant).Column(action).Latest(1).Option()) // ok ttlread/version-limit
	if err != nil {
		return false, err
	}
	return len(row[schema.FamGrant]) > 0, nil
}

// Here tells whether a user is online.
func (m *Manager) Here(ctx context.Context, user string) bool {
	_, err := kv.Fetch(ctx, m.presence, user, bigtable.RowFilter(bt.In(schema.FamOnline))) // want ttlread/missing-filter
	return err == nil
}
