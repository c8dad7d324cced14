// Package bt wraps the Bigtable client for all services of the airline. It was
// written in 2019, the v1 calls at the end of the package remain for flightops.
package bt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
)

// Config is read from the environment of the pod.
type Config struct {
	Project    string
	Instance   string
	AppProfile string
	Attempts   int
	BaseDelay  time.Duration
	BatchSize  int
	Verbose    bool
}

// FromEnv fills a Config.
func FromEnv() (Config, error) {
	c := Config{
		Project:    os.Getenv("BT_PROJECT"),
		Instance:   os.Getenv("BT_INSTANCE"),
		AppProfile: os.Getenv("BT_APP_PROFILE"),
		Attempts:   4,
		BaseDelay:  25 * time.Millisecond,
		BatchSize:  500,
	}
	if c.Project == "" || c.Instance == "" {
		return c, errors.New("bt: BT_PROJECT and BT_INSTANCE are required")
	}
	if s := os.Getenv("BT_ATTEMPTS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			return c, fmt.Errorf("bt: BT_ATTEMPTS: %w", err)
		}
		c.Attempts = n
	}
	if s := os.Getenv("BT_BATCH"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n <= 0 {
			return c, fmt.Errorf("bt: BT_BATCH %q is no positive number", s)
		}
		c.BatchSize = n
	}
	c.Verbose = os.Getenv("BT_VERBOSE") == "1"
	return c, nil
}

// Stats are counters that the metrics endpoint prints.
type Stats struct {
	Reads, Writes, Retries, Errors atomic.Int64
}

// Line formats the counters.
func (s *Stats) Line() string {
	return fmt.Sprintf("reads=%d writes=%d retries=%d errors=%d", s.Reads.Load(), s.Writes.Load(), s.Retries.Load(), s.Errors.Load())
}

// Client is the shared handle.
type Client struct {
	raw   *bigtable.Client
	cfg   Config
	stats *Stats
	log   *slog.Logger
}

// Dial connects.
func Dial(ctx context.Context, cfg Config, log *slog.Logger) (*Client, error) {
	raw, err := bigtable.NewClientWithConfig(ctx, cfg.Project, cfg.Instance, bigtable.ClientConfig{AppProfile: cfg.AppProfile})
	if err != nil {
		return nil, fmt.Errorf("bt: dial: %w", err)
	}
	if log == nil {
		log = slog.Default()
	}
	return &Client{raw: raw, cfg: cfg, stats: &Stats{}, log: log}, nil
}

// Raw gives the client itself, for what the wrapper lacks.
func (c *Client) Raw() *bigtable.Client { return c.raw }

// Stats gives the counters.
func (c *Client) Stats() *Stats { return c.stats }

// Close closes the connection.
func (c *Client) Close() error { return c.raw.Close() }

// Table opens a table.
func (c *Client) Table(name string) *Table {
	return &Table{
		name:  name,
		tbl:   c.raw.Open(name),
		retry: Retry{Attempts: c.cfg.Attempts, Base: c.cfg.BaseDelay},
		batch: c.cfg.BatchSize,
		stats: c.stats,
		log:   c.log,
	}
}

// Wrap makes a Table of anything that speaks the client's interface.
func Wrap(name string, api bigtable.TableAPI) *Table {
	return &Table{name: name, tbl: api, retry: Retry{Attempts: 1}, batch: 100, stats: &Stats{}, log: slog.Default()}
}
