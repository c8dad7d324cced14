// Package declaredhere declares its tables itself.
package declaredhere

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/runtime/ttl"
)

var (
	badge  = ttl.OneSecond("badge", time.Hour)
	badges = ttl.NewTable("badges", badge)
	floor  = ttl.Sequence("floor", 1)
	_      = ttl.NewTable("floors", floor)
)

type store struct{ badges, floors *bigtable.Table }

func open(c *bigtable.Client) *store {
	return &store{c.Open(badges.Name()), c.Open("floors")}
}

func (s *store) give(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("badge", "id", bigtable.ServerTime, nil) // want `server-timestamp: .*"badge"`
	return s.badges.Apply(ctx, key, mut)
}

// The runtime package is seen, and no error can be returned.
func number(mut *bigtable.Mutation, n int) {
	for i := range n {
		mut.Set("floor", "n", bigtable.Timestamp(i), nil) // want `unscaled-sequence: .*"floor"`
	}
}

func give(mut *bigtable.Mutation) {
	mut.Set("badge", "id", bigtable.Now(), nil) // want `write-time: .*"badge"`
}

func (s *store) read(ctx context.Context, key string) (bigtable.Row, error) {
	return s.badges.ReadRow(ctx, key) // want `missing-filter: .*"badge"`
}

func (s *store) readShadowed(ctx context.Context, key string) (bigtable.Row, error) {
	badges := s.badges
	return badges.ReadRow(ctx, key) // want `missing-filter: .*"badge"`
}
