package dal

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/api/option"
)

// Config is what the services' configuration has for Bigtable.
type Config struct {
	Project    string
	Instance   string
	AppProfile string
	Retries    int
	Backoff    time.Duration
}

// Client opens tables.
type Client struct {
	bt    *bigtable.Client
	cfg   Config
	log   Logger
	meter Meter
	clock Clock
}

// Option changes a Client.
type Option func(*Client)

// WithMeter sends latencies to m.
func WithMeter(m Meter) Option { return func(c *Client) { c.meter = m } }

// WithLogger replaces slog.
func WithLogger(l Logger) Option { return func(c *Client) { c.log = l } }

// WithClock replaces the system's clock.
func WithClock(k Clock) Option { return func(c *Client) { c.clock = k } }

// Dial connects to the instance.
func Dial(ctx context.Context, cfg Config, opts []Option, copts ...option.ClientOption) (*Client, error) {
	bt, err := bigtable.NewClientWithConfig(ctx, cfg.Project, cfg.Instance, bigtable.ClientConfig{AppProfile: cfg.AppProfile}, copts...)
	if err != nil {
		return nil, fmt.Errorf("dial %s/%s: %w", cfg.Project, cfg.Instance, err)
	}
	c := &Client{bt: bt, cfg: cfg, log: slog.Default(), clock: SystemClock{}}
	for _, o := range opts {
		o(c)
	}
	return c, nil
}

// Close closes the connection.
func (c *Client) Close() error { return c.bt.Close() }

// Clock returns the clock that the client was made with.
func (c *Client) Clock() Clock { return c.clock }

// Raw is for statements and for the operators' tools.
func (c *Client) Raw() *bigtable.Client { return c.bt }

func (c *Client) open(name string) Table {
	t := Decorate(c.bt.Open(name), Retrying(max(c.cfg.Retries, 1), c.cfg.Backoff), Logged(name, c.log))
	if c.meter != nil {
		t = Decorate(t, Metered(name, c.meter, c.clock))
	}
	return t
}

// Holds opens the table of seat holds.
func (c *Client) Holds() Table { return c.open(TableHolds) }

// OTP opens the table of one-time codes.
func (c *Client) OTP() Table { return c.open(TableOTP) }

// Positions opens the table of vehicle positions.
func (c *Client) Positions() Table { return c.open(TablePositions) }

// Commands opens the table of commands to vehicles.
func (c *Client) Commands() Table { return c.open(TableCommands) }

// Trips opens the table of trips.
func (c *Client) Trips() Table { return c.open(TableTrips) }

// Tariffs opens the table of tariffs.
func (c *Client) Tariffs() Table { return c.open(TableTariffs) }

// Quotes opens the table of price quotes.
func (c *Client) Quotes() Table { return c.open(TableQuotes) }

// Scratch opens the table that everybody may use for a day.
func (c *Client) Scratch() Table { return c.open(TableScratch) }

// Journal opens the journal of a depot.
func (c *Client) Journal(depot string) Table { return c.open(JournalTable(depot)) }
