package store

import (
	"context"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/datalib/datalib/clock"
	"example.com/datalib/datalib/read"
	"example.com/datalib/datalib/schema"
	"example.com/datalib/datalib/tables"
	"example.com/datalib/datalib/write"
)

// started is when the program came up.
var started = time.Now() // want ttlwrite/stale-clock[s2]

// liveSinceBoot saved one allocation a read.
var liveSinceBoot = bigtable.TimestampRangeFilter(time.Now(), time.Time{}) // want ttlread/stale-bound[s1]

// Session is a passenger's login.
type Session struct {
	ID        string
	User      string
	UpdatedAt time.Time
	ExpiresAt time.Time
}

// Sessions keeps logins.
type Sessions struct {
	tbl *bigtable.Table
	log *bigtable.Table
	ttl time.Duration
}

// NewSessions makes a store.
func NewSessions(s *tables.Set) *Sessions {
	return &Sessions{tbl: s.Sessions, log: s.AccessLog, ttl: schema.TokenTTL}
}

// Open writes a login.
func (s *Sessions) Open(ctx context.Context, x Session) error {
	exp := bigtable.Time(time.Now().Add(s.ttl))
	m := bigtable.NewMutation()
	m.Set(schema.Token, "user", exp, []byte(x.User))                                               // ok ttlwrite/write-time
	m.Set(schema.Token, "id", exp, []byte(x.ID))                                                   // ok ttlwrite/same-timestamp
	m.Set(schema.Token, "since", bigtable.Now(), []byte(strconv.FormatInt(time.Now().Unix(), 10))) // want ttlwrite/write-time
	return s.tbl.Apply(ctx, x.ID, m)
}

// Log notes a login; the access log's family of that name is an ordinary one.
func (s *Sessions) Log(ctx context.Context, x Session) error {
	m := bigtable.NewMutation()
	m.Set(schema.Token, "user", bigtable.Now(), []byte(x.User))      // ok ttlwrite/write-time
	m.Set(schema.Token, "agent", bigtable.ServerTime, []byte("app")) // ok ttlwrite/server-timestamp
	return s.log.Apply(ctx, x.ID, m)
}

// Touch renews a login.
func (s *Sessions) Touch(ctx context.Context, id string) error {
	ts := bigtable.Now()
	m := bigtable.NewMutation()
	m.Set(schema.Token, "touched", ts, []byte("1")) // want ttlwrite/write-time
	return s.tbl.Apply(ctx, id, m)
}

// Renew renews a login properly.
func (s *Sessions) Renew(ctx context.Context, id string) error {
	ts := bigtable.Time(time.Now().Add(schema.TokenTTL))
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.Token, "touched")  // ok ttlwrite/delete-after-set
	m.Set(schema.Token, "touched", ts, []byte("1")) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, id, m)
}

// Flags writes feature flags of a login.
func (s *Sessions) Flags(ctx context.Context, id string, flags map[string]string) error {
	m := bigtable.NewMutation()
	for k, v := range flags {
		m.Set(schema.Token, "flag-"+k, bigtable.ServerTime, []byte(v)) // want ttlwrite/server-timestamp
	}
	return s.tbl.Apply(ctx, id, m)
}

// Kick ends a login.
func (s *Sessions) Kick(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set(schema.Token, "kicked", 0, []byte("1")) // want ttlwrite/already-expired
	m.DeleteCellsInColumn(schema.Token, "id")     // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, id, m)
}

// Boot marks logins of this process.
func (s *Sessions) Boot(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set(schema.Token, "boot", bigtable.Time(started.Add(schema.TokenTTL)), []byte("1")) // want ttlwrite/stale-clock[s2]
	return s.tbl.Apply(ctx, id, m)
}

// Pair writes two values of one moment.
func (s *Sessions) Pair(ctx context.Context, id, a, b string) error {
	ts := clock.In(s.ttl)
	m := bigtable.NewMutation()
	m.Set(schema.Token, "pair", ts, []byte(a))   // ok ttlwrite/same-timestamp
	m.Set(schema.Token, "pair", ts, []byte(b))   // want ttlwrite/same-timestamp
	m.Set(schema.Token, "pair-b", ts, []byte(b)) // ok ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, id, m)
}

// Hit counts requests of a login.
func (s *Sessions) Hit(ctx context.Context, id string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.Token, "hits", 1) // want ttlwrite/read-modify-write
	if _, err := s.tbl.ApplyReadModifyWrite(ctx, id, rmw); err != nil {
		return 0, err
	}
	all := bigtable.NewReadModifyWrite()
	all.Increment(schema.Token, "hits", 1) // ok ttlwrite/read-modify-write
	_, err := s.log.ApplyReadModifyWrite(ctx, id, all)
	return 1, err
}

