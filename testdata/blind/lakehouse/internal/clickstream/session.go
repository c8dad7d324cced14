package clickstream

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/schema"
)

// Session is what the sess family holds.
type Session struct {
	ID      string
	User    string
	LastURL string
	Expires time.Time
	Started time.Time
}

// ErrNoSession says that a session is gone.
var ErrNoSession = errors.New("clickstream: no such session")

// Sessions reads and writes live sessions.
type Sessions struct {
	tbl *bigtable.Table
	ttl time.Duration
	clk etl.Clock
}

// NewSessions opens the table.
func NewSessions(client *bigtable.Client, clk etl.Clock) *Sessions {
	return &Sessions{tbl: client.Open(schema.TableClicks), ttl: schema.SessionTTL, clk: clk}
}

// Get returns a live session.
func (s *Sessions) Get(ctx context.Context, id string) (*Session, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamSession), etl.LiveAt(s.clk), bigtable.LatestNFilter(1))
	row, err := s.tbl.ReadRow(ctx, etl.Key("s", id), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	if len(row) == 0 {
		return nil, ErrNoSession
	}
	return decodeSession(id, row), nil
}

func decodeSession(id string, row bigtable.Row) *Session {
	out := &Session{ID: id}
	for _, it := range row[schema.FamSession] {
		switch etl.Column(it) {
		case "user":
			out.User = string(it.Value)
		case "last":
			out.LastURL = string(it.Value)
			out.Expires = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	return out
}

// Exists is the cheap form for the edge.
func (s *Sessions) Exists(ctx context.Context, id string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, etl.Key("s", id), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamSession), bigtable.CellsPerRowLimitFilter(1)))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// ExistsNow asks for live cells only.
func (s *Sessions) ExistsNow(ctx context.Context, id string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, etl.Key("s", id), bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamSession),
		bigtable.TimestampRangeFilter(s.clk.Now(), time.Time{}),
		bigtable.CellsPerRowLimitFilter(1), // ok ttlread/limit-before-filter
		bigtable.StripValueFilter(),
	)))
	return len(row) > 0, err
}

// FirstLive has the limit on the wrong side: dead cells use it up.
func (s *Sessions) FirstLive(ctx context.Context, id string) (string, error) {
	f := bigtable.ChainFilters( // want ttlread/limit-before-filter[firstlive]
		bigtable.FamilyFilter(schema.FamSession),
		bigtable.CellsPerRowLimitFilter(1), // want ttlread/limit-before-filter[firstlive]
		bigtable.TimestampRangeFilter(s.clk.Now(), time.Time{}),
	)
	row, err := s.tbl.ReadRow(ctx, etl.Key("s", id), bigtable.RowFilter(f)) // want ttlread/limit-before-filter[firstlive]
	if err != nil || len(row[schema.FamSession]) == 0 {
		return "", err
	}
	return string(row[schema.FamSession][0].Value), nil
}

// Active lists the sessions that are live.
func (s *Sessions) Active(ctx context.Context) ([]*Session, error) {
	var out []*Session
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("s"+schema.KeySeparator), func(row bigtable.Row) bool {
		out = append(out, decodeSession(etl.SplitKey(row.Key())[1], row))
		return true
	}, bigtable.RowFilter(etl.InFamily(schema.FamSession, etl.Live(), etl.Newest()))) // ok ttlread/missing-filter
	sort.Slice(out, func(i, j int) bool { return out[i].Expires.Before(out[j].Expires) })
	return out, err
}

// Idle lists sessions that expire within d. It was written against a table
// of write times.
func (s *Sessions) Idle(ctx context.Context, d time.Duration) ([]string, error) {
	now := s.clk.Now()
	var ids []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("s"+schema.KeySeparator), func(row bigtable.Row) bool { // want ttlread/expired-only[m6]
		for _, it := range row[schema.FamSession] {
			ids = append(ids, etl.SplitKey(it.Row)[1])
			break
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamSession), bigtable.TimestampRangeFilter(time.Time{}, now)))) // want ttlread/expired-only[m6]
	return ids, err
}

