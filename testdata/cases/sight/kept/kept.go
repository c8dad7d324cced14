// Package kept stores the times of cells that others compare.
package kept

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/kept/lib"
)

type session struct {
	jwt []byte
	exp time.Time
}

func (s *session) expired(now time.Time) bool { return s.exp.Before(now) }

type store struct{ tbl *bigtable.Table }

func newStore(c *bigtable.Client) *store { return &store{c.Open("sessions")} }

// Another function compares the field: of what somebody else read.
func (s *store) get(ctx context.Context, key string) (*session, error) {
	row, err := s.tbl.ReadRow(ctx, key) // want `missing-filter: .*"token"`
	if err != nil {
		return nil, err
	}
	it := row["token"][0]
	return &session{it.Value, it.Timestamp.Time()}, nil
}

func (s *store) okGet(ctx context.Context, key string) (*session, error) {
	row, err := s.tbl.ReadRow(ctx, key)
	if err != nil {
		return nil, err
	}
	it := row["token"][0]
	se := &session{it.Value, it.Timestamp.Time()}
	if se.expired(time.Now()) {
		return nil, nil
	}
	return se, nil
}

func (s *store) okGetField(ctx context.Context, key string) (*session, error) {
	row, err := s.tbl.ReadRow(ctx, key)
	if err != nil {
		return nil, err
	}
	se := &session{}
	for _, it := range row["token"] {
		se.jwt, se.exp = it.Value, it.Timestamp.Time()
	}
	if time.Now().After(se.exp) {
		return nil, nil
	}
	return se, nil
}

// A session that is not of this read.
func purge(all []*session) (kept []*session) {
	for _, s := range all {
		if !s.expired(time.Now()) {
			kept = append(kept, s)
		}
	}
	return kept
}

// The rows go to who compares.
func decode(row bigtable.Row) *session {
	se := &session{}
	for _, it := range row["token"] {
		se.jwt, se.exp = it.Value, it.Timestamp.Time()
	}
	return se
}

func (s *store) okDecoded(ctx context.Context, key string) (*session, error) {
	row, err := s.tbl.ReadRow(ctx, key)
	if err != nil {
		return nil, err
	}
	if se := decode(row); !se.expired(time.Now()) {
		return se, nil
	}
	return nil, nil
}

func (s *store) decoded(ctx context.Context, key string) (*session, error) {
	row, err := s.tbl.ReadRow(ctx, key) // want `missing-filter: .*"token"`
	if err != nil {
		return nil, err
	}
	return decode(row), nil
}

// The caller compares what is returned.
func (s *store) fetch(ctx context.Context, key string) (*session, error) {
	row, err := s.tbl.ReadRow(ctx, key)
	if err != nil {
		return nil, err
	}
	it := row["token"][0]
	return &session{it.Value, it.Timestamp.Time()}, nil
}

func (s *store) okFetched(ctx context.Context, key string) *session {
	se, err := s.fetch(ctx, key)
	if err != nil || se.expired(time.Now()) {
		return nil
	}
	return se
}

// Another package's values.
func (s *store) values(ctx context.Context, key string) ([]lib.Value, error) {
	row, err := s.tbl.ReadRow(ctx, key) // want `missing-filter: .*"token"`
	if err != nil {
		return nil, err
	}
	return lib.Of(row, "token"), nil
}

// A list of them, filtered.
func (s *store) okListed(ctx context.Context) (out []*session, err error) {
	var all []*session
	err = s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["token"] {
			all = append(all, &session{it.Value, it.Timestamp.Time()})
		}
		return true
	})
	return purge(all), err
}

func (s *store) logged(ctx context.Context, key string) (time.Time, error) {
	row, err := s.tbl.ReadRow(ctx, key) // want `missing-filter: .*"token"`
	if err != nil {
		return time.Time{}, err
	}
	var at time.Time
	for _, it := range row["token"] {
		at = it.Timestamp.Time()
	}
	return at, nil
}
