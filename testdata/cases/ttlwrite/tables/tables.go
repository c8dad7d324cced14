// Package tables has the same family name in tables of different strategies:
// the table to which the mutation is applied decides.
package tables

import (
	"context"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

const val = "val"

func cache(ctx context.Context, client *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set(val, "x", bigtable.Now(), nil) // want `write-time: .*"val"`
	return client.Open("cache").Apply(ctx, "k", mut)
}

func okCache(ctx context.Context, client *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set(val, "x", bigtable.Time(time.Now().Add(time.Hour)), nil)
	return client.Open("cache").Apply(ctx, "k", mut)
}

func history(ctx context.Context, client *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set(val, "x", bigtable.Time(time.Now().Add(time.Hour)), nil) // want `clock-in-sequence: .*"val"`
	return client.Open("history").Apply(ctx, "k", mut)
}

func okHistory(ctx context.Context, client *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set(val, "x", 3000, nil)
	return client.Open("history").Apply(ctx, "k", mut)
}

func historyUnscaled(ctx context.Context, client *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set(val, "x", 3, nil) // want `unscaled-sequence: .*"val"`
	return client.Open("history").Apply(ctx, "k", mut)
}

func okUnknownTable(mut *bigtable.Mutation) {
	mut.Set(val, "x", bigtable.Now(), nil)
}

func okUnknownTableName(ctx context.Context, client *bigtable.Client, table string) error {
	mut := bigtable.NewMutation()
	mut.Set(val, "x", bigtable.Now(), nil)
	return client.Open(table).Apply(ctx, "k", mut)
}

// A known table that nobody registered is silent, whatever its families are
// called.
func okUnregistered(ctx context.Context, client *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "x", bigtable.Now(), nil)
	mut.Set("entry", "x", bigtable.Now(), nil)
	return client.Open("plain").Apply(ctx, "k", mut)
}

// A family that the registered table does not have.
func okOtherFamily(ctx context.Context, client *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "x", bigtable.Now(), nil)
	return client.Open("catalog").Apply(ctx, "k", mut)
}

// Patterns.

func suffix(ctx context.Context, client *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "amount", bigtable.Now(), nil) // want `clock-in-sequence: .*"entry"`
	return client.Open("bank-ledger").Apply(ctx, "k", mut)
}

func unknownPrefix(ctx context.Context, client *bigtable.Client, env string) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "amount", bigtable.Now(), nil) // want `clock-in-sequence: .*"entry"`
	return client.Open(env+"-ledger").Apply(ctx, "k", mut)
}

func okOtherSuffix(ctx context.Context, client *bigtable.Client, env string) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "amount", bigtable.Now(), nil)
	return client.Open(env+"-journal").Apply(ctx, "k", mut)
}

// A handle: the field that holds a table of dynamic name.

type Ledger struct {
	tbl *bigtable.Table
}

func NewLedger(client *bigtable.Client) *Ledger {
	return &Ledger{tbl: client.Open(os.Getenv("LEDGER_TABLE"))}
}

func (l *Ledger) put(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "amount", bigtable.Now(), nil) // want `clock-in-sequence: .*"entry"`
	return l.tbl.Apply(ctx, "k", mut)
}

// The ledger's table has no family "token": it is not the table that has.
func (l *Ledger) okOtherFamily(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "x", bigtable.Now(), nil)
	return l.tbl.Apply(ctx, "k", mut)
}

// One struct, two tables.

type store struct {
	cache, history *bigtable.Table
}

func newStore(client *bigtable.Client) *store {
	return &store{cache: client.Open("cache"), history: client.Open("history")}
}

func (s *store) both(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set(val, "x", bigtable.ServerTime, nil) // want `server-timestamp: .*"val"`
	if err := s.cache.Apply(ctx, "k", mut); err != nil {
		return err
	}
	log := bigtable.NewMutation()
	log.Set(val, "x", 5000, nil)
	return s.history.Apply(ctx, "k", log)
}

// A table by accessor, by package variable, by flag.

func (s *store) table() *bigtable.Table { return s.cache }

func (s *store) accessor(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set(val, "x", bigtable.Now(), nil) // want `write-time: .*"val"`
	return s.table().Apply(ctx, "k", mut)
}

var shared *bigtable.Table

// Connect opens the table of the package.
func Connect(client *bigtable.Client) { shared = client.Open("cache") }

func packageVariable(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set(val, "x", bigtable.Now(), nil) // want `write-time: .*"val"`
	return shared.Apply(ctx, "k", mut)
}

// Bulk.

func bulk(ctx context.Context, client *bigtable.Client, keys []string) ([]error, error) {
	var muts []*bigtable.Mutation
	for range keys {
		mut := bigtable.NewMutation()
		mut.Set(val, "x", bigtable.Now(), nil) // want `write-time: .*"val"`
		muts = append(muts, mut)
	}
	return client.Open("cache").ApplyBulk(ctx, keys, muts)
}

func okBulk(ctx context.Context, client *bigtable.Client, keys []string) ([]error, error) {
	var muts []*bigtable.Mutation
	for i := range keys {
		mut := bigtable.NewMutation()
		mut.Set(val, "x", bigtable.Timestamp(i)*1000, nil)
		muts = append(muts, mut)
	}
	return client.Open("history").ApplyBulk(ctx, keys, muts)
}
