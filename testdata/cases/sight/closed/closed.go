// Package closed has objects that a method closes: what another method does
// after it has asked whether the object is closed is done while it is not.
package closed

import (
	"context"
	"errors"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

type Log struct {
	tbl *bigtable.Table

	mu     sync.RWMutex
	closed bool
}

type Config struct {
	Client *bigtable.Client
	Table  string
}

func NewLog(cfg Config) (*Log, error) {
	if cfg.Client == nil {
		return nil, errors.New("no client")
	}
	name := cfg.Table
	if name == "" {
		name = "sessions"
	}
	l := &Log{tbl: cfg.Client.Open(name)}
	return l, nil
}

func (l *Log) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
}

func (l *Log) Put(ctx context.Context, key string, value []byte) {
	l.mu.RLock()
	if l.closed {
		l.mu.RUnlock()
		return
	}
	l.mu.RUnlock()
	ts := bigtable.Now()
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", ts, value) // want `write-time: .*"token"`
	_ = l.tbl.Apply(ctx, key, mut)
}

func (l *Log) okPut(ctx context.Context, key string, value []byte) {
	l.mu.RLock()
	if l.closed {
		l.mu.RUnlock()
		return
	}
	l.mu.RUnlock()
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(time.Minute)), value)
	_ = l.tbl.Apply(ctx, key, mut)
}

var errClosed = errors.New("closed")

// Sticky keeps the error that it was closed or broke with.
type Sticky struct {
	tbl *bigtable.Table
	err error
}

func NewSticky(c *bigtable.Client) *Sticky { return &Sticky{tbl: c.Open("sessions")} }

func (s *Sticky) Close() { s.err = errClosed }

func (s *Sticky) Put(ctx context.Context, key string, value []byte) error {
	if s.err != nil {
		return s.err
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", bigtable.Now(), value) // want `write-time: .*"token"`
	return s.tbl.Apply(ctx, key, mut)
}

type state int

const (
	open state = iota
	closing
	closed
)

// Staged has a state that begins at zero.
type Staged struct {
	tbl   *bigtable.Table
	state state
}

func NewStaged(c *bigtable.Client) *Staged { return &Staged{tbl: c.Open("sessions")} }

func (s *Staged) Stop()  { s.state = closing }
func (s *Staged) Close() { s.state = closed }

func (s *Staged) Put(ctx context.Context, key string, value []byte) error {
	if s.state != open {
		return errClosed
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", bigtable.Now(), value) // want `write-time: .*"token"`
	return s.tbl.Apply(ctx, key, mut)
}
