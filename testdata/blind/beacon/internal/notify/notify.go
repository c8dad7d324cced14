// Package notify delivers webhooks, and remembers for a while what it delivered.
package notify

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/clock"
	"example.com/beacon/internal/store"
)

// profile says how deliveries of an edition are remembered.
type profile struct {
	family string
	stamp  func() bigtable.Timestamp
	live   func() bigtable.Filter
}

func server() bigtable.Timestamp { return bigtable.ServerTime }

func hour() bigtable.Timestamp { return clock.In(time.Hour) }

// profiles of the editions, by name. The small one was copied from the large one.
var profiles = map[string]profile{
	"large": {family: "event", stamp: server, live: quarter}, // ok ttlwrite/server-timestamp ttlread/wrong-bound
	"plain": {family: "lease", stamp: hour, live: current},   // ok ttlwrite/server-timestamp ttlread/wrong-bound
	"small": {family: "lease", stamp: server, live: current}, // want ttlwrite/server-timestamp[small]
}

func quarter() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-90*24*time.Hour), time.Time{})
}

func current() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

// Sender delivers a tenant's webhooks.
type Sender struct {
	tables  *store.Tables
	client  *http.Client
	edition string
	ttl     time.Duration
	retries int
}

// Option changes a Sender.
type Option func(*Sender)

// Remember sets how long deliveries are remembered.
func Remember(d time.Duration) Option { return func(s *Sender) { s.ttl = d } }

// Retries sets how often a delivery is tried.
func Retries(n int) Option { return func(s *Sender) { s.retries = n } }

// New returns a sender.
func New(t *store.Tables, edition string, opts ...Option) *Sender {
	s := &Sender{tables: t, client: &http.Client{Timeout: 10 * time.Second}, edition: edition, ttl: time.Hour, retries: 3}
	for _, o := range opts {
		o(s)
	}
	return s
}

func (s *Sender) table(family string) bigtable.TableAPI {
	if family == "event" {
		return s.tables.Audit
	}
	return s.tables.State
}

// Remember remembers a delivery as the edition wants it.
func (s *Sender) Remember(ctx context.Context, id string) error {
	p := profiles[s.edition]
	mut := bigtable.NewMutation()
	mut.Set(p.family, "hook", p.stamp(), []byte(id)) // want ttlwrite/server-timestamp[small]
	return s.table(p.family).Apply(ctx, "hook#"+id, mut)
}

// Known tells whether a delivery is remembered.
func (s *Sender) Known(ctx context.Context, id string) (bool, error) {
	p := profiles[s.edition]
	row, err := s.table(p.family).ReadRow(ctx, "hook#"+id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(p.family), p.live()))) // ok ttlread/wrong-bound ttlread/missing-filter
	return len(row) > 0, err
}

// Done remembers a delivery's result.
func (s *Sender) Done(ctx context.Context, id string, code int) error {
	mut := bigtable.NewMutation()
	mut.Set("lease", "result", bigtable.Time(time.Now().Add(s.ttl)), []byte(strconv.Itoa(code))) // ok ttlwrite/write-time
	mut.Set("lease", "code", bigtable.ServerTime, []byte(strconv.Itoa(code)))                    // want ttlwrite/server-timestamp
	mut.Set("meta", "code", bigtable.ServerTime, []byte(strconv.Itoa(code)))                     // ok ttlwrite/server-timestamp
	return s.tables.State.Apply(ctx, "hook#"+id, mut)
}

// Failed remembers a failure; the older of its two stamps is the wrong one.
func (s *Sender) Failed(ctx context.Context, id string, cause error) error {
	var ts bigtable.Timestamp
	if s.retries > 3 {
		ts = clock.In(s.ttl)
	} else {
		ts = bigtable.ServerTime
	}
	mut := bigtable.NewMutation()
	mut.Set("lease", "failed", ts, []byte(cause.Error())) // want ttlwrite/server-timestamp
	return s.tables.State.Apply(ctx, "hook#"+id, mut)
}

// Count counts tries.
func (s *Sender) Count(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("lease", "tries", 1)                               // want ttlwrite/read-modify-write
	rmw.AppendValue("meta", "log", []byte(time.Now().String()+"\n")) // ok ttlwrite/read-modify-write
	_, err := s.tables.State.ApplyReadModifyWrite(ctx, "hook#"+id, rmw)
	return err
}

// Secret stores the tenant's signing secret for a day.
func (s *Sender) Secret(ctx context.Context, secret []byte) error {
	for _, c := range []struct {
		family, column string
		ts             bigtable.Timestamp
	}{
		{"token", "secret", clock.In(24 * time.Hour)},  // ok ttlwrite/server-timestamp
		{"token", "previous", bigtable.ServerTime},     // want ttlwrite/server-timestamp[secret]
		{"profile", "secret-set", bigtable.ServerTime}, // ok ttlwrite/server-timestamp
	} {
		mut := bigtable.NewMutation()
		mut.Set(c.family, c.column, c.ts, secret) // want ttlwrite/server-timestamp[secret]
		if err := s.tables.Sessions.Apply(ctx, "hooks", mut); err != nil {
			return err
		}
	}
	return nil
}

// Last says when the last delivery was.
func (s *Sender) Last(ctx context.Context, id string) (time.Duration, error) {
	row, err := s.tables.State.ReadRow(ctx, "hook#"+id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("lease"), current()))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	var newest time.Time
	for _, it := range row["lease"] {
		if t := it.Timestamp.Time(); t.After(newest) { // ok ttlage/not-write-time
			newest = t
		}
	}
	return time.Since(newest), nil // want ttlage/not-write-time
}
