package service

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/filter"
	"example.com/meridian/orderhub/internal/platform/bt"
	"example.com/meridian/orderhub/internal/timestamp"
)

// TokenInspector looks at tokens, through whatever factory it is given.
type TokenInspector struct {
	table   *bigtable.Table
	filters filter.Factory
}

// NewTokenInspector returns a TokenInspector.
func NewTokenInspector(client *bigtable.Client, f filter.Factory) *TokenInspector {
	return &TokenInspector{table: client.Open(constants.TableSessions), filters: f}
}

// Inspect returns the tokens of a session.
func (i *TokenInspector) Inspect(ctx context.Context, id string) ([]string, error) {
	row, err := i.table.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyToken), i.filters.LiveOnly())))
	if err != nil {
		return nil, err
	}
	return tokensOf(row), nil
}

// ForensicFactory is a filter.Factory that hides nothing.
type ForensicFactory struct{}

var _ filter.Factory = ForensicFactory{}

// LiveOnly implements filter.Factory.
func (ForensicFactory) LiveOnly() bigtable.Filter { return bigtable.PassAllFilter() }

// Recent implements filter.Factory.
func (ForensicFactory) Recent(time.Duration) bigtable.Filter { return bigtable.PassAllFilter() }

// Latest implements filter.Factory.
func (ForensicFactory) Latest(n int) bigtable.Filter { return bigtable.LatestNFilter(n) }

// Family implements filter.Factory.
func (ForensicFactory) Family(name string) bigtable.Filter { return bigtable.FamilyFilter(name) }

// WriteToken writes a token at a time that somebody else chooses.
func WriteToken(ctx context.Context, t bt.TableGateway, p timestamp.Policy, id string, jwt []byte) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyToken, constants.Session.JWT, p.Next(), jwt) // ok ttlwrite/server-timestamp
	return t.Apply(ctx, id, m)
}
