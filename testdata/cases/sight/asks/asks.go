// Package asks decides by what the table says, which its own methods ask: that is
// the program's data, no parameter of it.
package asks

import (
	"context"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/asks/model"
)

// Service locks.
type Service struct {
	t   *model.Locks
	tbl *bigtable.Table
}

// New makes it.
func New(c *bigtable.Client) *Service { return &Service{model.New(c), c.Open("tickets")} }

func expiry() bigtable.Timestamp { return bigtable.Time(time.Now().Add(15 * time.Minute)) }

func (s *Service) put(ctx context.Context, key string, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set("ticket", "seat", ts, nil)
	return s.t.Apply(ctx, key, m)
}

// busy asks by the accessor.
func (s *Service) busy(ctx context.Context, key string) bool {
	l, err := s.t.Get(ctx, key)
	return err == nil && l != nil
}

// Extend extends.
func (s *Service) Extend(ctx context.Context, key string) error {
	ts := bigtable.Now()
	if s.busy(ctx, key) {
		ts = expiry()
	}
	m := bigtable.NewMutation()
	m.Set("ticket", "owner", ts, nil) // want `write-time: .*"ticket"`
	return s.t.Apply(ctx, key, m)
}

// held asks the table itself.
func (s *Service) held(ctx context.Context, key string) bool {
	live := bigtable.ChainFilters(bigtable.FamilyFilter("ticket"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(live))
	if err != nil {
		return false
	}
	for _, it := range row["ticket"] {
		if it.Column == "ticket:owner" {
			return true
		}
	}
	return false
}

// Hold holds.
func (s *Service) Hold(ctx context.Context, key string) error {
	ts := bigtable.Now()
	if !s.held(ctx, key) {
		ts = expiry()
	}
	m := bigtable.NewMutation()
	m.Set("ticket", "owner", ts, nil) // want `write-time: .*"ticket"`
	return s.t.Apply(ctx, key, m)
}

// taken asks by way of another, unless it is told.
func (s *Service) taken(ctx context.Context, key string, force bool) bool {
	if force {
		return true
	}
	return s.busy(ctx, key)
}

// Take takes.
func (s *Service) Take(ctx context.Context, key string, force bool) error {
	ts := expiry()
	if s.taken(ctx, key, force) {
		ts = bigtable.ServerTime
	}
	m := bigtable.NewMutation()
	m.Set("ticket", "owner", ts, nil) // want `server-timestamp: .*"ticket"`
	return s.t.Apply(ctx, key, m)
}

// check asks, and answers with an error.
func (s *Service) check(ctx context.Context, key string) error {
	l, err := s.t.Get(ctx, key)
	if err == nil && l != nil {
		return context.Canceled
	}
	return nil
}

// Count counts.
func (s *Service) Count(ctx context.Context, key string) error {
	ts := expiry()
	if s.check(ctx, key) != nil {
		ts = bigtable.Now()
	}
	m := bigtable.NewMutation()
	m.Set("ticket", "owner", ts, nil) // want `write-time: .*"ticket"`
	return s.t.Apply(ctx, key, m)
}

// What parameters alone decide is theirs.
func short(key string, kinds []string) bool {
	for _, k := range kinds {
		if k == key {
			return true
		}
	}
	return false
}

// OkShort is told.
func (s *Service) OkShort(ctx context.Context, key string, kinds []string) error {
	ts := expiry()
	if short(key, kinds) {
		ts = bigtable.Now()
	}
	m := bigtable.NewMutation()
	m.Set("ticket", "owner", ts, nil)
	return s.t.Apply(ctx, key, m)
}

// noted asks the table, and answers by what it is given.
func (s *Service) noted(ctx context.Context, key string, force bool) bool {
	if l, err := s.t.Get(ctx, key); err == nil && l != nil {
		println(l.Owner)
	}
	return force && key != ""
}

// OkNoted is told.
func (s *Service) OkNoted(ctx context.Context, key string, force bool) error {
	ts := expiry()
	if s.noted(ctx, key, force) {
		ts = bigtable.Now()
	}
	m := bigtable.NewMutation()
	m.Set("ticket", "owner", ts, nil)
	return s.t.Apply(ctx, key, m)
}

func okContains(ctx context.Context, s *Service, key string, kinds []string) error {
	if slices.Contains(kinds, key) {
		return s.put(ctx, key, expiry())
	}
	return s.put(ctx, "k", expiry())
}
