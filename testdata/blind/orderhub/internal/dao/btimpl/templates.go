package btimpl

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/platform/bt"
	"example.com/meridian/orderhub/internal/platform/clock"
)

// cellWriter is what the template methods below are written against.
type cellWriter interface {
	family() string
	stamp() bigtable.Timestamp
}

// refreshWriter writes refresh tokens.
type refreshWriter struct{ clock clock.Clock }

func (refreshWriter) family() string { return constants.FamilyToken }

func (w refreshWriter) stamp() bigtable.Timestamp {
	return bigtable.Time(w.clock.Now().Add(constants.RefreshTTL))
}

// auditWriter writes who did what.
type auditWriter struct{}

func (auditWriter) family() string            { return constants.FamilyProfile }
func (auditWriter) stamp() bigtable.Timestamp { return bigtable.ServerTime }

// writeCell is the template method.
func writeCell(ctx context.Context, t bt.TableGateway, w cellWriter, row, column string, value []byte) error {
	m := bigtable.NewMutation()
	m.Set(w.family(), column, w.stamp(), value) // ok ttlwrite/server-timestamp
	return t.Apply(ctx, row, m)
}

// TokenKeeper writes refresh tokens and their trail.
type TokenKeeper struct {
	table bt.TableGateway
	clock clock.Clock
}

// NewTokenKeeper returns a TokenKeeper.
func NewTokenKeeper(tables bt.TableFactory, c clock.Clock) *TokenKeeper {
	return &TokenKeeper{table: tables.CreateTable(constants.TableSessions), clock: c}
}

// Keep writes a refresh token.
func (k *TokenKeeper) Keep(ctx context.Context, id string, token []byte) error {
	if err := writeCell(ctx, k.table, refreshWriter{k.clock}, id, constants.Session.Refresh, token); err != nil { // ok ttlwrite/write-time
		return err
	}
	return writeCell(ctx, k.table, auditWriter{}, id, "kept", nil) // ok ttlwrite/server-timestamp
}

// put is the static helper that everything of 2019 goes through.
func put(m *bigtable.Mutation, family, column string, ts bigtable.Timestamp, value []byte) {
	m.Set(family, column, ts, value)
}

// putNow is put at the current time.
func putNow(m *bigtable.Mutation, family, column string, value []byte) {
	put(m, family, column, bigtable.Now(), value)
}

// Enrol writes a session in the old way.
func (k *TokenKeeper) Enrol(ctx context.Context, id string, jwt []byte) error {
	m := bigtable.NewMutation()
	put(m, constants.FamilyToken, constants.Session.JWT, clock.ExpiresIn(constants.TokenTTL), jwt) // ok ttlwrite/write-time
	put(m, constants.FamilyToken, constants.Session.Csrf, bigtable.ServerTime, jwt[:8])            // want ttlwrite/server-timestamp
	putNow(m, constants.FamilyProfile, constants.Session.LoginAt, nil)                             // ok ttlwrite/write-time
	putNow(m, constants.FamilyToken, constants.Session.Nonce, jwt[8:])                             // want ttlwrite/write-time
	return k.table.Apply(ctx, id, m)
}

// mutationBuilder is a fluent interface over bigtable.Mutation.
type mutationBuilder struct {
	m      *bigtable.Mutation
	family string
	ts     bigtable.Timestamp
}

func newMutationBuilder() *mutationBuilder { return &mutationBuilder{m: bigtable.NewMutation()} }

// in chooses the family of what follows.
func (b *mutationBuilder) in(family string) *mutationBuilder { b.family = family; return b }

// at chooses the timestamp of what follows.
func (b *mutationBuilder) at(ts bigtable.Timestamp) *mutationBuilder { b.ts = ts; return b }

// set sets a column at the family and timestamp given.
func (b *mutationBuilder) set(family, column string, ts bigtable.Timestamp, value []byte) *mutationBuilder {
	b.m.Set(family, column, ts, value)
	return b
}

// column sets a column.
func (b *mutationBuilder) column(name string, value []byte) *mutationBuilder {
	b.m.Set(b.family, name, b.ts, value)
	return b
}

// EnrolFluently writes a session in the fluent way.
func (k *TokenKeeper) EnrolFluently(ctx context.Context, id string, jwt []byte) error {
	m := newMutationBuilder(). // want ttlwrite/write-time[fluent]
					set(constants.FamilyToken, constants.Session.JWT, clock.ExpiresIn(constants.TokenTTL), jwt). // ok ttlwrite/write-time
					set(constants.FamilyToken, constants.Session.Nonce, bigtable.Now(), jwt[:8]).                // want ttlwrite/write-time[fluent]
					set(constants.FamilyProfile, constants.Session.LoginAt, bigtable.Now(), nil).                // ok ttlwrite/write-time
					m
	return k.table.Apply(ctx, id, m)
}

