// Package careful is mended as a careful engineer would: its clock stays its
// clock, its comments stay where they belong, and what is there is extended.
package careful

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type service struct {
	tbl   *bigtable.Table
	clock func() time.Time
	now   func() bigtable.Timestamp
}

func open(client *bigtable.Client) *service {
	return &service{
		tbl:   client.Open("sessions"),
		clock: time.Now,
		now:   bigtable.Now,
	}
}

func (s *service) injected(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(s.clock()), nil) // want `write-time: .*"token"`
}

func (s *service) timestamps(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", s.now(), nil) // want `write-time: .*"token"`
}

func (s *service) micros(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Timestamp(s.clock().UnixMicro()), nil) // want `write-time: .*"token"`
}

func (s *service) local(mut *bigtable.Mutation) time.Time {
	now := s.clock()                                 // one reading
	mut.Set("token", "jwt", bigtable.Time(now), nil) // want `write-time: .*"token"`
	return now
}

func (s *service) variable(mut *bigtable.Mutation) {
	ts := bigtable.Time(s.clock())   // of this request
	mut.Set("token", "jwt", ts, nil) // want `write-time: .*"token"`
}

func system(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now() /* of this host */), nil) // want `write-time: .*"token"`
}

// What would delete a comment is left to people.
func commented(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Timestamp( // want `server-timestamp: .*"token"`
		-1, // the server's
	), nil)
}

func (s *service) early(ctx context.Context, tickets *bigtable.Client) (bigtable.Row, error) {
	return tickets.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(s.clock().Add(-time.Hour), time.Time{}))) // want `wrong-bound: .*"ticket"`
}

func (s *service) ended(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	now := s.clock()
	return client.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(now, now.Add(5*time.Minute)))) // want `upper-bound: .*"ticket"`
}

func (s *service) past(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	return client.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, s.clock()))) // want `expired-only: .*"ticket"`
}

func (s *service) clicks(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	from := s.clock().Add(-1440 * time.Hour)
	return client.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(from, time.Time{}))) // want `wrong-bound: .*"event"`
}

func (s *service) hides(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(s.clock(), time.Time{}))) // want `hides-other-families: .*"profile"`
}
