// Package tokens issues, rotates, introspects and revokes tokens.
package tokens

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

// Claims are what an access token says.
type Claims struct {
	ID       string        `json:"jti"`
	Subject  string        `json:"sub"`
	Audience []string      `json:"aud,omitempty"`
	Scope    string        `json:"scope,omitempty"`
	Issued   time.Time     `json:"iat"`
	Expires  time.Time     `json:"exp"`
	Lifetime time.Duration `json:"-"`
}

// ErrRevoked is returned for tokens that were taken back.
var ErrRevoked = errors.New("tokens: revoked")

// Store keeps tokens.
type Store struct {
	tbl   bt.Table
	clock bt.Clock
	log   *slog.Logger
	ttl   time.Duration
}

// Option configures a Store.
type Option func(*Store)

// WithClock replaces the system's clock.
func WithClock(c bt.Clock) Option { return func(s *Store) { s.clock = c } }

// WithLogger sets the logger.
func WithLogger(l *slog.Logger) Option { return func(s *Store) { s.log = l } }

// WithTTL sets the lifetime of access tokens.
func WithTTL(d time.Duration) Option { return func(s *Store) { s.ttl = d } }

// NewStore makes a Store.
func NewStore(tbl bt.Table, opts ...Option) *Store {
	s := &Store{tbl: tbl, clock: bt.System, log: slog.Default(), ttl: schema.AccessTTL}
	for _, o := range opts {
		o(s)
	}
	return s
}

func accessKey(id string) string { return "a#" + id }

func refreshKey(family, id string) string { return "r#" + family + "#" + id }

// Save stores an access token until it expires.
func (s *Store) Save(ctx context.Context, c Claims, jwt []byte) error {
	m := bigtable.NewMutation()
	exp := bigtable.Time(c.Expires)
	m.Set(string(schema.Access), schema.ColJWT, exp, jwt)                                // ok ttlwrite/write-time
	m.Set(string(schema.Access), schema.ColSubject, exp, []byte(c.Subject))              // ok ttlwrite/write-time
	m.Set(string(schema.Access), "aud", bigtable.Time(s.clock().Add(s.ttl)), marshal(c)) // ok ttlwrite/write-time
	m.Set(string(schema.Audit), "issued", bigtable.Now(), []byte(c.ID))                  // ok ttlwrite/write-time
	m.Set(string(schema.Audit), "issuer", bigtable.ServerTime, []byte("northgate"))      // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, accessKey(c.ID), m)
}

// SaveAll stores tokens in bulk, for the device flow, which issues many.
func (s *Store) SaveAll(ctx context.Context, list iter.Seq2[Claims, []byte]) error {
	b := bt.NewBatch(s.tbl, 200)
	now := bigtable.Now()
	for c, jwt := range list {
		m := bigtable.NewMutation()
		m.Set(string(schema.Access), schema.ColJWT, now, jwt)    // want ttlwrite/write-time
		m.Set(string(schema.Audit), "issued", now, []byte(c.ID)) // ok ttlwrite/write-time
		if err := b.Add(ctx, accessKey(c.ID), m); err != nil {
			return fmt.Errorf("save %s: %w", c.ID, err)
		}
	}
	return b.Flush(ctx)
}

// Load reads a live access token.
func (s *Store) Load(ctx context.Context, id string) (Claims, error) {
	row, err := s.tbl.ReadRow(ctx, accessKey(id), bigtable.RowFilter(bt.In(schema.Access, bt.Live()))) // ok ttlread/missing-filter
	if err != nil {
		return Claims{}, err
	}
	it, ok := bt.First(row, schema.Access, "aud")
	if !ok {
		return Claims{}, bt.ErrNotFound
	}
	return unmarshal(it.Value)
}

// Subject reads only whom a token belongs to.
func (s *Store) Subject(ctx context.Context, id string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, accessKey(id), bigtable.RowFilter(bt.In(schema.Access, bigtable.ColumnFilter(schema.ColSubject), bt.Newest()))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for it := range bt.Cells(row, schema.Access) {
		return string(it.Value), nil
	}
	return "", bt.ErrNotFound
}

