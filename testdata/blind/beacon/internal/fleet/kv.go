// Package fleet runs the tenants that have their own instances: names of tables
// and families come from the fleet's configuration.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/layout"
)

// ErrMissing is returned where a key is not there.
var ErrMissing = errors.New("missing")

// KVConfig says what a KV is for.
type KVConfig struct {
	Family string
	Column string
	TTL    time.Duration
	Filter func() bigtable.Filter
}

func (c *KVConfig) defaults() {
	if c.Column == "" {
		c.Column = "v"
	}
	if c.TTL == 0 {
		c.TTL = time.Minute
	}
	if c.Filter == nil {
		c.Filter = func() bigtable.Filter { return bigtable.LatestNFilter(1) }
	}
}

// KV keeps values under keys in one column.
type KV struct {
	tbl *bigtable.Table
	cfg KVConfig
}

// NewKV returns a KV on a table.
func NewKV(tbl *bigtable.Table, cfg KVConfig) *KV {
	cfg.defaults()
	return &KV{tbl: tbl, cfg: cfg}
}

// PutTTL stores a value that expires.
func (k *KV) PutTTL(ctx context.Context, key string, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(k.cfg.Family, k.cfg.Column, bigtable.Time(time.Now().Add(k.cfg.TTL)), v) // ok ttlwrite/write-time
	return k.tbl.Apply(ctx, key, mut)
}

// Fleet is one tenant's instance.
type Fleet struct {
	client   *bigtable.Client
	prefix   string
	tenant   string
	keep     map[string]time.Duration
	leases   *KV
	tokens   *KV
	byKind   map[string]*bigtable.Table
	fallback time.Duration
}

// Open opens a tenant's instance.
func Open(c *bigtable.Client, prefix, tenant string) *Fleet {
	f := &Fleet{
		client: c,
		prefix: prefix,
		tenant: tenant,
		keep:   map[string]time.Duration{},
		leases: NewKV(c.Open(prefix+"-"+tenant+"-state"), KVConfig{Family: "lease"}),
		tokens: NewKV(c.Open(prefix+"-"+tenant+"-sessions"), KVConfig{Family: "token", Column: "jwt", TTL: 30 * time.Minute}),
		byKind: map[string]*bigtable.Table{},
	}
	for _, kind := range []string{layout.KindAudit, layout.KindMetrics, layout.KindLedger, layout.KindJournal} {
		f.byKind[kind] = c.Open(fmt.Sprintf("%s-%s-%s", prefix, tenant, kind))
	}
	return f
}

// Keep overrides how long a kind of data is kept for this tenant.
func (f *Fleet) Keep(kind string, d time.Duration) { f.keep[kind] = d }

// Hold holds a lease.
func (f *Fleet) Hold(ctx context.Context, name string) error {
	return f.leases.PutTTL(ctx, "lease#"+name, []byte(f.tenant)) // ok ttlwrite/write-time
}

// Token stores a token.
func (f *Fleet) Token(ctx context.Context, user, jwt string) error {
	return f.tokens.PutTTL(ctx, user, []byte(jwt)) // ok ttlwrite/write-time
}

func (f *Fleet) ledger() *bigtable.Table {
	return f.client.Open(fmt.Sprintf("%s-%s-ledger", f.prefix, f.tenant))
}

func (f *Fleet) journal() *bigtable.Table {
	return f.client.Open(f.prefix + "-" + f.tenant + "-journal")
}

// Book writes to the ledger and to the journal, each in its way.
func (f *Fleet) Book(ctx context.Context, account string, no int64, doc []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(layout.LedgerEntry, "doc", bigtable.Timestamp(no*1000), doc) // ok ttlwrite/unscaled-sequence
	if err := f.ledger().Apply(ctx, account, mut); err != nil {
		return err
	}
	log := bigtable.NewMutation()
	log.Set(layout.JournalEntry, "doc", bigtable.Now(), doc) // ok ttlwrite/clock-in-sequence
	return f.journal().Apply(ctx, account, log)
}

// BookNow writes to the ledger as if it were the journal.
func (f *Fleet) BookNow(ctx context.Context, account string, doc []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(layout.LedgerEntry, "doc", bigtable.Now(), doc) // want ttlwrite/clock-in-sequence
	return f.ledger().Apply(ctx, account, mut)
}

// Entry reads an account.
func (f *Fleet) Entry(ctx context.Context, account string) ([]byte, error) {
	row, err := f.ledger().ReadRow(ctx, account) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[layout.LedgerEntry] {
		return it.Value, nil
	}
	return nil, ErrMissing
}

