// Package device implements the device authorization grant.
package device

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/idp/internal/clock"
	"example.com/idp/internal/ids"
	"example.com/idp/internal/schema"
	"example.com/idp/internal/store"
)

const (
	colUserCode = "user_code"
	colStatus   = "status"
	colUser     = "user"
	colPolls    = "polls"
	colLast     = "last"
)

// Status of a device code.
type Status string

// The statuses.
const (
	Pending  Status = "pending"
	Approved Status = "approved"
	Denied   Status = "denied"
)

// Errors of the grant, by the RFC's names.
var (
	ErrSlowDown = errors.New("slow_down")
	ErrExpired  = errors.New("expired_token")
	ErrPending  = errors.New("authorization_pending")
)

// Store keeps device codes.
type Store struct {
	codes    *bigtable.Table
	clk      clock.Clock
	interval time.Duration
}

// NewStore opens the table of device codes.
func NewStore(c *bigtable.Client, clk clock.Clock) *Store {
	return &Store{codes: c.Open(schema.TableDevice), clk: clk, interval: 5 * time.Second}
}

func (s *Store) Start(ctx context.Context, code, user string) error {
	exp := s.expiry()
	m := bigtable.NewMutation()
	m.Set(schema.FamCode, colUserCode, exp, []byte(user))     // ok ttlwrite/write-time
	m.Set(schema.FamCode, colStatus, exp, []byte(Pending))    // ok ttlwrite/write-time
	m.Set(schema.FamPoll, colLast, bigtable.Now(), []byte{0}) // ok ttlwrite/write-time
	return s.codes.Apply(ctx, code, m)
}

func (s *Store) expiry() bigtable.Timestamp {
	return bigtable.Time(s.clk.Now().Add(schema.CodeTTL))
}

func (s *Store) stamp() bigtable.Timestamp { return bigtable.Time(s.clk.Now()) }

func (s *Store) Deny(ctx context.Context, code string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamCode, colStatus, s.stamp(), []byte(Denied)) // want ttlwrite/write-time
	m.Set(schema.FamPoll, colLast, s.stamp(), []byte{1})        // ok ttlwrite/write-time
	return s.codes.Apply(ctx, code, m)
}

func (s *Store) Approve(ctx context.Context, code string, u ids.UserID) (bool, error) {
	yes := bigtable.NewMutation()
	yes.Set(schema.FamCode, colStatus, s.expiry(), []byte(Approved)) // ok ttlwrite/write-time
	yes.Set(schema.FamCode, colUser, s.expiry(), []byte(u))          // ok ttlwrite/same-timestamp
	waits := bigtable.ChainFilters(                                  // want ttlread/conditional-mutation[dev3]
		bigtable.ColumnFilter(colStatus),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter(string(Pending)),
	)
	var ok bool
	cond := bigtable.NewCondMutation(waits, yes, nil) // want ttlread/conditional-mutation[dev3]
	err := s.codes.Apply(ctx, code, cond, bigtable.GetCondMutationResult(&ok))
	return ok, err
}

func (s *Store) ApproveLive(ctx context.Context, code string, u ids.UserID) (bool, error) {
	yes := bigtable.NewMutation()
	yes.Set(schema.FamCode, colUser, s.expiry(), []byte(u)) // ok ttlwrite/write-time
	waits := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamCode),
		bigtable.ColumnFilter(colStatus),
		bigtable.TimestampRangeFilter(s.clk.Now(), time.Time{}),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter(string(Pending)),
	)
	var ok bool
	cond := bigtable.NewCondMutation(waits, yes, nil) // ok ttlread/conditional-mutation
	err := s.codes.Apply(ctx, code, cond, bigtable.GetCondMutationResult(&ok))
	return ok, err
}

func (s *Store) Cancel(ctx context.Context, code string) error {
	drop := bigtable.NewMutation()
	drop.DeleteRow()
	return s.codes.Apply(ctx, code, bigtable.NewCondMutation(bigtable.ColumnFilter(colStatus), drop, nil)) // ok ttlread/conditional-mutation
}

