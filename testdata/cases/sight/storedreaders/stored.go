// Package storedreaders makes objects whose methods nobody in view calls.
package storedreaders

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Writer writes one family.
type Writer struct {
	table  *bigtable.Table
	family string
	now    func() time.Time
	life   time.Duration
}

// NewTokens returns a writer of tokens.
func NewTokens(c *bigtable.Client) *Writer {
	return &Writer{table: c.Open("sessions"), family: "token", now: time.Now}
}

// NewProfiles returns a writer of profiles.
func NewProfiles(c *bigtable.Client) *Writer {
	return &Writer{table: c.Open("sessions"), family: "profile", now: time.Now}
}

// Write writes.
func (w *Writer) Write(ctx context.Context, key string, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(w.family, "v", bigtable.Time(w.now().Add(w.life)), v) // want `write-time: .*"token"`
	return w.table.Apply(ctx, key, mut)
}

// An Option configures a log.
type Option func(*Log)

// WithClock sets the clock.
func WithClock(now func() time.Time) Option { return func(l *Log) { l.now = now } }

// A Log writes tokens.
type Log struct {
	table  *bigtable.Table
	family string
	now    func() time.Time
}

// Open opens a log.
func Open(c *bigtable.Client, opts ...Option) *Log {
	l := &Log{table: c.Open("sessions"), family: "token", now: func() time.Time { return time.Now().Add(time.Hour) }}
	for _, o := range opts {
		o(l)
	}
	return l
}

// Add adds.
func (l *Log) Add(ctx context.Context, key string, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(l.family, "v", bigtable.Time(l.now()), v)
	return l.table.Apply(ctx, key, mut)
}

// main wires them.
func wire(c *bigtable.Client) *Log {
	return Open(c, WithClock(time.Now)) // want `write-time: .*"token"`
}

func okWire(c *bigtable.Client) *Log {
	return Open(c, WithClock(func() time.Time { return time.Now().Add(time.Minute) }))
}
