// Package store is put together by functional options, in the several styles
// that code has for them. Options meet where a constructor is called.
package store

import (
	"context"
	"errors"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Store writes with its settings.
type Store struct {
	tbl    *bigtable.Table
	family string
	ts     bigtable.Timestamp
}

// An Option changes a setting.
type Option func(*Store)

// WithFamily sets the family.
func WithFamily(family string) Option { return func(s *Store) { s.family = family } }

// WithTimestamp sets the timestamp.
func WithTimestamp(ts bigtable.Timestamp) Option { return func(s *Store) { s.ts = ts } }

// WithTTL sets the timestamp to an expiry.
func WithTTL(ttl time.Duration) Option {
	return func(s *Store) { s.ts = bigtable.Time(time.Now().Add(ttl)) }
}

// Sessions is an option by itself.
func Sessions(s *Store) { s.family = "token" }

// New opens a store.
func New(client *bigtable.Client, table string, opts ...Option) *Store {
	s := &Store{tbl: client.Open(table), family: "profile", ts: bigtable.ServerTime}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Put writes.
func (s *Store) Put(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set(s.family, "value", s.ts, nil)
	return s.tbl.Apply(ctx, key, mut)
}

func okDefaults(ctx context.Context, c *bigtable.Client) error {
	return New(c, "sessions").Put(ctx, "k")
}

func family(ctx context.Context, c *bigtable.Client) error {
	return New(c, "sessions", WithFamily("token")).Put(ctx, "k") // want `server-timestamp: .*"token"`
}

func declaredOption(ctx context.Context, c *bigtable.Client) error {
	return New(c, "sessions", Sessions).Put(ctx, "k") // want `server-timestamp: .*"token"`
}

func okBoth(ctx context.Context, c *bigtable.Client) error {
	return New(c, "sessions", WithFamily("token"), WithTTL(time.Hour)).Put(ctx, "k")
}

func past(ctx context.Context, c *bigtable.Client) error {
	s := New(c, "sessions", WithFamily("token"), WithTTL(-time.Hour)) // want `already-expired: .*"token"`
	return s.Put(ctx, "k")
}

func lastWins(ctx context.Context, c *bigtable.Client) error {
	if err := New(c, "sessions", WithFamily("token"), WithTTL(-time.Hour), WithTTL(time.Hour)).Put(ctx, "k"); err != nil {
		return err
	}
	return New(c, "sessions", WithFamily("token"), WithTTL(time.Hour), WithTimestamp(bigtable.Now())).Put(ctx, "k") // want `write-time: .*"token"`
}

func appended(ctx context.Context, c *bigtable.Client) error {
	opts := []Option{WithFamily("token")}
	if os.Getenv("EXPIRE") != "" {
		opts = append(opts, WithTTL(time.Hour))
	}
	return New(c, "sessions", opts...).Put(ctx, "k") // want `server-timestamp: .*"token"`
}

func okAppended(ctx context.Context, c *bigtable.Client, long bool) error {
	opts := []Option{WithFamily("token"), WithTTL(time.Hour)}
	if long {
		opts = append(opts, WithTTL(24*time.Hour))
	}
	return New(c, "sessions", opts...).Put(ctx, "k")
}

// Open passes options on.
func Open(c *bigtable.Client, opts ...Option) *Store {
	return New(c, "sessions", append([]Option{WithFamily("token")}, opts...)...)
}

func okOpen(ctx context.Context, c *bigtable.Client) error {
	return Open(c, WithTTL(time.Hour)).Put(ctx, "k")
}

func open(ctx context.Context, c *bigtable.Client) error {
	return Open(c).Put(ctx, "k") // want `server-timestamp: .*"token"`
}

// A configuration by value, with defaults, and options that may fail.

type config struct {
	family string
	ttl    time.Duration
}

// A Setting changes the configuration.
type Setting func(*config) error

var errEmpty = errors.New("empty")

// Family sets the family.
func Family(name string) Setting {
	return func(c *config) error {
		if name == "" {
			return errEmpty
		}
		c.family = name
		return nil
	}
}

// TTL sets the lifetime.
func TTL(d time.Duration) Setting {
	return func(c *config) error {
		c.ttl = d
		return nil
	}
}

func defaults() config { return config{family: "token", ttl: time.Hour} }

// A Cache writes with its configuration.
type Cache struct {
	tbl *bigtable.Table
	cfg config
}

// NewCache opens a cache.
func NewCache(tbl *bigtable.Table, settings ...Setting) (*Cache, error) {
	cfg := defaults()
	for _, set := range settings {
		if err := set(&cfg); err != nil {
			return nil, err
		}
	}
	return &Cache{tbl: tbl, cfg: cfg}, nil
}

// Put writes.
func (c *Cache) Put(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set(c.cfg.family, "value", bigtable.Time(time.Now().Add(c.cfg.ttl)), nil)
	return c.tbl.Apply(ctx, key, mut)
}

func okCache(ctx context.Context, tbl *bigtable.Table) error {
	c, err := NewCache(tbl)
	if err != nil {
		return err
	}
	return c.Put(ctx, "k")
}

func noLifetime(ctx context.Context, tbl *bigtable.Table) error {
	c, err := NewCache(tbl, TTL(0)) // want `write-time: .*"token"`
	if err != nil {
		return err
	}
	return c.Put(ctx, "k")
}

func inSequence(ctx context.Context, tbl *bigtable.Table) error {
	c, err := NewCache(tbl, TTL(time.Minute), Family("entry")) // want `clock-in-sequence: .*"entry"`
	if err != nil {
		return err
	}
	return c.Put(ctx, "k")
}

func okNotExpiring(ctx context.Context, tbl *bigtable.Table) error {
	c, err := NewCache(tbl, TTL(0), Family("profile"))
	if err != nil {
		return err
	}
	return c.Put(ctx, "k")
}

// Defaults that are filled in after the options.

type filled struct {
	family string
	ts     bigtable.Timestamp
}

func newFilled(opts ...func(*filled)) *filled {
	f := &filled{}
	for i := range opts {
		opts[i](f)
	}
	if f.family == "" {
		f.family = "token"
	}
	return f
}

func (f *filled) put(mut *bigtable.Mutation) { mut.Set(f.family, "value", f.ts, nil) }

func okFilled(mut *bigtable.Mutation) {
	newFilled(func(f *filled) { f.family = "profile" }).put(mut)
	newFilled(func(f *filled) { f.ts = bigtable.Time(time.Now().Add(time.Hour)) }).put(mut)
}

func zeroFilled(mut *bigtable.Mutation) {
	newFilled().put(mut) // want `already-expired: .*"token"`
}

// Options that are values with a method.

type settings struct {
	family string
	ts     bigtable.Timestamp
}

// A Choice is an option.
type Choice interface{ apply(*settings) }

type familyChoice string

func (f familyChoice) apply(s *settings) { s.family = string(f) }

type choiceFunc func(*settings)

func (f choiceFunc) apply(s *settings) { f(s) }

type expiryChoice struct{ ttl time.Duration }

func (e expiryChoice) apply(s *settings) { s.ts = bigtable.Time(time.Now().Add(e.ttl)) }

// ChooseFamily sets the family.
func ChooseFamily(name string) Choice { return familyChoice(name) }

// ChooseNow sets the timestamp.
func ChooseNow() Choice {
	return choiceFunc(func(s *settings) { s.ts = bigtable.Now() })
}

// ChooseTTL sets the timestamp to an expiry.
func ChooseTTL(ttl time.Duration) Choice { return expiryChoice{ttl} }

// A Log writes with settings.
type Log struct {
	family string
	ts     bigtable.Timestamp
}

// NewLog makes a log.
func NewLog(choices ...Choice) *Log {
	s := settings{family: "token"}
	for _, c := range choices {
		c.apply(&s)
	}
	return &Log{family: s.family, ts: s.ts}
}

// Put writes.
func (l *Log) Put(mut *bigtable.Mutation) { mut.Set(l.family, "value", l.ts, nil) }

func okChosen(mut *bigtable.Mutation) {
	NewLog(ChooseTTL(time.Hour)).Put(mut)
	NewLog(ChooseNow(), ChooseFamily("profile")).Put(mut)
}

func chosen(mut *bigtable.Mutation) {
	NewLog(ChooseNow()).Put(mut)                                 // want `write-time: .*"token"`
	NewLog(ChooseTTL(time.Hour), ChooseFamily("entry")).Put(mut) // want `clock-in-sequence: .*"entry"`
}

// Options that do more than set a field.

func both(opts ...Option) Option {
	return func(s *Store) {
		for _, o := range opts {
			o(s)
		}
	}
}

func okComposed(ctx context.Context, c *bigtable.Client) error {
	return New(c, "sessions", WithFamily("token"), both(WithTTL(time.Hour))).Put(ctx, "k")
}

func sometimes(on bool) Option {
	return func(s *Store) {
		if on {
			s.ts = bigtable.Time(time.Now().Add(time.Hour))
		}
	}
}

func okSometimes(ctx context.Context, c *bigtable.Client) error {
	return New(c, "sessions", WithFamily("token"), sometimes(true)).Put(ctx, "k")
}
