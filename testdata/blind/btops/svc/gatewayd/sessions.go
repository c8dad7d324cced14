package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/schema"
	"github.com/tramway/btops/internal/tenant"
)

// table is what a store needs of a table; tests have their own.
type table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

// sessionStore keeps who is signed in.
type sessionStore struct {
	tbl table
	now func() time.Time
}

func newSessionStore(tbl table, now func() time.Time) *sessionStore {
	return &sessionStore{tbl: tbl, now: now}
}

func sessionKey(rider string) string { return "s#" + rider }

// put is the one place that writes cells. A caller that does not care gives
// ServerTime, and gets the usual lifetime.
func (s *sessionStore) put(m *bigtable.Mutation, family, column string, ts bigtable.Timestamp, value string) {
	if ts == bigtable.ServerTime { // ok ttlage/server-sentinel
		ts = bigtable.Time(s.now().Add(schema.TokenTTL))
	}
	m.Set(family, column, ts, []byte(value)) // ok ttlwrite/server-timestamp
}

// set is put for who knows what he does.
func set(m *bigtable.Mutation, family, column string, ts bigtable.Timestamp, value string) {
	m.Set(family, column, ts, []byte(value))
}

// lifetime is how long a token lives.
func lifetime(remember bool) time.Duration {
	if remember {
		return 30 * 24 * time.Hour
	}
	return schema.TokenTTL
}

func newToken() (string, error) {
	b := make([]byte, 16)
	if _, err := rand.Read(b); err != nil {
		return "", err
	}
	return hex.EncodeToString(b), nil
}

func (s *sessionStore) signIn(ctx context.Context, rider, agent string, remember bool) (string, error) {
	if rider == "" || strings.Contains(rider, "#") {
		return "", fmt.Errorf("rider %q", rider)
	}
	tok, err := newToken()
	if err != nil {
		return "", err
	}
	now := s.now()
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn("token", "jwt")
	m.Set("token", "jwt", bigtable.Time(now.Add(lifetime(remember))), []byte(tok)) // ok ttlwrite/write-time
	s.put(m, "token", "csrf", bigtable.ServerTime, tok[:8])                        // ok ttlwrite/server-timestamp
	set(m, "token", "agent", bigtable.ServerTime, agent)                           // want ttlwrite/server-timestamp
	set(m, "profile", "agent", bigtable.ServerTime, agent)                         // ok ttlwrite/server-timestamp
	set(m, "token", "since", bigtable.Time(now), now.Format(time.RFC3339))         // want ttlwrite/write-time
	set(m, "profile", "since", bigtable.Time(now), now.Format(time.RFC3339))       // ok ttlwrite/write-time
	if remember {
		set(m, "device", agentID(agent), bigtable.Time(now.Add(schema.DeviceTTL)), agent) // ok ttlwrite/write-time
	} else {
		set(m, "device", agentID(agent), 0, "") // want ttlwrite/already-expired
	}
	return tok, s.tbl.Apply(ctx, sessionKey(rider), m)
}

func agentID(agent string) string {
	if i := strings.IndexByte(agent, '/'); i > 0 {
		agent = agent[:i]
	}
	return strings.ToLower(agent)
}

// readFilter is the filter for a family, with or without what has expired.
func (s *sessionStore) readFilter(family string, expired bool) bigtable.Filter {
	if expired {
		return bigtable.FamilyFilter(family)
	}
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.TimestampRangeFilter(s.now(), time.Time{}))
}

func (s *sessionStore) valid(ctx context.Context, rider, tok string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(rider), bigtable.RowFilter(s.readFilter("token", false))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	for _, it := range row["token"] {
		if it.Column == "token:jwt" && subtle.ConstantTimeCompare(it.Value, []byte(tok)) == 1 {
			return true, nil
		}
	}
	return false, nil
}

// known says whether the rider was here, ever.
func (s *sessionStore) known(ctx context.Context, rider string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(rider), bigtable.RowFilter(s.readFilter("token", true))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row["token"]) > 0, nil
}

// named says whether the rider told a name.
func (s *sessionStore) named(ctx context.Context, rider string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(rider), bigtable.RowFilter(s.readFilter("profile", true))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row["profile"]) > 0, nil
}

// profile is what the app shows.
func (s *sessionStore) profile(ctx context.Context, rider string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(rider), bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	p := btx.Values(row, "profile")
	if len(p) == 0 {
		return nil, tenant.ErrNotFound
	}
	return p, nil
}

// devices lists what is remembered.
func (s *sessionStore) devices(ctx context.Context, rider string) ([]string, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(rider), btx.LiveOnly("device")) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var ds []string
	for _, it := range row["device"] {
		ds = append(ds, string(it.Value))
	}
	return ds, nil
}

// recentDevices lists what was used in the last hour, or so the name says.
func (s *sessionStore) recentDevices(ctx context.Context, rider string) ([]string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("device"), bigtable.TimestampRangeFilter(s.now().Add(-time.Hour), time.Time{})) // want ttlread/wrong-bound[recentdevices]
	row, err := s.tbl.ReadRow(ctx, sessionKey(rider), bigtable.RowFilter(f))                                                         // want ttlread/wrong-bound[recentdevices]
	if err != nil {
		return nil, err
	}
	var ds []string
	for _, it := range row["device"] {
		ds = append(ds, string(it.Value))
	}
	return ds, nil
}

// signOut ends a session.
func (s *sessionStore) signOut(ctx context.Context, rider string) error {
	m := bigtable.NewMutation()
	m.Set("token", "out", bigtable.Time(s.now().Add(time.Hour)), []byte("1"))
	m.DeleteCellsInFamily("token")                    // want ttlwrite/delete-after-set
	m.Set("profile", "out", bigtable.ServerTime, nil) // ok ttlwrite/server-timestamp ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, sessionKey(rider), m)
}

// signInOnce signs in unless somebody is signed in already.
func (s *sessionStore) signInOnce(ctx context.Context, rider, tok string) (bool, error) {
	m := bigtable.NewMutation()
	m.Set("token", "jwt", bigtable.Time(s.now().Add(schema.TokenTTL)), []byte(tok)) // ok ttlwrite/write-time
	var already bool
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.ColumnFilter("jwt")), nil, m) // want ttlread/conditional-mutation
	err := s.tbl.Apply(ctx, sessionKey(rider), cond, bigtable.GetCondMutationResult(&already))
	return !already, err
}

// nameOnce sets a name unless there is one.
func (s *sessionStore) nameOnce(ctx context.Context, rider, name string) error {
	m := bigtable.NewMutation()
	m.Set("profile", "name", bigtable.Now(), []byte(name))                                                                           // ok ttlwrite/write-time
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter("profile"), bigtable.ColumnFilter("name")), nil, m) // ok ttlread/conditional-mutation
	return s.tbl.Apply(ctx, sessionKey(rider), cond)
}

// extend gives a live session another while.
func (s *sessionStore) extend(ctx context.Context, rider, tok string) error {
	m := bigtable.NewMutation()
	m.Set("token", "jwt", bigtable.Time(s.now().Add(schema.TokenTTL)), []byte(tok)) // ok ttlwrite/write-time
	live := bigtable.ChainFilters(s.readFilter("token", false), bigtable.ColumnFilter("jwt"), bigtable.ValueFilter(tok))
	return s.tbl.Apply(ctx, sessionKey(rider), bigtable.NewCondMutation(live, m, nil)) // ok ttlread/conditional-mutation
}
