// Package variants does by other styles what other cases do.
package variants

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/variants/lib"
)

func okMetric(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Now(), nil)
	return lib.Open(c).Table("m").Apply(ctx, "k", mut)
}

func session(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Now(), nil) // want `write-time: .*"token"`
	return lib.Open(c).Table("s").Apply(ctx, "k", mut)
}

func okSources(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(lib.Chain(lib.Family("token"), lib.Live{})))
}

func okSourcesNil(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(lib.Chain(lib.Family(""), lib.Live{})))
}

type store struct {
	tbl   *bigtable.Table
	cache *lib.Cache[bigtable.Row]
}

func open(c *bigtable.Client) *store {
	s := &store{tbl: c.Open("sessions")}
	s.cache = lib.NewCache(s.row)
	return s
}

func (s *store) row(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key)
}

func alive(row bigtable.Row, family string) []byte {
	for _, it := range row[family] {
		if it.Timestamp.Time().After(time.Now()) {
			return it.Value
		}
	}
	return nil
}

func (s *store) okToken(ctx context.Context, key string) ([]byte, error) {
	row, err := s.cache.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	return alive(row, "token"), nil
}

type loose struct{ cache *lib.Cache[bigtable.Row] }

func openLoose(c *bigtable.Client) *loose {
	tbl := c.Open("sessions")
	return &loose{lib.NewCache(func(ctx context.Context, key string) (bigtable.Row, error) {
		return tbl.ReadRow(ctx, key) // want `missing-filter: .*"token"`
	})}
}

func (s *store) okLater(ctx context.Context, key string) int {
	row, _ := s.cache.Get(ctx, key)
	return len(alive(row, "token"))
}

func (l *loose) token(ctx context.Context, key string) ([]byte, error) {
	row, err := l.cache.Get(ctx, key)
	if err != nil || len(row["token"]) == 0 {
		return nil, err
	}
	return row["token"][0].Value, nil
}

// Policies are made by rows of a map of structs.
type keep struct {
	days     int
	versions int
}

var keeps = map[string]keep{"event": {days: 30}, "other": {versions: 3}}

func okPolicies(ctx context.Context, a *bigtable.AdminClient) error {
	for family, k := range keeps {
		var p bigtable.GCPolicy = bigtable.MaxVersionsPolicy(max(k.versions, 1))
		if age := bigtable.MaxAgePolicy(time.Duration(k.days) * 24 * time.Hour); k.days > 0 {
			p = age
		}
		if err := a.SetGCPolicy(ctx, "clicks", family, p); err != nil {
			return err
		}
	}
	return nil
}

// Sequence numbers that become moments in a struct's method.
type slot int64

func (s slot) start(genesis time.Time) time.Time {
	return genesis.Add(time.Duration(s) * 12 * time.Second)
}

func okSlot(ctx context.Context, c *bigtable.Client, genesis time.Time) (time.Duration, error) {
	row, err := c.Open("eth-ledger").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1)))
	for _, it := range row["entry"] {
		return time.Since(slot(it.Timestamp / 1000).start(genesis)), err
	}
	return 0, err
}

func slotAge(ctx context.Context, c *bigtable.Client) (time.Duration, error) {
	row, err := c.Open("eth-ledger").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1)))
	for _, it := range row["entry"] {
		at := it.Timestamp.Time()
		return time.Since(at), err // want `not-write-time: .*"entry"`
	}
	return 0, err
}