// EnrolStateful writes the profile in the stateful way.
func (k *TokenKeeper) EnrolStateful(ctx context.Context, id, name, locale string) error {
	b := newMutationBuilder().in(constants.FamilyProfile).at(bigtable.Now())
	b.column(constants.Session.Name, []byte(name)).column(constants.Session.Locale, []byte(locale)) // ok ttlwrite/write-time
	return k.table.Apply(ctx, id, b.m)
}

// cellSpec is a row of the tables below.
type cellSpec struct {
	family, column string
	ts             bigtable.Timestamp
	value          string
}

// defaults are the cells that every order starts with.
var defaults = []cellSpec{
	{constants.FamilyState, constants.ColStatus, 0, "PLACED"},     // ok ttlwrite/clock-in-zero
	{constants.FamilyState, constants.ColReason, 0, ""},           // ok ttlwrite/clock-in-zero
	{constants.FamilyRevision, constants.ColPayload, 1000, "{}"},  // ok ttlwrite/unscaled-sequence
	{constants.FamilyRevision, constants.ColAuthor, 1, "system"},  // want ttlwrite/unscaled-sequence[defaults]
	{constants.FamilyHeader, "schema", bigtable.ServerTime, "v3"}, // ok ttlwrite/server-timestamp
}

// OrderInitializer writes the defaults.
type OrderInitializer struct {
	table bt.TableGateway
}

// NewOrderInitializer returns an OrderInitializer.
func NewOrderInitializer(tables bt.TableFactory) *OrderInitializer {
	return &OrderInitializer{table: tables.CreateTable(constants.TableOrders)}
}

// Init writes the defaults of an order.
func (i *OrderInitializer) Init(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	for _, c := range defaults {
		m.Set(c.family, c.column, c.ts, []byte(c.value)) // want ttlwrite/unscaled-sequence[defaults]
	}
	return i.table.Apply(ctx, id, m)
}

// InitWith writes cells that depend on whether stock is reserved.
func (i *OrderInitializer) InitWith(ctx context.Context, id string, reserve bool) error {
	family, ts := constants.FamilyHeader, bigtable.Now()
	if reserve {
		family, ts = constants.FamilyHold, clock.ExpiresIn(constants.HoldTTL)
	}
	m := bigtable.NewMutation()
	m.Set(family, "init", ts, nil) // ok ttlwrite/write-time
	return i.table.Apply(ctx, id, m)
}

// classify returns a family and the timestamp that goes with it.
func classify(kind string, c clock.Clock) (string, bigtable.Timestamp, error) {
	switch kind {
	case "hold":
		return constants.FamilyHold, bigtable.Time(c.Now().Add(constants.HoldTTL)), nil
	case "header":
		return constants.FamilyHeader, bigtable.Time(c.Now()), nil
	case "state":
		return constants.FamilyState, 0, nil
	}
	return "", 0, fmt.Errorf("unknown kind %q", kind)
}

// InitKind writes a cell of a kind.
func (i *OrderInitializer) InitKind(ctx context.Context, id, kind string, c clock.Clock) error {
	family, ts, err := classify(kind, c)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(family, "kind", ts, []byte(kind)) // ok ttlwrite/write-time ttlwrite/clock-in-zero
	return i.table.Apply(ctx, id, m)
}

// shutdownAt is computed once, when the package is loaded.
var shutdownAt = bigtable.Time(time.Now().Add(24 * time.Hour)) // want ttlwrite/stale-clock[shutdown]

// ReserveForDay reserves until tomorrow, or until whenever the process started plus a day.
func (i *OrderInitializer) ReserveForDay(ctx context.Context, id, sku string) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyHold, sku, shutdownAt, nil) // want ttlwrite/stale-clock[shutdown]
	return i.table.Apply(ctx, id, m)
}

// flushAt is moved forward by Advance.
var flushAt = bigtable.Time(time.Now().Add(time.Hour))

// Advance moves flushAt forward.
func Advance() { flushAt = bigtable.Time(time.Now().Add(time.Hour)) }

// ReserveForHour reserves until the next flush.
func (i *OrderInitializer) ReserveForHour(ctx context.Context, id, sku string) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyHold, sku, flushAt, nil) // ok ttlwrite/stale-clock
	return i.table.Apply(ctx, id, m)
}
