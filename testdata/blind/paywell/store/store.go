// Package store keeps subscriptions, sessions and what goes with them in
// Cloud Bigtable. Every store takes the smallest interface that will do and a
// clock, so that its tests need neither the network nor patience.
package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/clock"
)

// Tables.
const (
	TableSessions      = "sessions"
	TableSubscriptions = "subscriptions"
	TableIdempotency   = "idempotency"
	TableEntitlements  = "entitlements"
	TableInvoices      = "invoices"
	TableUsage         = "usage"
	TableWebhooks      = "webhooks"
	TableDunning       = "dunning"
	TableCoupons       = "coupons"
	TableReports       = "reports"
	TableAudit         = "audit"

	ledgerSuffix = "-ledger"
)

// Families.
const (
	FamTok   = "tok"
	FamProf  = "prof"
	FamState = "state"
	FamFlags = "flags"
	FamMeta  = "meta"
	FamRes   = "res"
	FamEntry = "entry"
	FamHold  = "hold"
	FamCur   = "cur"
	FamDoc   = "doc"
	FamLock  = "lock"
	FamWin   = "win"
	FamAgg   = "agg"
	FamEvt   = "evt"
	FamOTP   = "otp"
	FamDef   = "def"
)

// A reader reads rows. *bigtable.Table is one.
type reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

// An applier changes rows.
type applier interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, keys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
}

// A counter changes cells in place.
type counter interface {
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// rows is all that the stores need of a table.
type rows interface {
	reader
	applier
	counter
}

// cells is what is needed of a mutation to write into it; tests record it.
type cells interface {
	Set(family, column string, ts bigtable.Timestamp, value []byte)
	DeleteCellsInColumn(family, column string)
}

// Store has all the stores.
type Store struct {
	Sessions      *Sessions
	Subscriptions *Subscriptions
	Idempotency   *Idempotency
	Entitlements  *Entitlements
	Invoices      *Invoices
	Usage         *Usage
	Webhooks      *Webhooks
	Dunning       *Dunning
	Coupons       *Coupons
	Reports       *Reports

	client *bigtable.Client
	clk    clock.Clock
}

// Open opens all tables.
func Open(client *bigtable.Client, clk clock.Clock) *Store {
	return &Store{
		Sessions:      NewSessions(client.Open(TableSessions), clk),
		Subscriptions: NewSubscriptions(client.Open(TableSubscriptions), clk),
		Idempotency:   NewIdempotency(client.Open(TableIdempotency), clk.Now),
		Entitlements:  &Entitlements{tbl: client.Open(TableEntitlements)},
		Invoices:      NewInvoices(client.Open(TableInvoices), WithClock(clk)),
		Usage:         NewUsage(client.OpenTable(TableUsage), clk),
		Webhooks:      NewWebhooks(client.Open(TableWebhooks), clk),
		Dunning:       NewDunning(client.Open(TableDunning), clk),
		Coupons:       NewCoupons(client.Open(TableCoupons), clk),
		Reports:       NewReports(client.Open(TableReports), client.Open(TableAudit), clk),
		client:        client,
		clk:           clk,
	}
}

// Ledger opens the ledger of a tenant.
func (s *Store) Ledger(tenant string, opts ...LedgerOption) *Ledger {
	return newLedger(s.client.Open(LedgerTable(tenant)), opts...)
}

// LedgerTable is the name of a tenant's ledger.
func LedgerTable(tenant string) string { return strings.ToLower(tenant) + ledgerSuffix }

func column(item bigtable.ReadItem) string {
	_, col, _ := strings.Cut(item.Column, ":")
	return col
}

func find(row bigtable.Row, family, col string) (bigtable.ReadItem, bool) {
	for _, item := range row[family] {
		if item.Column == family+":"+col {
			return item, true
		}
	}
	return bigtable.ReadItem{}, false
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("store: %T cannot be encoded: %v", v, err))
	}
	return b
}

func decode[T any](item bigtable.ReadItem) (T, error) {
	var v T
	if err := json.Unmarshal(item.Value, &v); err != nil {
		return v, fmt.Errorf("store: %s of %s: %w", item.Column, item.Row, err)
	}
	return v, nil
}
