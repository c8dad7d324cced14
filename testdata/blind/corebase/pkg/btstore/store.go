package btstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/api/option"
)

// Clock tells the time. Services use the default; tests put their own in.
type Clock func() time.Time

// Store is a connection to one instance.
type Store struct {
	client *bigtable.Client
	admin  *bigtable.AdminClient
	log    *slog.Logger
	clock  Clock
	retry  RetryPolicy

	mu     sync.Mutex
	tables map[string]*Table
}

// Option changes a Store while it is made.
type Option func(*Store)

// WithLogger sets the logger; the default one discards nothing.
func WithLogger(l *slog.Logger) Option { return func(s *Store) { s.log = l } }

// WithClock replaces the clock.
func WithClock(c Clock) Option { return func(s *Store) { s.clock = c } }

// WithRetry replaces the retry policy of every table of the store.
func WithRetry(p RetryPolicy) Option { return func(s *Store) { s.retry = p } }

// Dial connects to an instance.
func Dial(ctx context.Context, project, instance string, copts []option.ClientOption, opts ...Option) (*Store, error) {
	if project == "" || instance == "" {
		return nil, errors.New("btstore: project and instance are required")
	}
	client, err := bigtable.NewClient(ctx, project, instance, copts...)
	if err != nil {
		return nil, fmt.Errorf("btstore: dial data: %w", err)
	}
	admin, err := bigtable.NewAdminClient(ctx, project, instance, copts...)
	if err != nil {
		_ = client.Close()
		return nil, fmt.Errorf("btstore: dial admin: %w", err)
	}
	return New(client, admin, opts...), nil
}

// New makes a store of clients that exist already.
func New(client *bigtable.Client, admin *bigtable.AdminClient, opts ...Option) *Store {
	s := &Store{
		client: client,
		admin:  admin,
		log:    slog.Default(),
		clock:  time.Now,
		retry:  DefaultRetry,
		tables: map[string]*Table{},
	}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Client is the plain client.
func (s *Store) Client() *bigtable.Client { return s.client }

// Admin is the plain admin client.
func (s *Store) Admin() *bigtable.AdminClient { return s.admin }

// Now reads the store's clock.
func (s *Store) Now() time.Time { return s.clock() }

// Table returns the handle of a table.
func (s *Store) Table(name string) *Table {
	return &Table{name: name, api: s.client.Open(name), clock: s.clock, retry: s.retry, log: s.log.With("table", name)}
}

// Close closes both clients.
func (s *Store) Close() error {
	return errors.Join(s.client.Close(), s.admin.Close())
}
