// Package methodchooses makes objects of another package, whose methods are told what to
// read with: their callers know, not who makes the objects.
package methodchooses

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/methodchooses/bt"
)

type service struct {
	sessions *bt.Table
	whole    *bt.Whole
}

func newService(c *bigtable.Client) *service {
	return &service{
		sessions: bt.Open(c, "sessions"),
		whole:    bt.NewWhole(bt.Open(c, "sessions")), // want `missing-filter: .*"token"`
	}
}

func (s *service) live(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := s.sessions.GetWith(ctx, key, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	return row["token"], err
}

func (s *service) newest(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := s.sessions.GetWith(ctx, key, bigtable.LatestNFilter(1)) // want `missing-filter: .*"token"`
	return row["token"], err
}

func (s *service) unfiltered(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := s.sessions.GetWith(ctx, key, nil) // want `missing-filter: .*"token"`
	return row["token"], err
}

func (s *service) all(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := s.sessions.Newest(ctx, key, true) // want `missing-filter: .*"token"`
	return row["token"], err
}