// Exists tells whether a token is known. The hot path of every request.
func (s *Store) Exists(ctx context.Context, id string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, accessKey(id), bt.Keys()) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// History reads what was noted about a token.
func (s *Store) History(ctx context.Context, id string) ([]string, error) {
	row, err := s.tbl.ReadRow(ctx, accessKey(id)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var notes []string
	for it := range bt.Cells(row, schema.Audit) {
		notes = append(notes, fmt.Sprintf("%s %s", it.Timestamp.Time().Format(time.RFC3339), it.Value)) // ok ttlage/not-write-time
	}
	return notes, nil
}

// Describe is History for the support tool, which also shows the token.
func (s *Store) Describe(ctx context.Context, id string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, accessKey(id), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for it := range bt.Cells(row, schema.Access) {
		out[it.Column] = string(it.Value)
		out[it.Column+".created"] = it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
	}
	for it := range bt.Cells(row, schema.Audit) {
		out[it.Column] = string(it.Value)
		out[it.Column+".created"] = it.Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
	}
	return out, nil
}

// Extend gives a token more time.
func (s *Store) Extend(ctx context.Context, id string, until time.Time) error {
	c, err := s.Load(ctx, id)
	if err != nil {
		return err
	}
	c.Expires = until
	m := bigtable.NewMutation()
	bt.Replace(m, schema.Access, "aud", marshal(c), bigtable.Time(until)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, accessKey(id), m)
}

// Revoke takes a token back. It marks rather than deletes, so that
// introspection can tell the difference.
func (s *Store) Revoke(ctx context.Context, id, by string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(string(schema.Access))
	m.Set(string(schema.Access), "revoked", s.clock.TS(), []byte(by)) // want ttlwrite/write-time
	m.Set(string(schema.Audit), "revoked", s.clock.TS(), []byte(by))  // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, accessKey(id), m)
}

// RevokeAll takes back all tokens of a subject.
func (s *Store) RevokeAll(ctx context.Context, subject string) (n int, err error) {
	var keys []string
	err = s.tbl.ReadRows(ctx, bigtable.PrefixRange("a#"), func(r bigtable.Row) bool { // want ttlread/missing-filter[revall]
		if it, ok := bt.First(r, schema.Access, schema.ColSubject); ok && string(it.Value) == subject {
			keys = append(keys, r.Key())
		}
		return ctx.Err() == nil
	}, bigtable.RowFilter(bt.In(schema.Access))) // want ttlread/missing-filter[revall]
	if err != nil {
		return 0, err
	}
	b := bt.NewBatch(s.tbl, 500)
	for _, k := range keys {
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(string(schema.Access))
		m.Set(string(schema.Audit), "revoked", bt.NowTS(), []byte("all")) // ok ttlwrite/write-time
		if err := b.Add(ctx, k, m); err != nil {
			return n, err
		}
		n++
	}
	return n, b.Flush(ctx)
}

// Purge deletes the rows of tokens; dead ones too.
func (s *Store) Purge(ctx context.Context, prefix string) error {
	var errs []error
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(accessKey(prefix)), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteRow()
		errs = append(errs, s.tbl.Apply(ctx, r.Key(), m))
		return true
	}, bt.Keys())
	return errors.Join(append(errs, err)...)
}

// Live ranges over the live tokens below a prefix.
func (s *Store) Live(ctx context.Context, prefix string) iter.Seq2[Claims, error] {
	return func(yield func(Claims, error) bool) {
		filter := bt.In(schema.Access, bigtable.ColumnFilter("aud"), bt.LiveAt(s.clock()))
		for row, err := range bt.Rows(ctx, s.tbl, bigtable.PrefixRange(accessKey(prefix)), bigtable.RowFilter(filter)) { // ok ttlread/missing-filter
			if err != nil {
				yield(Claims{}, err)
				return
			}
			for it := range bt.Cells(row, schema.Access) {
				c, err := unmarshal(it.Value)
				if !yield(c, err) {
					return
				}
			}
		}
	}
}

// Expired ranges over tokens that have run out and are not collected yet. The
// abuse team wants to see them.
func (s *Store) Expired(ctx context.Context, prefix string) iter.Seq2[Claims, error] {
	return func(yield func(Claims, error) bool) {
		dead := bigtable.TimestampRangeFilter(time.Time{}, s.clock())                                                                                                      // want ttlread/expired-only[tokexp]
		for row, err := range bt.Rows(ctx, s.tbl, bigtable.PrefixRange(accessKey(prefix)), bigtable.RowFilter(bt.In(schema.Access, bigtable.ColumnFilter("aud"), dead))) { // want ttlread/expired-only[tokexp]
			if err != nil {
				yield(Claims{}, err)
				return
			}
			for it := range bt.Cells(row, schema.Access) {
				c, err := unmarshal(it.Value)
				if !yield(c, err) {
					return
				}
			}
		}
	}
}

// ExpiringSoon ranges over the keys of tokens with less than a minute to live.
func (s *Store) ExpiringSoon(ctx context.Context) iter.Seq[string] {
	return func(yield func(string) bool) {
		now := s.clock()
		soon := bt.In(schema.Access, bigtable.TimestampRangeFilter(now, now.Add(time.Minute)))            // want ttlread/upper-bound[toksoon]
		for row, err := range bt.Rows(ctx, s.tbl, bigtable.PrefixRange("a#"), bigtable.RowFilter(soon)) { // want ttlread/upper-bound[toksoon]
			if err != nil || !yield(row.Key()) {
				return
			}
		}
	}
}

// Within reads the tokens that end within the usual lifetime, which is all of
// them but the long-lived ones of service accounts.
func (s *Store) Within(ctx context.Context, yield func(bigtable.Row) bool) error {
	now := time.Now()
	f := bt.In(schema.Access, bigtable.TimestampRangeFilter(now, now.Add(schema.AccessTTL))) // ok ttlread/upper-bound
	return s.tbl.ReadRows(ctx, bigtable.PrefixRange("a#"), yield, bigtable.RowFilter(f))     // ok ttlread/upper-bound
}

// liveSince caches the filter: building it showed up in a profile.
var liveSince = sync.OnceValue(func() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(string(schema.Access)),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}), // want ttlread/stale-bound[toklive]
	)
})

// Touch reads a token without decoding it.
func (s *Store) Touch(ctx context.Context, id string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, accessKey(id), bigtable.RowFilter(liveSince())) // want ttlread/stale-bound[toklive]
	if err != nil {
		return nil, err
	}
	it, ok := bt.First(row, schema.Access, schema.ColJWT)
	if !ok {
		return nil, bt.ErrNotFound
	}
	return it.Value, nil
}

func marshal(c Claims) []byte {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	return b
}

func unmarshal(b []byte) (c Claims, err error) {
	err = json.Unmarshal(b, &c)
	return c, err
}
