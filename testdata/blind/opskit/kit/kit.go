// Package kit is what the ops commands share: flags, clients, retries, counters. Keep it small.
package kit

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand"
	"net/http"
	"os"
	"os/signal"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"cloud.google.com/go/bigtable"
)

// Tables.
const (
	TablePayments = "payments"
	TableSessions = "sessions"
	TableCards    = "cards"
	TableRates    = "rates"
	TableWebhooks = "webhooks"
	TableDisputes = "disputes"
	TableVelocity = "velocity"
	TableArchive  = "payments_archive"
)

// Families.
const (
	FamHold     = "hold"
	FamIdem     = "idem"
	FamDetail   = "detail"
	FamToken    = "token"
	FamProfile  = "profile"
	FamOTP      = "otp"
	FamVault    = "vault"
	FamAudit    = "audit"
	FamQuote    = "quote"
	FamCurve    = "curve"
	FamDelivery = "delivery"
	FamAttempt  = "attempt"
	FamTarget   = "target"
	FamEntry    = "entry"
	FamBalance  = "balance"
	FamMeta     = "meta"
	FamNote     = "note"
	FamWindow   = "window"
	FamCap      = "cap"
)

// Lifetimes, as the product people decided them.
const (
	HoldTTL   = 15 * time.Minute
	IdemTTL   = 24 * time.Hour
	TokenTTL  = 30 * time.Minute
	OTPTTL    = 5 * time.Minute
	QuoteTTL  = 6 * time.Hour
	DeliverBy = 72 * time.Hour
	WindowTTL = time.Hour
)

// Common are the flags every command has.
type Common struct {
	Project  string
	Instance string
	Region   string
	DryRun   bool
	Verbose  bool
	Timeout  time.Duration
}

// Flags registers the common flags on fs.
func Flags(fs *flag.FlagSet) *Common {
	c := &Common{}
	fs.StringVar(&c.Project, "project", env("OPS_PROJECT", "acme-dev"), "cloud project")
	fs.StringVar(&c.Instance, "instance", env("OPS_INSTANCE", "core"), "bigtable instance")
	fs.StringVar(&c.Region, "region", env("OPS_REGION", "eu"), "eu, us or ap: picks the ledger")
	fs.BoolVar(&c.DryRun, "n", false, "change nothing")
	fs.BoolVar(&c.Verbose, "v", false, "debug log")
	fs.DurationVar(&c.Timeout, "timeout", 30*time.Minute, "give up after")
	return c
}

func env(name, def string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return def
}

// Env is a command's way to Bigtable.
type Env struct {
	Client *bigtable.Client
	Admin  *bigtable.AdminClient

	Payments *bigtable.Table
	Sessions *bigtable.Table
	Cards    *bigtable.Table
	Rates    *bigtable.Table
	Webhooks *bigtable.Table
	Disputes *bigtable.Table
	Velocity *bigtable.Table
	Archive  *bigtable.Table
	Ledger   *bigtable.Table // one per region

	Log    *slog.Logger
	DryRun bool
}

// Dial connects. It does not touch the tables.
func Dial(ctx context.Context, c *Common) (*Env, error) {
	level := slog.LevelInfo
	if c.Verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	cl, err := bigtable.NewClient(ctx, c.Project, c.Instance)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	ac, err := bigtable.NewAdminClient(ctx, c.Project, c.Instance)
	if err != nil {
		cl.Close()
		return nil, fmt.Errorf("admin client: %w", err)
	}
	e := &Env{Client: cl, Admin: ac, Log: log, DryRun: c.DryRun}
	e.Payments = cl.Open(TablePayments)
	e.Sessions = cl.Open(TableSessions)
	e.Cards = cl.Open(TableCards)
	e.Rates = cl.Open(TableRates)
	e.Webhooks = cl.Open(TableWebhooks)
	e.Disputes = cl.Open(TableDisputes)
	e.Velocity = cl.Open(TableVelocity)
	e.Archive = cl.Open(TableArchive)
	e.Ledger = cl.Open(c.Region + "-ledger")
	return e, nil
}

// Close closes both clients.
func (e *Env) Close() {
	if e.Client != nil {
		e.Client.Close()
	}
	if e.Admin != nil {
		e.Admin.Close()
	}
}

// Main runs f with a context that ends on SIGINT, SIGTERM or the timeout.
func Main(name string, f func(ctx context.Context, e *Env, args []string) error, setup func(fs *flag.FlagSet)) {
	fs := flag.NewFlagSet(name, flag.ExitOnError)
	c := Flags(fs)
	if setup != nil {
		setup(fs)
	}
	_ = fs.Parse(os.Args[1:])
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	e, err := Dial(ctx, c)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(2)
	}
	defer e.Close()
	if err := f(ctx, e, fs.Args()); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
	Counters.Dump(os.Stderr)
}

// Usage is what a command returns when its arguments are wrong.
func Usage(format string, args ...any) error {
	return fmt.Errorf("usage: "+format, args...)
}

// ErrGiveUp wraps the last error of Retry.
var ErrGiveUp = errors.New("gave up")

// Retry calls f until it works, n times at most.
func Retry(ctx context.Context, n int, f func() error) error {
	var err error
	wait := 100 * time.Millisecond
	for i := 0; i < n; i++ {
		if err = f(); err == nil {
			return nil
		}
		Counters.Add("retries", 1)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait + time.Duration(rand.Int63n(int64(wait)))):
		}
		wait *= 2
	}
	return fmt.Errorf("%w after %d: %w", ErrGiveUp, n, err)
}

// Metrics is a poor man's registry.
type Metrics struct {
	mu sync.Mutex
	m  map[string]*atomic.Int64
}

// Counters is the one everybody uses.
var Counters = &Metrics{m: map[string]*atomic.Int64{}}

// Add adds n to a counter.
func (m *Metrics) Add(name string, n int64) {
	m.mu.Lock()
	c, ok := m.m[name]
	if !ok {
		c = new(atomic.Int64)
		m.m[name] = c
	}
	m.mu.Unlock()
	c.Add(n)
}

// Get reads one.
func (m *Metrics) Get(name string) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c, ok := m.m[name]; ok {
		return c.Load()
	}
	return 0
}

// Dump writes all of them in order.
func (m *Metrics) Dump(w interface{ Write([]byte) (int, error) }) {
	m.mu.Lock()
	names := make([]string, 0, len(m.m))
	for k := range m.m {
		names = append(names, k)
	}
	m.mu.Unlock()
	sort.Strings(names)
	for _, k := range names {
		fmt.Fprintf(w, "%s %d\n", k, m.Get(k))
	}
}

// ServeHTTP is /metrics.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	m.Dump(w)
}

// Progress logs every n calls.
type Progress struct {
	Log   *slog.Logger
	Every int
	What  string
	n     int
	start time.Time
}

// Tick counts one.
func (p *Progress) Tick() {
	if p.n == 0 {
		p.start = time.Now()
	}
	p.n++
	if p.Every > 0 && p.n%p.Every == 0 {
		rate := float64(p.n) / time.Since(p.start).Seconds()
		p.Log.Info("progress", "what", p.What, "n", p.n, "per_second", rate)
	}
}

// SplitKey cuts "merchant#id" keys.
func SplitKey(key string) (merchant, id string) {
	merchant, id, _ = strings.Cut(key, "#")
	return merchant, id
}
