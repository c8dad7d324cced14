// Package planted is the program of package service with 24 misuses of helpers:
// those that compile stand here, the others in misuse.go.
package planted

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/runtime_program/tables"
)

// ErrLocked says that too many logins failed.
var ErrLocked = errors.New("too many failed logins")

var tickets = tables.Sessions.LiveAnd(bigtable.ColumnFilter("jwt"), bigtable.StripValueFilter())

// A Session is somebody who is logged in.
type Session struct {
	User    string
	Ticket  []byte
	Expires time.Time

	CreatedAt time.Time
}

// Sessions keeps sessions.
type Sessions struct{ tbl *bigtable.Table }

// NewSessions returns the store of sessions.
func NewSessions(c *bigtable.Client) *Sessions {
	return &Sessions{tbl: c.Open(tables.Sessions.Name())}
}

// Issue begins a session of the usual length.
func (s *Sessions) Issue(ctx context.Context, user string, ticket []byte) error {
	mut := bigtable.NewMutation()
	if err := tables.Ticket.SetFor(mut, "jwt", ticket, 1800); err != nil { // want `age-unit: `
		return err
	}
	if err := tables.Ticket.Set(mut, tables.Issued.Column(), tables.Issued.Value()); err != nil {
		return err
	}
	if err := tables.Account.Set(mut, "login", []byte(user)); err != nil {
		return err
	}
	return s.tbl.Apply(ctx, user, mut)
}

// Remember begins a session that lasts as long as the user wants it to.
func (s *Sessions) Remember(ctx context.Context, user string, ticket []byte, life time.Duration) error {
	mut := bigtable.NewMutation()
	if err := tables.Ticket.SetFor(mut, "jwt", ticket, life); err != nil {
		return err
	}
	mut.DeleteCellsInColumn(tables.Ticket.Name(), "jwt")                                                                                          // want `delete-after-set: .*"ticket"`
	if err := tables.Ticket.Replace(mut, tables.Issued.Column(), tables.Issued.Value(), time.Duration(time.Now().Add(life).Unix())); err != nil { // want `age-unit: `
		return err
	}
	return s.tbl.Apply(ctx, user, mut)
}

// Find returns the session of a user, and false where there is none.
func (s *Sessions) Find(ctx context.Context, user string) (Session, bool, error) {
	row, err := s.tbl.ReadRow(ctx, user, tables.Clicks.Live()) // want `hides-other-families: .*"ticket"`
	if err != nil {
		return Session{}, false, err
	}
	found := Session{User: user}
	for _, item := range row[tables.Ticket.Name()] {
		if item.Column == tables.Ticket.Name()+":jwt" {
			found.Ticket, found.Expires = item.Value, tables.Ticket.Expiry(item)
			break
		}
	}
	for _, item := range row[tables.Ticket.Name()] {
		found.CreatedAt = tables.Ticket.Expiry(item) // want `not-write-time: .*"ticket"`
	}
	return found, found.Ticket != nil, nil
}

// End ends a session.
func (s *Sessions) End(ctx context.Context, user string) error {
	mut := bigtable.NewMutation()
	if err := tables.Ticket.SetUntil(mut, "jwt", nil, time.Now()); err != nil { // want `write-time: .*"ticket"`
		return err
	}
	return s.tbl.Apply(ctx, user, mut)
}

// Failed counts a failed login.
func (s *Sessions) Failed(ctx context.Context, user string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(tables.Ticket.Name(), "failures", 1) // want `read-modify-write: .*"ticket"`
	_, err := s.tbl.ApplyReadModifyWrite(ctx, user, rmw)
	return err
}

// Ban counts failed logins until a day that somebody chose.
func (s *Sessions) Ban(ctx context.Context, user string) error {
	mut := bigtable.NewMutation()
	for range 5 {
		if err := tables.Failures.AddUntil(mut, 1, time.Now().Add(-time.Hour)); err != nil { // want `already-expired: .*"ticket"`
			return err
		}
	}
	return s.tbl.Apply(ctx, user, mut)
}

// Check returns [ErrLocked] after five failed logins.
func (s *Sessions) Check(ctx context.Context, user string) error {
	row, err := s.tbl.ReadRow(ctx, user, tables.Sessions.Live(), bigtable.RowFilter(tables.Failures.Filter())) // want `overridden-filter: `
	if err != nil {
		return err
	}
	n, err := tables.Failures.Sum(row)
	if err == nil && n >= 5 {
		err = fmt.Errorf("%s: %w", user, ErrLocked)
	}
	return err
}

// Users lists who is logged in.
func (s *Sessions) Users(ctx context.Context) ([]string, error) {
	var users []string
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `stale-bound: .*"ticket"`
		if len(row[tables.Ticket.Name()]) > 0 {
			users = append(users, row.Key())
		}
		return true
	}, tickets, bigtable.LimitRows(1000))
	return users, err
}