func (s *Store) Poll(ctx context.Context, code string) (ids.UserID, error) {
	n, err := s.polls(ctx, code)
	if err != nil {
		return "", err
	}
	row, err := s.codes.ReadRow(ctx, code, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamCode))) // ok ttlread/missing-filter
	if err != nil {
		return "", fmt.Errorf("device: %w", err)
	}
	var status Status
	var user ids.UserID
	now := bigtable.Time(s.clk.Now())
	for _, it := range row[schema.FamCode] {
		if it.Timestamp < now {
			continue
		}
		switch it.Column {
		case schema.FamCode + ":" + colStatus:
			status = Status(it.Value)
		case schema.FamCode + ":" + colUser:
			user = ids.UserID(it.Value)
		}
	}
	switch {
	case status == "":
		return "", ErrExpired
	case n > 200:
		return "", ErrSlowDown
	case status == Approved:
		return user, nil
	}
	return "", ErrPending
}

func (s *Store) polls(ctx context.Context, code string) (uint64, error) {
	m := bigtable.NewReadModifyWrite()
	m.Increment(schema.FamPoll, colPolls, 1) // ok ttlwrite/read-modify-write
	row, err := s.codes.ApplyReadModifyWrite(ctx, code, m)
	if err != nil {
		return 0, err
	}
	for _, it := range row[schema.FamPoll] {
		return binary.BigEndian.Uint64(it.Value), nil
	}
	return 0, nil
}

func (s *Store) Attempts(ctx context.Context, code string) error {
	m := bigtable.NewReadModifyWrite()
	m.Increment(schema.FamCode, "wrong", 1) // want ttlwrite/read-modify-write
	_, err := s.codes.ApplyReadModifyWrite(ctx, code, m)
	return err
}

func (s *Store) TooFast(ctx context.Context, code string) (bool, error) {
	row, err := s.codes.ReadRow(ctx, code) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	last := row[schema.FamPoll]
	if len(last) == 0 {
		return false, nil
	}
	return s.clk.Now().Sub(last[0].Timestamp.Time()) < s.interval, nil // ok ttlage/not-write-time
}

func (s *Store) Stale(ctx context.Context, code string) (bool, error) {
	row, err := s.codes.ReadRow(ctx, code, bigtable.RowFilter(bigtable.TimestampRangeFilter(s.clk.Now(), time.Time{}))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	items := row[schema.FamCode]
	if len(items) == 0 {
		return false, ErrExpired
	}
	waited := s.clk.Now().Sub(items[0].Timestamp.Time()) // want ttlage/not-write-time
	return waited > schema.CodeTTL/2, nil
}

func (s *Store) Lookup(ctx context.Context, user string) (string, error) {
	var found string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamCode), bigtable.ColumnFilter(colUserCode), bigtable.ValueFilter(user)) // want ttlread/missing-filter[dev1]
	err := s.codes.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {                                              // want ttlread/missing-filter[dev1]
		for _, it := range r[schema.FamCode] {
			found = it.Row
		}
		return false
	}, bigtable.RowFilter(f)) // want ttlread/missing-filter[dev1]
	return found, err
}

func (s *Store) LookupLive(ctx context.Context, user string) (string, error) {
	var found string
	fs := []bigtable.Filter{bigtable.FamilyFilter(schema.FamCode), bigtable.ColumnFilter(colUserCode)}
	fs = append(fs, store.Live(s.clk.Now()), bigtable.ValueFilter(user))
	err := s.codes.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[schema.FamCode] {
			found = it.Row
		}
		return false
	}, bigtable.RowFilter(bigtable.ChainFilters(fs...)))
	return found, err
}

func (s *Store) Open(ctx context.Context) (map[string]string, error) {
	now := s.clk.Now()
	out := map[string]string{}
	window := bigtable.TimestampRangeFilter(now, now.Add(24*time.Hour))                  // want ttlread/upper-bound[dev2]
	err := s.codes.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/upper-bound[dev2]
		for _, it := range r[schema.FamCode] {
			out[it.Row] = string(it.Value)
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamCode), window))) // want ttlread/upper-bound[dev2]
	return out, err
}

func (s *Store) Reserve(ctx context.Context, user string, until time.Time) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamCode, "reserved", bigtable.Timestamp(until.UnixMilli()), []byte(user)) // want ttlunit/wrong-unit
	m.Set(schema.FamCode, "holder", bigtable.Timestamp(until.UnixMilli()*1000), nil)       // ok ttlunit/wrong-unit
	return s.codes.Apply(ctx, "r#"+user, m)
}
