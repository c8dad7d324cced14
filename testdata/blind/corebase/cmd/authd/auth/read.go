package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// sessionOf maps a row of the session table.
func sessionOf(row bigtable.Row) (*Session, error) {
	items := row[FamToken]
	if len(items) == 0 {
		return nil, ErrNoSession
	}
	s := &Session{ID: row.Key()}
	for _, it := range items {
		switch strings.TrimPrefix(it.Column, FamToken+":") {
		case "jwt":
			s.JWT = string(it.Value)
			s.Expires = it.Timestamp.Time() // ok ttlage/not-write-time
		case "user":
			s.User = string(it.Value)
			s.Created = it.Timestamp.Time() // want ttlage/not-write-time
		case "scope":
			s.Scopes = strings.Fields(string(it.Value))
		}
	}
	return s, nil
}

// Session reads a session.
func (s *Service) Session(ctx context.Context, id string) (*Session, error) {
	row, err := s.sessions.Get(ctx, id, btstore.Where(Token.Live())) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return sessionOf(row)
}

// SessionFast leaves the client's retries alone.
func (s *Service) SessionFast(ctx context.Context, id string) (*Session, error) {
	row, err := s.sessions.Get(ctx, id) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return sessionOf(row)
}

// SessionLatest reads the newest cells only.
func (s *Service) SessionLatest(ctx context.Context, id string) (*Session, error) {
	row, err := s.sessions.ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return sessionOf(row)
}

