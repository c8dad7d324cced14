// Package interfaces hides what it does behind interfaces.
package interfaces

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/interfaces/ports"
)

type reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
}

type service struct {
	rd    reader
	stamp ports.Stamper
}

// New returns a service.
func New(c *bigtable.Client) *service {
	return &service{rd: c.Open("sessions"), stamp: ports.Written{}}
}

func token(row bigtable.Row) string {
	for _, it := range row["token"] {
		return string(it.Value)
	}
	return ""
}

func (s *service) Get(ctx context.Context, key string) (string, error) {
	read := s.rd.ReadRow
	row, err := read(ctx, key) // want `missing-filter: .*"token"`
	return token(row), err
}

func (s *service) OkGet(ctx context.Context, key string) (string, error) {
	read := s.rd.ReadRow
	row, err := read(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	return token(row), err
}

func retry(f func(context.Context, string, ...bigtable.ReadOption) (bigtable.Row, error), ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	for range 3 {
		if row, err := f(ctx, key, opts...); err == nil {
			return row, nil
		}
	}
	return nil, context.Canceled
}

func (s *service) GetRetried(ctx context.Context, key string) (string, error) {
	row, err := retry(s.rd.ReadRow, ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `missing-filter: .*"token"`
	return token(row), err
}

func (s *service) Put(mut *bigtable.Mutation, v []byte) {
	mut.Set("token", "a", s.stamp.Stamp(), v) // want `write-time: .*"token"`
	mut.Set("profile", "a", s.stamp.Stamp(), v)
}

func local(mut *bigtable.Mutation, v []byte) {
	var s ports.Stamper = ports.Written{}
	mut.Set("token", "b", s.Stamp(), v) // want `write-time: .*"token"`
	s = ports.Expires{After: time.Hour}
	mut.Set("token", "c", s.Stamp(), v)
	s = ports.Expires{After: -time.Hour}
	mut.Set("token", "d", s.Stamp(), v) // want `already-expired: .*"token"`
}

func stampers(mut *bigtable.Mutation, v []byte) {
	ports.PutStamped(mut, "token", ports.Written{}, v) // want `write-time: .*"token"`
	ports.PutStamped(mut, "token", ports.Expires{After: time.Hour}, v)
	ports.PutStamped(mut, "token", &ports.Expires{After: -time.Hour}, v) // want `already-expired: .*"token"`
	ports.PutStamped(mut, "profile", ports.Written{}, v)
}

func generics(mut *bigtable.Mutation, v []byte) {
	ports.Put[ports.Token](mut, "a", bigtable.Now(), v) // want `write-time: .*"token"`
	ports.Put[ports.Profile](mut, "a", bigtable.Now(), v)
	ports.Put[ports.Token](mut, "b", bigtable.Time(time.Now().Add(time.Hour)), v)
	put(mut, ports.Token{}, bigtable.Now(), v) // want `write-time: .*"token"`
	put(mut, ports.Profile{}, bigtable.Now(), v)
	put(mut, secret{}, bigtable.Now(), v) // want `write-time: .*"token"`
}

type secret struct{}

func (secret) Family() string { return "token" }

func put[F ports.Named](mut *bigtable.Mutation, f F, ts bigtable.Timestamp, v []byte) {
	mut.Set(f.Family(), "c", ts, v)
}

func maps(mut *bigtable.Mutation, v []byte) {
	ports.PutAll(mut, map[string]bigtable.Timestamp{"token": bigtable.Now(), "profile": bigtable.Now()}, v) // want `write-time: .*"token"`
	ports.PutAll(mut, map[string]bigtable.Timestamp{"token": bigtable.Time(time.Now().Add(time.Hour)), "profile": bigtable.Now()}, v)
	putAll(mut, map[string]bigtable.Timestamp{"token": bigtable.ServerTime, "profile": bigtable.ServerTime}, v) // want `server-timestamp: .*"token"`
	putAll(mut, map[string]bigtable.Timestamp{"token": bigtable.Time(time.Now().Add(time.Hour)), "profile": bigtable.ServerTime}, v)
}

func putAll(mut *bigtable.Mutation, cells map[string]bigtable.Timestamp, v []byte) {
	for family, ts := range cells {
		mut.Set(family, "v", ts, v)
	}
}

// A repo of another package with a reader.
func repo(ctx context.Context, c *bigtable.Client, key string) (string, error) {
	r := ports.Repo{Rd: c.Open("sessions")}
	row, err := r.Rd.ReadRow(ctx, key) // want `missing-filter: .*"token"`
	return token(row), err
}

// Write writes.
func Write(c *bigtable.Client, ctx context.Context, v []byte) error {
	mut := bigtable.NewMutation()
	local(mut, v)
	stampers(mut, v)
	generics(mut, v)
	maps(mut, v)
	_, _ = repo(ctx, c, "k")
	return c.Open("sessions").Apply(ctx, "k", mut)
}
