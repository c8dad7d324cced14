// Package app wires the services together. The providers are written in the
// manner of wire; the injectors at the end are what it would generate.
package app

import (
	"context"
	"io"
	"log/slog"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/analytics"
	"github.com/northgate/identity/internal/cache"
	"github.com/northgate/identity/internal/entitle"
	"github.com/northgate/identity/internal/grants"
	"github.com/northgate/identity/internal/journal"
	"github.com/northgate/identity/internal/lease"
	"github.com/northgate/identity/internal/notify"
	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/prefs"
	"github.com/northgate/identity/internal/presence"
	"github.com/northgate/identity/internal/quota"
	"github.com/northgate/identity/internal/schema"
	"github.com/northgate/identity/internal/server"
	"github.com/northgate/identity/internal/session"
	"github.com/northgate/identity/internal/tokens"
	"github.com/northgate/identity/internal/webauthn"
	"github.com/northgate/identity/internal/worker"
)

// Config is what a process is started with.
type Config struct {
	Project, Instance string
	Slow              time.Duration
	Node              string
	ExportDir         string
}

// ProvideClient connects to Bigtable.
func ProvideClient(ctx context.Context, cfg Config) (*bigtable.Client, func(), error) {
	c, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return nil, nil, err
	}
	return c, func() { _ = c.Close() }, nil
}

// ProvideLogger makes the logger.
func ProvideLogger() *slog.Logger { return slog.New(slog.NewJSONHandler(os.Stderr, nil)) }

// ProvideClock is the system's clock.
func ProvideClock() bt.Clock { return bt.System }

// tables opens tables with the middleware of the process.
type tables struct {
	client *bigtable.Client
	mw     []bt.Middleware
}

// ProvideTables makes the opener of tables.
func ProvideTables(c *bigtable.Client, cfg Config, log *slog.Logger) *tables {
	return &tables{client: c, mw: []bt.Middleware{bt.Logged(log, cfg.Slow)}}
}

func (t *tables) open(id schema.TableID) bt.Table { return bt.Open(t.client, id, t.mw...) }

// ProvideTokens makes the token store.
func ProvideTokens(t *tables, now bt.Clock, log *slog.Logger) *tokens.Store {
	return tokens.NewStore(t.open(schema.Tokens), tokens.WithClock(now), tokens.WithLogger(log)) // maybe ttlread/* ttlwrite/*
}

// ProvideGrants makes the grant repository.
func ProvideGrants(t *tables, seq grants.Sequencer, log *slog.Logger) *grants.Repo {
	return grants.NewRepo(t.open(schema.Grants), seq, log) // want ttlage/not-write-time[age] // maybe ttlread/* ttlwrite/*
}

// ProvideSequencer makes the source of revisions.
func ProvideSequencer(t *tables) grants.Sequencer {
	return &counter{repo: bt.NewRepository[uint64](t.open(schema.Grants), schema.FamMeta, "counter")} // ok ttlwrite/clock-in-sequence
}

// counter is a sequencer on a cell of an ordinary family.
type counter struct {
	repo *bt.Repository[uint64]
}

// Next implements grants.Sequencer.
func (c *counter) Next(ctx context.Context, key string) (grants.Revision, error) {
	n, err := c.repo.Get(ctx, key)
	if err != nil && err != bt.ErrNotFound {
		return 0, err
	}
	n++
	return grants.Revision(n), c.repo.Put(ctx, key, n)
}

// Policies keeps entitlement policies beside the grants.
type Policies struct {
	current *bt.Repository[Policy]
	drafts  *bt.Repository[Policy]
	cached  *bt.Repository[Policy]
	shared  *bt.Repository[Policy]
}

// Policy is an entitlement policy.
type Policy struct {
	Name    string          `json:"name"`
	Rules   []string        `json:"rules"`
	Version grants.Revision `json:"version"`
	Until   time.Time       `json:"until"`
}

// ProvidePolicies makes the policies.
func ProvidePolicies(t *tables) *Policies {
	g, tok := t.open(schema.Grants), t.open(schema.Tokens)
	numbered := bt.Stamped(func(p Policy) bigtable.Timestamp { return p.Version.Timestamp() })
	return &Policies{
		current: bt.NewRepository(g, schema.FamGrant, "policy", numbered),                                                                                // ok ttlwrite/clock-in-sequence
		drafts:  bt.NewRepository[Policy](g, schema.FamGrant, "draft"),                                                                                   // want ttlwrite/clock-in-sequence
		cached:  bt.NewRepository(tok, string(schema.Access), "policy", bt.Stamped(func(p Policy) bigtable.Timestamp { return bigtable.Time(p.Until) })), // want ttlread/missing-filter
		shared: bt.NewRepository(tok, string(schema.Access), "shared", // ok ttlwrite/write-time
			bt.Stamped(func(Policy) bigtable.Timestamp { return bt.ExpireIn(10 * time.Minute) }), // ok ttlwrite/write-time
			bt.Filtered[Policy](bt.Live)), // ok ttlread/missing-filter
	}
}

// Current reads a policy.
func (p *Policies) Current(ctx context.Context, name string) (Policy, error) {
	return p.current.Get(ctx, name) // ok ttlread/version-limit
}

// Draft stores a draft.
func (p *Policies) Draft(ctx context.Context, pol Policy) error {
	return p.drafts.Put(ctx, pol.Name, pol) // maybe ttlwrite/clock-in-sequence
}

