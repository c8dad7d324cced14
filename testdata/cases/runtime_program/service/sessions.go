// Package service writes and reads with the runtime package only: nothing is
// wrong with it.
package service

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

// A Session is somebody who is logged in.
type Session struct {
	User    string
	Ticket  []byte
	Issued  time.Time
	Expires time.Time
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
	if err := tables.Ticket.Set(mut, "jwt", ticket); err != nil {
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
	if err := tables.Ticket.Replace(mut, "jwt", ticket, life); err != nil {
		return err
	}
	if err := tables.Ticket.Replace(mut, tables.Issued.Column(), tables.Issued.Value(), life); err != nil {
		return err
	}
	return s.tbl.Apply(ctx, user, mut)
}

// Find returns the session of a user, and false where there is none.
func (s *Sessions) Find(ctx context.Context, user string) (Session, bool, error) {
	row, err := s.tbl.ReadRow(ctx, user, tables.Sessions.Live())
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
	found.Issued, _ = tables.Issued.Time(row)
	return found, found.Ticket != nil, nil
}

// End ends a session.
func (s *Sessions) End(ctx context.Context, user string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(tables.Ticket.Name())
	return s.tbl.Apply(ctx, user, mut)
}

// Failed counts a failed login.
func (s *Sessions) Failed(ctx context.Context, user string) error {
	mut := bigtable.NewMutation()
	if err := tables.Failures.Add(mut, 1); err != nil {
		return err
	}
	return s.tbl.Apply(ctx, user, mut)
}

// Ban counts failed logins until a day that somebody chose.
func (s *Sessions) Ban(ctx context.Context, user string, until time.Time) error {
	mut := bigtable.NewMutation()
	for range 5 {
		if err := tables.Failures.AddUntil(mut, 1, until); err != nil {
			return err
		}
	}
	return s.tbl.Apply(ctx, user, mut)
}

// Check returns [ErrLocked] after five failed logins.
func (s *Sessions) Check(ctx context.Context, user string) error {
	row, err := s.tbl.ReadRow(ctx, user, tables.Sessions.LiveAnd(tables.Failures.Filter()))
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
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		if len(row[tables.Ticket.Name()]) > 0 {
			users = append(users, row.Key())
		}
		return true
	}, tables.Sessions.LiveAnd(bigtable.ColumnFilter("jwt"), bigtable.StripValueFilter()), bigtable.LimitRows(1000))
	return users, err
}
