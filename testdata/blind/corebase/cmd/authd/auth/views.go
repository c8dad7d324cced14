package auth

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// Views are tables for the pages that only read.
type Views struct {
	live  *btstore.View
	plain *btstore.View
	pins  liveTable
}

// NewViews makes the views of a service.
func NewViews(s *Service) *Views {
	return &Views{
		live:  s.sessions.With(btstore.Where(bigtable.FamilyFilter("device|profile"))), // want ttlread/missing-filter[viewlive]
		plain: s.sessions.With(btstore.Where(bigtable.FamilyFilter(FamProfile))),
		pins:  liveTable{s.logins},
	}
}

// liveTable is a table of which nobody sees the dead.
type liveTable struct{ *btstore.Table }

// Get hides the table's own.
func (t liveTable) Get(ctx context.Context, key string, opts ...btstore.ReadOpt) (bigtable.Row, error) {
	return t.Table.Get(ctx, key, append(opts, btstore.Where(btstore.Live(Pin, btstore.NewPlain(FamInfo, nil))))...) // ok ttlread/missing-filter
}

// Agent reads the device of a session.
func (v *Views) Agent(ctx context.Context, id string) (string, error) {
	row, err := v.live.Get(ctx, id) // want ttlread/missing-filter[viewlive]
	return string(btstore.Value(row, FamDevice, "agent")), err
}

// Created reads the profile of a session.
func (v *Views) Created(ctx context.Context, id string) (string, error) {
	row, err := v.plain.Get(ctx, id) // ok ttlread/missing-filter
	return string(btstore.Value(row, FamProfile, "created")), err
}

// Pin reads a pin.
func (v *Views) Pin(ctx context.Context, user string) (string, error) {
	row, err := v.pins.Get(ctx, user) // ok ttlread/missing-filter
	return string(btstore.Value(row, FamPin, "pin")), err
}

// PinBare goes round what hides the dead.
func (v *Views) PinBare(ctx context.Context, user string) (string, error) {
	row, err := v.pins.Table.Get(ctx, user) // want ttlread/missing-filter
	return string(btstore.Value(row, FamPin, "pin")), err
}

func pinOf(ctx context.Context, g btstore.Getter, user string) (string, error) {
	row, err := g.Get(ctx, user)
	return string(btstore.Value(row, FamPin, "pin")), err
}

// PinBy reads a pin by way of what can be read.
func (v *Views) PinBy(ctx context.Context, user string) (string, error) {
	return pinOf(ctx, v.pins, user) // ok ttlread/missing-filter
}