// Cached reads a policy of the cache.
func (p *Policies) Cached(ctx context.Context, name string) (Policy, error) {
	if v, err := p.shared.Get(ctx, name); err == nil { // ok ttlread/missing-filter
		return v, nil
	}
	return p.cached.Get(ctx, name) // maybe ttlread/missing-filter
}

// Publish stores a policy.
func (p *Policies) Publish(ctx context.Context, pol Policy) error {
	if err := p.current.Put(ctx, pol.Name, pol); err != nil { // ok ttlwrite/clock-in-sequence
		return err
	}
	if err := p.cached.Put(ctx, pol.Name, pol); err != nil { // ok ttlwrite/write-time
		return err
	}
	return p.shared.Put(ctx, pol.Name, pol) // ok ttlwrite/write-time
}

// ProvidePolicyCache puts a cache before the policies.
func ProvidePolicyCache(t *tables, p *Policies) *cache.Cache[string, Policy] {
	return cache.New(t.open(schema.Tokens), cache.SourceFunc[string, Policy](p.Current),
		cache.TTL(time.Minute), cache.Column("policy"), cache.Clock(bt.System)) // ok ttlwrite/write-time
}

// Services is everything that a process may need.
type Services struct {
	Tokens    *tokens.Store
	Grants    *grants.Repo
	Policies  *Policies
	Quota     *quota.Meter
	Prefs     *prefs.Service
	Presence  *presence.Tracker
	Sessions  *session.Manager
	WebAuthn  *webauthn.Keeper
	Analytics *analytics.Sink
	Leases    *lease.Manager
	Users     *journal.Journal
	Entitle   *entitle.Keeper
	Notify    *notify.Center
	Cached    *cache.Cache[string, Policy]
	Outbox    *journal.Outbox
	Log       *slog.Logger
}

// InjectServices makes all services.
func InjectServices(ctx context.Context, cfg Config) (*Services, func(), error) {
	client, cleanup, err := ProvideClient(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	log := ProvideLogger()
	clock := ProvideClock()
	t := ProvideTables(client, cfg, log)
	users := journal.Open(client, "user", log, journal.SnapshotEvery(50))
	policies := ProvidePolicies(t)
	return &Services{
		Tokens:    ProvideTokens(t, clock, log),
		Grants:    ProvideGrants(t, ProvideSequencer(t), log),
		Policies:  policies,
		Quota:     quota.NewMeter(t.open(schema.Quotas)),
		Prefs:     prefs.New(t.open(schema.Prefs), clock),                                                                                                                  // maybe ttlread/* ttlwrite/*
		Presence:  presence.NewTracker(t.open(schema.Presence), log, presence.WithClock(clock)),                                                                            // maybe ttlread/* ttlwrite/*
		Sessions:  session.New(session.Deps{Tokens: t.open(schema.Tokens), Presence: t.open(schema.Presence), Prefs: t.open(schema.Prefs), Grants: t.open(schema.Grants)}), // maybe ttlread/* ttlwrite/*
		WebAuthn:  webauthn.NewKeeper(t.open(schema.Challenges)),
		Analytics: analytics.NewSink(t.open(schema.Analytics), log),
		Leases:    lease.NewManager(t.open(schema.Leases), cfg.Node, log),
		Users:     users,
		Entitle:   entitle.Provide(client),
		Notify:    notify.New(client),
		Cached:    ProvidePolicyCache(t, policies),
		Outbox:    journal.NewOutbox(users),
		Log:       log,
	}, cleanup, nil
}

// InjectAPI makes the handlers.
func InjectAPI(ctx context.Context, cfg Config, signer server.Signer) (*server.API, func(), error) {
	s, cleanup, err := InjectServices(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	client, cleanup2, err := ProvideClient(ctx, cfg)
	if err != nil {
		cleanup()
		return nil, nil, err
	}
	ic := server.Chain(server.Recover(s.Log), server.Logging(s.Log), server.Timeout(5*time.Second), server.Errors())
	api := server.NewAPI(ic, server.NewTokens(s.Tokens, s.Quota, signer, bt.System), server.NewGrants(s.Grants, bt.System), server.NewAdmin(client))
	return api, func() { cleanup2(); cleanup() }, nil
}

// InjectWorkers makes the background processes.
func InjectWorkers(ctx context.Context, cfg Config) (*worker.Pool, func(), error) {
	client, cleanup, err := ProvideClient(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	log := ProvideLogger()
	t := ProvideTables(client, cfg, log)
	wt := worker.Tables{
		Tokens:    t.open(schema.Tokens),
		Grants:    t.open(schema.Grants),
		Prefs:     t.open(schema.Prefs),
		Presence:  t.open(schema.Presence),
		Analytics: t.open(schema.Analytics),
		Quotas:    t.open(schema.Quotas),
		Scratch:   t.open(schema.ImportScratch),
	}
	leases := lease.NewManager(t.open(schema.Leases), cfg.Node, log)
	return worker.NewPool(leases, log,
		worker.NewSweeper(wt, log),
		worker.NewProjector(wt, log), // maybe ttlread/* ttlwrite/*
		worker.NewBackfill(wt, log),
		worker.NewExporter(wt, log, func(name string) (io.WriteCloser, error) { // maybe ttlread/* ttlwrite/*
			return os.Create(cfg.ExportDir + "/" + name)
		}),
	), cleanup, nil
}