// Expired lists what the next collection takes away; the cells are looked at
// one by one.
func (s *Sessions) Expired(ctx context.Context) (int, error) {
	n := 0
	now := bigtable.Time(s.clk.Now())
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("s"+schema.KeySeparator), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamSession] {
			if it.Timestamp < now {
				n++
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamSession)))
	return n, err
}

// Start opens a session.
func (s *Sessions) Start(ctx context.Context, id, user string) error {
	now := s.clk.Now()
	exp := bigtable.Time(now.Add(s.ttl))
	m := bigtable.NewMutation()
	m.Set(schema.FamSession, "user", exp, []byte(user))                                       // ok ttlwrite/write-time
	m.Set(schema.FamSession, "started", bigtable.Time(now), []byte(now.Format(time.RFC3339))) // want ttlwrite/write-time
	m.Set(schema.FamMeta, "started", bigtable.Time(now), nil)                                 // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, etl.Key("s", id), m)
}

// End closes it.
func (s *Sessions) End(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(schema.FamSession) // ok ttlwrite/delete-after-set
	m.Set(schema.FamMeta, "ended", bigtable.Now(), nil)
	return s.tbl.Apply(ctx, etl.Key("s", id), m)
}

// Kick ends it with a reason that support can see for a while.
func (s *Sessions) Kick(ctx context.Context, id, reason string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSession, "kicked", etl.ExpiresIn(5*time.Minute), []byte(reason))
	m.DeleteCellsInFamily(schema.FamSession) // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, etl.Key("s", id), m)
}

// Pages counts the pages of a session in the cell itself.
func (s *Sessions) Pages(ctx context.Context, id string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamSession, "pages", 1) // want ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, etl.Key("s", id), rmw)
	if err != nil {
		return 0, err
	}
	return etl.ParseInt64(etl.First(row, schema.FamSession, "pages"))
}

// Visits counts the visits of a user, for ever.
func (s *Sessions) Visits(ctx context.Context, user string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamMeta, "visits", 1) // ok ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, etl.Key("u", user), rmw)
	if err != nil {
		return 0, err
	}
	return etl.ParseInt64(etl.First(row, schema.FamMeta, "visits"))
}

// Steal takes a session over if it is not live.
func (s *Sessions) Steal(ctx context.Context, id, user string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(schema.FamSession, "user", etl.ExpiresIn(schema.SessionTTL), []byte(user))
	live := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamSession), bigtable.ColumnFilter("user"), etl.Live())
	m := bigtable.NewCondMutation(live, nil, set) // ok ttlread/conditional-mutation
	var taken bool
	if err := s.tbl.Apply(ctx, etl.Key("s", id), m, bigtable.GetCondMutationResult(&taken)); err != nil {
		return false, fmt.Errorf("session %s: %w", id, err)
	}
	return !taken, nil
}

// Claim is the older form of Steal, still used by the app backend.
func (s *Sessions) Claim(ctx context.Context, id, user string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(schema.FamSession, "user", etl.ExpiresIn(schema.SessionTTL), []byte(user))
	has := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamSession), bigtable.ColumnFilter("user")) // want ttlread/conditional-mutation[claim]
	var taken bool
	err := s.tbl.Apply(ctx, etl.Key("s", id), bigtable.NewCondMutation(has, nil, set), bigtable.GetCondMutationResult(&taken)) // want ttlread/conditional-mutation[claim]
	return !taken, err
}

// Drop deletes a session if it has a user; a dead one may go too.
func (s *Sessions) Drop(ctx context.Context, id string) error {
	del := bigtable.NewMutation()
	del.DeleteRow()
	has := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamSession), bigtable.ColumnFilter("user"))
	return s.tbl.Apply(ctx, etl.Key("s", id), bigtable.NewCondMutation(has, del, nil)) // ok ttlread/conditional-mutation
}
