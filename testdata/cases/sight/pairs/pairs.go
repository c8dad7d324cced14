// Package pairs sets a family and its timestamp together, in branches that
// data decides, or parameters.
package pairs

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Store struct {
	sessions *bigtable.Table
	pins     map[string]bool
	writes   int
	pinned   bool
	ttl      time.Duration
}

func Open(c *bigtable.Client, pinned bool, ttl time.Duration) *Store {
	return &Store{sessions: c.Open("sessions"), pins: map[string]bool{}, pinned: pinned, ttl: ttl}
}

// Pin keeps a user.
func (s *Store) Pin(user string) { s.pins[user] = true }

func (s *Store) PutPinned(ctx context.Context, user string, v []byte) error {
	family, ts := "profile", bigtable.Now()
	if s.pins[user] {
		family, ts = "token", bigtable.Now()
	}
	mut := bigtable.NewMutation()
	mut.Set(family, "v", ts, v) // want `write-time: .*"token"`
	return s.sessions.Apply(ctx, user, mut)
}

func (s *Store) PutCounted(ctx context.Context, user string, v []byte) error {
	s.writes++
	var family string
	var ts bigtable.Timestamp
	if s.writes%100 == 0 {
		family, ts = "token", bigtable.ServerTime
	} else {
		family, ts = "token", bigtable.Time(time.Now().Add(time.Hour))
	}
	mut := bigtable.NewMutation()
	mut.Set(family, "v", ts, v) // want `server-timestamp: .*"token"`
	return s.sessions.Apply(ctx, user, mut)
}

func (s *Store) PutField(ctx context.Context, user string, v []byte) error {
	family, ts := "profile", bigtable.Now()
	if s.pinned {
		family = "token"
	}
	mut := bigtable.NewMutation()
	mut.Set(family, "v", ts, v) // want `write-time: .*"token"`
	return s.sessions.Apply(ctx, user, mut)
}

func (s *Store) isPinned(ctx context.Context, user string) bool {
	row, err := s.sessions.ReadRow(ctx, user, bigtable.RowFilter(bigtable.FamilyFilter("profile")))
	return err == nil && len(row["profile"]) > 0
}

func (s *Store) PutCall(ctx context.Context, user string, v []byte) error {
	family, ts := "token", bigtable.Time(time.Now().Add(time.Hour))
	if s.isPinned(ctx, user) {
		family, ts = "token", bigtable.Now()
	}
	mut := bigtable.NewMutation()
	mut.Set(family, "v", ts, v) // want `write-time: .*"token"`
	return s.sessions.Apply(ctx, user, mut)
}

// OkPinned has both pairs right.
func (s *Store) OkPinned(ctx context.Context, user string, v []byte) error {
	family, ts := "profile", bigtable.Now()
	if s.pins[user] {
		family, ts = "token", bigtable.Time(time.Now().Add(time.Hour))
	}
	mut := bigtable.NewMutation()
	mut.Set(family, "v", ts, v)
	return s.sessions.Apply(ctx, user, mut)
}

// OkParameter leaves it to its callers.
func (s *Store) OkParameter(ctx context.Context, user string, ttl time.Duration, v []byte) error {
	family, ts := "token", bigtable.Time(time.Now().Add(ttl))
	if ttl <= 0 {
		family, ts = "token", bigtable.Now()
	}
	mut := bigtable.NewMutation()
	mut.Set(family, "v", ts, v)
	return s.sessions.Apply(ctx, user, mut)
}

func (s *Store) OkFlag(ctx context.Context, user string, forever bool, v []byte) error {
	ts := bigtable.Time(time.Now().Add(time.Hour))
	if forever {
		ts = bigtable.Now()
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "v", ts, v)
	return s.sessions.Apply(ctx, user, mut)
}

// A whole call under a parameter happens.
func (s *Store) PutUnder(ctx context.Context, user string, forever bool, v []byte) error {
	mut := bigtable.NewMutation()
	if forever {
		mut.Set("token", "v", bigtable.Now(), v) // want `write-time: .*"token"`
	} else {
		mut.Set("token", "v", bigtable.Time(time.Now().Add(time.Hour)), v)
	}
	return s.sessions.Apply(ctx, user, mut)
}

func token(row bigtable.Row) string {
	for _, it := range row["token"] {
		return string(it.Value)
	}
	return ""
}

// GetFlags: of no flags, no filter bounds the read.
func (s *Store) GetFlags(ctx context.Context, user string) (string, error) {
	var fs []bigtable.Filter
	if s.pinned {
		fs = append(fs, bigtable.FamilyFilter("token"))
	}
	if s.pins[user] {
		fs = append(fs, bigtable.LatestNFilter(1))
	}
	fs = append(fs, bigtable.PassAllFilter())
	f := fs[0]
	if len(fs) > 1 {
		f = bigtable.ChainFilters(fs...)
	}
	row, err := s.sessions.ReadRow(ctx, user, bigtable.RowFilter(f)) // want `missing-filter: .*"token"`
	return token(row), err
}

// OkFlags: each combination is bounded.
func (s *Store) OkFlags(ctx context.Context, user, column string, one bool) (string, error) {
	fs := []bigtable.Filter{bigtable.TimestampRangeFilter(time.Now(), time.Time{})}
	if s.pinned {
		fs = append(fs, bigtable.FamilyFilter("token"))
	}
	if column != "" {
		fs = append(fs, bigtable.ColumnFilter(column))
	}
	if one {
		fs = append(fs, bigtable.LatestNFilter(1))
	}
	f := fs[0]
	if len(fs) > 1 {
		f = bigtable.ChainFilters(fs...)
	}
	row, err := s.sessions.ReadRow(ctx, user, bigtable.RowFilter(f))
	return token(row), err
}

// OkCounted: where there are no filters nothing is read.
func (s *Store) OkCounted(ctx context.Context, user string) (string, error) {
	var fs []bigtable.Filter
	if s.pinned {
		fs = append(fs, bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	if s.pins[user] {
		fs = append(fs, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	if len(fs) == 0 {
		return "", nil
	}
	f := fs[0]
	if len(fs) > 1 {
		f = bigtable.ChainFilters(fs...)
	}
	row, err := s.sessions.ReadRow(ctx, user, bigtable.RowFilter(f))
	return token(row), err
}

func (s *Store) GetCounted(ctx context.Context, user string) (string, error) {
	var fs []bigtable.Filter
	if s.pinned {
		fs = append(fs, bigtable.FamilyFilter("token"))
	}
	if s.pins[user] {
		fs = append(fs, bigtable.LatestNFilter(1))
	}
	var opts []bigtable.ReadOption
	switch len(fs) {
	case 0:
		return "", nil
	case 1:
		opts = append(opts, bigtable.RowFilter(fs[0]))
	default:
		opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(fs...)))
	}
	row, err := s.sessions.ReadRow(ctx, user, opts...) // want `missing-filter: .*"token"`
	return token(row), err
}