// SessionLive is SessionLatest as it should be.
func (s *Service) SessionLive(ctx context.Context, id string) (*Session, error) {
	f := bigtable.ChainFilters(btstore.LiveOnly(FamToken), bigtable.LatestNFilter(1))
	row, err := s.sessions.ReadRow(ctx, id, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return sessionOf(row)
}

// Sessions lists the sessions of a user.
func (s *Service) Sessions(ctx context.Context, user string) ([]*Session, error) {
	return btstore.FetchAll(ctx, s.sessions, user+"#", sessionOf, btstore.Where(btstore.LiveOnly(FamToken))) // ok ttlread/missing-filter
}

// SessionsOfTenant lists the sessions of a tenant, for its administrators.
func (s *Service) SessionsOfTenant(ctx context.Context, tenant string) ([]*Session, error) {
	return btstore.FetchAll(ctx, s.sessions, tenant+"/", sessionOf, btstore.Limit(500)) // want ttlread/missing-filter
}

// Lookup is used by the gateway.
func (s *Service) Lookup(ctx context.Context, id string) (*Session, error) {
	return btstore.Fetch(ctx, s.sessions, id, sessionOf, btstore.Columns(FamToken, "jwt|user")) // want ttlread/missing-filter
}

// LookupLive is used by the other gateway.
func (s *Service) LookupLive(ctx context.Context, id string) (*Session, error) {
	return btstore.Fetch(ctx, s.sessions, id, sessionOf, // ok ttlread/missing-filter
		btstore.Columns(FamToken, "jwt|user"),
		btstore.Where(bigtable.TimestampRangeFilter(s.now(), time.Time{})),
	)
}

// LastSeen needs the profile only.
func (s *Service) LastSeen(ctx context.Context, id string) (time.Time, error) {
	row, err := s.sessions.Get(ctx, id, btstore.Columns(FamProfile, "used")) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	for _, it := range row[FamProfile] {
		return it.Timestamp.Time(), nil // ok ttlage/not-write-time
	}
	return time.Time{}, ErrNoSession
}

// CreatedAt reads the whole row but uses the profile only.
func (s *Service) CreatedAt(ctx context.Context, id string) (time.Time, error) {
	row, err := s.sessions.Get(ctx, id) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	if v := btstore.Value(row, FamProfile, "created"); v != nil {
		return time.Parse(time.RFC3339, string(v))
	}
	return time.Time{}, ErrNoSession
}

// Agent reads the device.
func (s *Service) Agent(ctx context.Context, id string) (string, error) {
	row, err := s.sessions.Get(ctx, id, btstore.Where(Device.Live())) // ok ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	return string(btstore.Value(row, FamDevice, "agent")), nil
}

// AgentNow reads the device as if it were a token.
func (s *Service) AgentNow(ctx context.Context, id string) (string, error) {
	row, err := s.sessions.Get(ctx, id, btstore.Where(btstore.LiveOnly(FamDevice))) // want ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	return string(btstore.Value(row, FamDevice, "agent")), nil
}

// AgentWeek reads the devices of the last week.
func (s *Service) AgentWeek(ctx context.Context, id string) (string, error) {
	row, err := s.sessions.Get(ctx, id, btstore.Where(btstore.Younger(FamDevice, 7*24*time.Hour))) // want ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	return string(btstore.Value(row, FamDevice, "agent")), nil
}

// TokenWindow looks half an hour back.
func (s *Service) TokenWindow(ctx context.Context, id string) (*Session, error) {
	row, err := s.sessions.Get(ctx, id, btstore.Where(btstore.Younger(FamToken, TokenTTL))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return sessionOf(row)
}

// Whole reads every family by its kind.
func (s *Service) Whole(ctx context.Context, id string) ([]byte, error) {
	row, err := s.sessions.Get(ctx, id, btstore.Where(btstore.Live(Token, Device, Profile))) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	return json.Marshal(row)
}

// Export is Whole for the export job.
func (s *Service) Export(ctx context.Context, id string) ([]byte, error) {
	f := bigtable.InterleaveFilters(
		btstore.LiveOnly(FamToken),
		bigtable.FamilyFilter(FamDevice), // want ttlread/unfiltered-branch[export]
		bigtable.FamilyFilter(FamProfile),
	)
	row, err := s.sessions.Get(ctx, id, btstore.Where(f)) // want ttlread/unfiltered-branch[export]
	if err != nil {
		return nil, err
	}
	return json.Marshal(row)
}

// ExportRight is Export since the incident.
func (s *Service) ExportRight(ctx context.Context, id string) ([]byte, error) {
	f := btstore.AnyOf(
		btstore.LiveOnly(FamToken),            // ok ttlread/unfiltered-branch
		btstore.Younger(FamDevice, DeviceTTL), // ok ttlread/wrong-bound
		bigtable.FamilyFilter(FamProfile),
	)
	row, err := s.sessions.Get(ctx, id, btstore.Where(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	return json.Marshal(row)
}

// Expired lists what the sweeper may look at.
func (s *Service) Expired(ctx context.Context, prefix string) ([]*Session, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(FamToken),
		bigtable.TimestampRangeFilter(time.Time{}, time.Now()), // want ttlread/expired-only[expired]
	)
	return btstore.FetchAll(ctx, s.sessions, prefix, sessionOf, btstore.Where(f)) // want ttlread/expired-only[expired]
}

// Soon lists the sessions that are about to end, which is to say: not the
// others.
func (s *Service) Soon(ctx context.Context, prefix string) ([]*Session, error) {
	now := s.now()
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(FamToken),
		bigtable.TimestampRangeFilter(now, now.Add(5*time.Minute)), // want ttlread/upper-bound[soon]
	)
	return btstore.FetchAll(ctx, s.sessions, prefix, sessionOf, btstore.Where(f)) // want ttlread/upper-bound[soon]
}

// Usual leaves out tokens with a longer life than any should have.
func (s *Service) Usual(ctx context.Context, prefix string) ([]*Session, error) {
	now := s.now()
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(FamToken),
		bigtable.TimestampRangeFilter(now, now.Add(TokenTTL)), // ok ttlread/upper-bound
	)
	return btstore.FetchAll(ctx, s.sessions, prefix, sessionOf, btstore.Where(f)) // ok ttlread/upper-bound
}

// ByHand checks the expiry itself.
func (s *Service) ByHand(ctx context.Context, id string) (string, error) {
	row, err := s.sessions.Get(ctx, id) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	now := s.now()
	for _, it := range row[FamToken] {
		if it.Column != FamToken+":jwt" || it.Timestamp.Time().Before(now) { // ok ttlage/not-write-time
			continue
		}
		return string(it.Value), nil
	}
	return "", ErrNoSession
}

// CountUser counts the rows of a user.
func (s *Service) CountUser(ctx context.Context, user string) (int, error) {
	n := 0
	err := s.sessions.Prefix(ctx, user+"#", func(bigtable.Row) bool { n++; return true }, btstore.Where(btstore.KeysOnly())) // ok ttlread/missing-filter
	return n, err
}

// Active tells whether there is a login for a user.
func (s *Service) Active(ctx context.Context, user string) (bool, error) {
	return s.logins.Exists(ctx, user) // want ttlread/missing-filter[existsLogin]
}

// Known tells whether there is an audit row, which never expires.
func (s *Service) Known(ctx context.Context, user string) (bool, error) {
	return s.audit.Exists(ctx, user) // ok ttlread/missing-filter
}

// Age is how long somebody has been logged in.
func (s *Service) Age(ctx context.Context, id string) (time.Duration, error) {
	row, err := s.sessions.Get(ctx, id, btstore.Where(Token.Live()))
	if err != nil {
		return 0, err
	}
	for _, it := range row[FamToken] {
		if strings.HasSuffix(it.Column, ":user") {
			return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
		}
	}
	return 0, ErrNoSession
}

// Left is how long a session has left.
func (s *Service) Left(ctx context.Context, id string) (time.Duration, error) {
	row, err := s.sessions.Get(ctx, id, btstore.Where(Token.Live()))
	if err != nil {
		return 0, err
	}
	for _, it := range row[FamToken] {
		if strings.HasSuffix(it.Column, ":jwt") {
			return time.Until(it.Timestamp.Time()), nil // ok ttlage/not-write-time
		}
	}
	return 0, ErrNoSession
}

// AuditTail reads the last lines of the audit table.
func (s *Service) AuditTail(ctx context.Context, user string) ([]string, error) {
	var out []string
	err := s.audit.Prefix(ctx, user, func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[FamToken] {
			out = append(out, fmt.Sprintf("%s %s", it.Timestamp.Time().Format(time.RFC3339), it.Value)) // ok ttlage/not-write-time
		}
		return true
	}, btstore.Backwards(), btstore.Limit(50))
	return out, err
}