// Get reads a login.
func (s *Sessions) Get(ctx context.Context, id string) (*Session, error) {
	row, err := s.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(read.Live(), bigtable.LatestNFilter(1)))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := &Session{ID: id}
	for _, it := range row[schema.Token] {
		if it.Column == "token:user" {
			out.User = string(it.Value)
			out.ExpiresAt = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	return out, nil
}

// Info is Get for the admin page.
func (s *Sessions) Info(ctx context.Context, id string) (*Session, error) {
	row, err := s.tbl.ReadRow(ctx, id, read.LiveOpt()) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := &Session{ID: id}
	for _, it := range row[schema.Token] {
		out.UpdatedAt = it.Timestamp.Time() // want ttlage/not-write-time
	}
	return out, nil
}

// Idle tells for how long a login was unused.
func (s *Sessions) Idle(ctx context.Context, id string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, id, read.LiveOpt()) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	items := row[schema.Token]
	if len(items) == 0 {
		return 0, read.ErrNotFound
	}
	return time.Since(items[0].Timestamp.Time()), nil // want ttlage/not-write-time
}

// Left tells for how long a login is good.
func (s *Sessions) Left(ctx context.Context, id string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, id, read.LiveOpt()) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	items := row[schema.Token]
	if len(items) == 0 {
		return 0, read.ErrNotFound
	}
	return time.Until(items[0].Timestamp.Time()), nil // ok ttlage/not-write-time
}

// User reads who is logged in.
func (s *Sessions) User(ctx context.Context, id string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, id) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return string(read.First(row, schema.Token)), nil
}

// LastUser reads the access log.
func (s *Sessions) LastUser(ctx context.Context, id string) (string, error) {
	row, err := s.log.ReadRow(ctx, id) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return string(read.First(row, schema.Token)), nil
}

// Fast uses the filter of the start.
func (s *Sessions) Fast(ctx context.Context, id string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, id, bigtable.RowFilter(liveSinceBoot)) // want ttlread/stale-bound[s1]
	if err != nil {
		return "", err
	}
	return string(read.First(row, schema.Token)), nil
}

// Active counts the logins of a user.
func (s *Sessions) Active(ctx context.Context, prefix string) (users []string, err error) {
	err = read.Scan(ctx, s.tbl, prefix, func(r bigtable.Row) error { // want ttlread/missing-filter[s3]
		users = append(users, string(read.First(r, schema.Token)))
		return nil
	}, read.Opt(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[s3]
	return users, err
}

// ActiveLive lists the live logins.
func (s *Sessions) ActiveLive(ctx context.Context, prefix string) (users []string, err error) {
	err = read.Scan(ctx, s.tbl, prefix, func(r bigtable.Row) error { // ok ttlread/missing-filter
		users = append(users, string(read.First(r, schema.Token)))
		return nil
	}, read.LiveOpt(), bigtable.LimitRows(100))
	return users, err
}

// Purge deletes a user's logins.
func (s *Sessions) Purge(ctx context.Context, prefix string) error {
	b := write.NewBatch(s.tbl, 100)
	err := read.Scan(ctx, s.tbl, prefix, func(r bigtable.Row) error { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteRow()
		return b.Add(ctx, r.Key(), m)
	})
	if err != nil {
		return err
	}
	return b.Flush(ctx)
}

// options adds the live filter unless somebody asks for all.
func (s *Sessions) options(limit int64) []bigtable.ReadOption {
	opts := []bigtable.ReadOption{bigtable.RowFilter(read.Live())}
	if limit > 0 {
		opts = append(opts, bigtable.LimitRows(limit))
	}
	return opts
}

// Page reads a page of logins.
func (s *Sessions) Page(ctx context.Context, prefix string, limit int64) ([]Session, error) {
	var out []Session
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		out = append(out, Session{ID: r.Key(), User: string(read.First(r, schema.Token))})
		return true
	}, s.options(limit)...)
	return out, err
}

// PageOld reads a page of logins without the options.
func (s *Sessions) PageOld(ctx context.Context, prefix string, limit int64) ([]Session, error) {
	var out []Session
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/missing-filter
		out = append(out, Session{ID: r.Key(), User: string(read.First(r, schema.Token))})
		return true
	}, bigtable.LimitRows(limit))
	return out, err
}

// Refresh logs a session in again if it is there.
func (s *Sessions) Refresh(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set(schema.Token, "user", clock.In(s.ttl), []byte(id))                                // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, id, bigtable.NewCondMutation(bigtable.PassAllFilter(), m, nil)) // want ttlread/conditional-mutation
}