// Change reads the journal.
func (f *Fleet) Change(ctx context.Context, account string) ([]byte, error) {
	row, err := f.journal().ReadRow(ctx, account) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[layout.JournalEntry] {
		return it.Value, nil
	}
	return nil, ErrMissing
}

// retention is what the tenant pays for, or the default.
func (f *Fleet) retention(kind string, usual time.Duration) time.Duration {
	if d, ok := f.keep[kind]; ok {
		return d
	}
	return usual
}

// Events reads a row of the audit log.
func (f *Fleet) Events(ctx context.Context, key string) (bigtable.Row, error) {
	keep := f.retention(layout.KindAudit, 90*24*time.Hour)
	return f.byKind[layout.KindAudit].ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("event"), bigtable.TimestampRangeFilter(time.Now().Add(-keep), time.Time{})))) // ok ttlread/wrong-bound
}

// Points reads a series with the default of another product.
func (f *Fleet) Points(ctx context.Context, key string) (bigtable.Row, error) {
	keep := 60 * 24 * time.Hour
	if d, ok := f.keep[layout.KindMetrics]; ok {
		keep = d
	}
	return f.byKind[layout.KindMetrics].ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("point"), bigtable.TimestampRangeFilter(time.Now().Add(-keep), time.Time{})))) // want ttlread/wrong-bound
}

// PointsAll reads a series whatever its age.
func (f *Fleet) PointsAll(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := f.byKind[layout.KindMetrics].ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("point"))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return row["point"], nil
}

// session stores a session cell; without a time it gets the usual one.
func (f *Fleet) session(ctx context.Context, user, column string, ts bigtable.Timestamp, v []byte) error {
	if ts == bigtable.ServerTime {
		ts = bigtable.Time(time.Now().Add(30 * time.Minute))
	}
	mut := bigtable.NewMutation()
	mut.Set("token", column, ts, v) // ok ttlwrite/server-timestamp
	return f.client.Open(f.prefix+"-"+f.tenant+"-sessions").Apply(ctx, user, mut)
}

// Login stores a session of the usual length.
func (f *Fleet) Login(ctx context.Context, user string, jwt []byte) error {
	if err := f.session(ctx, user, "jwt", bigtable.ServerTime, jwt); err != nil { // ok ttlwrite/server-timestamp
		return err
	}
	return f.session(ctx, user, "seen", bigtable.Now(), nil) // want ttlwrite/write-time
}

// second stores a second factor for as long as the caller says.
func (f *Fleet) second(ctx context.Context, user string, ttl time.Duration) error {
	ts := bigtable.ServerTime
	if ttl > 0 {
		ts = bigtable.Time(time.Now().Add(ttl))
	}
	mut := bigtable.NewMutation()
	mut.Set("mfa", "code", ts, nil) // ok ttlwrite/server-timestamp
	return f.client.Open(f.prefix+"-"+f.tenant+"-sessions").Apply(ctx, user, mut)
}

// Second stores a second factor for five minutes.
func (f *Fleet) Second(ctx context.Context, user string) error {
	return f.second(ctx, user, 5*time.Minute) // ok ttlwrite/server-timestamp
}

// Remember stores one for good.
func (f *Fleet) Remember(ctx context.Context, user string) error {
	return f.second(ctx, user, 0) // want ttlwrite/server-timestamp
}

// env is a setting of the environment.
func env(name, usual string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return usual
}

// Tag stores a tag in the family that the environment names.
func (f *Fleet) Tag(ctx context.Context, key, tag string) error {
	mut := bigtable.NewMutation()
	mut.Set(env("BEACON_TAG_FAMILY", "meta"), "tag", bigtable.Now(), []byte(tag)) // ok ttlwrite/clock-in-zero
	return f.client.Open(f.prefix+"-"+f.tenant+"-state").Apply(ctx, key, mut)
}

// Label stores a label of a trace.
func (f *Fleet) Label(ctx context.Context, key, label string) error {
	mut := bigtable.NewMutation()
	mut.Set("meta", "label", bigtable.Now(), []byte(label)) // want ttlwrite/clock-in-zero
	return f.client.Open(f.prefix+"-"+f.tenant+"-traces").Apply(ctx, key, mut)
}

// Scratch stores things that are nobody's business.
func (f *Fleet) Scratch(ctx context.Context, key string, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "scratch", bigtable.Now(), v)      // ok ttlwrite/write-time
	mut.Set("lease", "scratch", bigtable.ServerTime, v) // ok ttlwrite/server-timestamp
	mut.Set("entry", "scratch", bigtable.Now(), v)      // ok ttlwrite/clock-in-sequence
	return f.client.Open("fleet_scratch").Apply(ctx, key, mut)
}
