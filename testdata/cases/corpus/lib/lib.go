// Package lib is the other package of the shapes in which real code uses
// Bigtable: what package app takes from it.
package lib

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// Families.

// Token is a named constant.
const Token = "token"

// A Family is a typed constant.
type Family string

// Ticket is a typed constant.
const Ticket Family = "ticket"

// Families is indexed by constants.
var Families = []string{"profile", "token", "entry"}

// The places in Families.
const (
	ProfileAt = iota
	TokenAt
	EntryAt
)

// ByKind is looked up by constants.
var ByKind = map[string]string{"session": "token", "user": "profile"}

// A Column says where a value goes.
type Column struct{ Family, Name string }

// Columns is ranged over.
var Columns = []Column{{"profile", "name"}, {"token", "jwt"}}

// Quiet is ranged over.
var Quiet = []Column{{"profile", "name"}, {"profile", "mail"}}

// JWT is a struct variable.
var JWT = Column{Family: "token", Name: "jwt"}

// FamilyOf is a branch over constants.
func FamilyOf(session bool) string {
	if session {
		return "token"
	}
	return "profile"
}

// Config holds a family.
type Config struct {
	Family string
	TTL    time.Duration
	Stamp  func() bigtable.Timestamp
}

// Default is a configuration.
func Default() Config { return Config{Family: Token, TTL: time.Hour} }

// Timestamps.

// Lifetime is a constant.
const Lifetime = 30 * time.Minute

// Unset is a constant timestamp.
const Unset bigtable.Timestamp = 0

// Stamp encodes seconds.
func Stamp(seconds int64) bigtable.Timestamp { return bigtable.Timestamp(seconds * 1e6) }

// Until is an expiry.
func Until(t time.Time) bigtable.Timestamp { return bigtable.Time(t) }

// In is an expiry.
func In(d time.Duration) bigtable.Timestamp { return Until(time.Now().Add(d)) }

// Clock tells the time.
type Clock struct{ now func() time.Time }

// NewClock makes a clock.
func NewClock() *Clock { return &Clock{now: time.Now} }

// Now is the time.
func (c *Clock) Now() time.Time { return c.now() }

// Tables.

// DB opens tables.
type DB struct {
	prefix string
	client *bigtable.Client
	OTP    *bigtable.Table
	plain  *bigtable.Table
}

// Open opens the tables.
func Open(c *bigtable.Client, prefix string) *DB {
	return &DB{prefix: prefix, client: c, OTP: c.Open("otp"), plain: c.Open("plain")}
}

// Plain is an accessor.
func (db *DB) Plain() *bigtable.Table { return db.plain }

// Codes is an accessor.
func (db *DB) Codes() *bigtable.Table { return db.OTP }

// Ledger is an accessor of a table with a prefix.
func (db *DB) Ledger() *bigtable.Table { return db.client.Open(db.prefix + "-ledger") }

// Sprintf is an accessor of a table with a prefix.
func (db *DB) Sprintf(name string) *bigtable.Table {
	return db.client.Open(fmt.Sprintf("%s-%s", db.prefix, name))
}

// Global is a package variable.
var Global *bigtable.Table

// Init fills the variable.
func Init(c *bigtable.Client) { Global = c.Open("otp") }

// Mutations.

// Row returns a mutation.
func Row(family string, ts bigtable.Timestamp) (string, *bigtable.Mutation) {
	mut := bigtable.NewMutation()
	mut.Set(family, "v", ts, nil)
	return "key", mut
}

// Apply applies a mutation that it is passed.
func (db *DB) Apply(ctx context.Context, key string, mut *bigtable.Mutation) error {
	return db.OTP.Apply(ctx, key, mut)
}

// ApplyPlain applies a mutation that it is passed.
func (db *DB) ApplyPlain(ctx context.Context, key string, mut *bigtable.Mutation) error {
	return db.plain.Apply(ctx, key, mut)
}

// Filters.

// Newest limits versions.
func Newest(n int) bigtable.Filter { return bigtable.LatestNFilter(n) }

// Alive keeps what has not expired.
func Alive() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

// ReadFilter is chosen by a parameter.
func ReadFilter(expires bool) bigtable.Filter {
	if expires {
		return bigtable.ChainFilters(Alive(), Newest(1))
	}
	return Newest(1)
}

// With adds an option.
func With(opts []bigtable.ReadOption, f bigtable.Filter) []bigtable.ReadOption {
	if f != nil {
		opts = append(opts, bigtable.RowFilter(f))
	}
	return opts
}

// Get reads a row in a generic function.
func Get[T any](ctx context.Context, tbl *bigtable.Table, key string, decode func(bigtable.Row) T, opts ...bigtable.ReadOption) (T, error) {
	row, err := tbl.ReadRow(ctx, key, opts...)
	return decode(row), err
}

// Scan reads rows in a closure.
func Scan(ctx context.Context, tbl *bigtable.Table, f bigtable.Filter, each func(bigtable.Row) bool) error {
	read := func() error {
		return tbl.ReadRows(ctx, bigtable.PrefixRange("p"), func(r bigtable.Row) bool { return each(r) }, bigtable.RowFilter(f))
	}
	return read()
}

// Tokens uses a family of a row.
func Tokens(r bigtable.Row) int { return len(r["token"]) }

// Names uses a family of a row.
func Names(r bigtable.Row) int { return len(r["profile"]) }

// Live drops what has expired by hand.
func Live(items []bigtable.ReadItem, now time.Time) []bigtable.ReadItem {
	var out []bigtable.ReadItem
	for _, it := range items {
		if it.Timestamp.Time().After(now) {
			out = append(out, it)
		}
	}
	return out
}

// Policies.

// Policies is a map literal.
var Policies = map[string]bigtable.GCPolicy{
	"token": bigtable.MaxAgePolicy(time.Second),
	"entry": bigtable.MaxVersionsPolicy(3),
}

// Wrong is a map literal.
var Wrong = map[string]bigtable.GCPolicy{
	"token":   bigtable.MaxAgePolicy(time.Second),
	"profile": bigtable.MaxAgePolicy(time.Hour),
	"entry":   bigtable.MaxAgePolicy(time.Hour),
}

// A Schema is a row of a table of policies.
type Schema struct {
	Table, Family string
	Policy        bigtable.GCPolicy
}

// Schemas is a slice of structs.
var Schemas = []Schema{
	{"sessions", "token", bigtable.MaxAgeGCPolicy(time.Second)},
	{"clicks", "event", bigtable.MaxAgeGCPolicy(720 * time.Hour)},
}

// Month is a package variable.
var Month = bigtable.MaxAgePolicy(720 * time.Hour)

// Create makes a table with a family.
func Create(ctx context.Context, ac *bigtable.AdminClient, table, family string, versions int, age time.Duration) error {
	if err := ac.CreateTable(ctx, table); err != nil {
		return err
	}
	if err := ac.CreateColumnFamily(ctx, table, family); err != nil {
		return err
	}
	p := bigtable.MaxVersionsPolicy(versions)
	if age > 0 {
		return ac.SetGCPolicy(ctx, table, family, bigtable.UnionPolicy(p, bigtable.MaxAgePolicy(age)))
	}
	return ac.SetGCPolicy(ctx, table, family, p)
}
