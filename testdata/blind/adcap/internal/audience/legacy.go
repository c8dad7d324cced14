package audience

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/filters"
	"adcap.example/platform/internal/mutate"
	"adcap.example/platform/internal/schema"
)

// NewLegacyMembers builds the repository of the first release; it was never bounded.
func NewLegacyMembers(c *bigtable.Client) *Repository[Member] {
	return &Repository[Member]{
		tbl: c.Open(schema.TableAudience), family: schema.FamMember, decode: decodeMember,
		bound: func(now time.Time) bigtable.Filter { return filters.Live(now) }, // want ttlread/wrong-bound[legacymembers]
	}
}

// Lookup is the generic reader of 2024: the caller brings the filter.
func Lookup[T any](ctx context.Context, s *Service, key, family string, f bigtable.Filter, conv func(bigtable.ReadItem) T) ([]T, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
	if err != nil {
		return nil, err
	}
	var out []T
	for _, it := range row[family] {
		out = append(out, conv(it))
	}
	return out, nil
}

func weight(it bigtable.ReadItem) int64 { return mutate.ParseInt(it.Value) }

// MemberWeights uses Lookup with the right bound.
func (s *Service) MemberWeights(ctx context.Context, user string) ([]int64, error) {
	return Lookup(ctx, s, user, schema.FamMember, bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamMember), filters.Since(time.Now(), schema.MemberTTL)), weight) // ok ttlread/missing-filter
}

// MemberWeightsAll uses it with the family only.
func (s *Service) MemberWeightsAll(ctx context.Context, user string) ([]int64, error) {
	return Lookup(ctx, s, user, schema.FamMember, bigtable.FamilyFilter(schema.FamMember), weight) // want ttlread/missing-filter
}

// ModelWeights uses it with a version limit.
func (s *Service) ModelWeights(ctx context.Context, model string) ([]int64, error) {
	return Lookup(ctx, s, "m#"+model, schema.FamModel, filters.Versions(schema.FamModel, 1), weight) // ok ttlread/version-limit
}

// ModelWeightsAll forgets it.
func (s *Service) ModelWeightsAll(ctx context.Context, model string) ([]int64, error) {
	return Lookup(ctx, s, "m#"+model, schema.FamModel, bigtable.FamilyFilter(schema.FamModel), weight) // want ttlread/version-limit
}

// write is the one writer of the package's older half.
func (s *Service) write(ctx context.Context, key, family, column string, ts bigtable.Timestamp, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(family, column, ts, v)
	return s.tbl.Apply(ctx, key, m)
}

// Adopt writes through it.
func (s *Service) Adopt(ctx context.Context, user, segment string, run int64, v []byte) error {
	if err := s.write(ctx, user, schema.FamMember, segment, bigtable.Now(), v); err != nil { // ok ttlwrite/write-time
		return err
	}
	if err := s.write(ctx, user, schema.FamModel, segment, mutate.Seq(run), v); err != nil { // ok ttlwrite/clock-in-sequence
		return err
	}
	return s.write(ctx, user, schema.FamModel, "by", bigtable.Now(), v) // want ttlwrite/clock-in-sequence
}

// kinds pairs families with how their cells are stamped.
var kinds = []struct {
	family string
	column string
	stamp  bigtable.Timestamp
}{
	{schema.FamMember, "seed", bigtable.ServerTime}, // ok ttlwrite/server-timestamp
	{schema.FamModel, "seed", 1000},                 // ok ttlwrite/unscaled-sequence
	{schema.FamModel, "probe", 7},                   // want ttlwrite/unscaled-sequence[kinds]
}

// SeedAll writes one cell of each kind.
func (s *Service) SeedAll(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	for _, k := range kinds {
		m.Set(k.family, k.column, k.stamp, nil) // want ttlwrite/unscaled-sequence[kinds]
	}
	return s.tbl.Apply(ctx, key, m)
}

// Mirror copies a row into the scratch table, which nobody collects.
func Mirror(ctx context.Context, c *bigtable.Client, s *Service, user string) error {
	dst := c.Open(schema.TableDebug)
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamMember), filters.Since(time.Now(), schema.MemberTTL)))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for _, it := range row[schema.FamMember] {
		m.Set(schema.FamCap, it.Column, bigtable.ServerTime, it.Value) // ok ttlwrite/server-timestamp
		m.Set(schema.FamModel, it.Column, bigtable.Now(), it.Value)    // ok ttlwrite/clock-in-sequence
	}
	if err := dst.Apply(ctx, user, m); err != nil {
		return err
	}
	_, err = dst.ReadRow(ctx, user) // ok ttlread/missing-filter
	return err
}
