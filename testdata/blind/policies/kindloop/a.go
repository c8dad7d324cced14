package kindloop

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Kind struct {
	Table, Family string
	Strategy      int
	TTL           time.Duration
}

func (k Kind) stamp(now time.Time, n int64) bigtable.Timestamp {
	switch k.Strategy {
	case 1:
		return bigtable.Time(now.Add(k.TTL))
	case 2:
		return bigtable.Timestamp(n * 1000)
	}
	return bigtable.Time(now)
}

func put(ctx context.Context, c *bigtable.Client, k Kind, n int64) error {
	m := bigtable.NewMutation()
	m.Set(k.Family, "v", k.stamp(time.Now(), n), nil)
	return c.Open(k.Table).Apply(ctx, "k", m)
}

func Save(ctx context.Context, c *bigtable.Client, n int64) error {
	for _, k := range []Kind{
		{Table: "cache", Family: "val", Strategy: 1, TTL: time.Minute},
		{Table: "history", Family: "val", Strategy: 2},
		{Table: "audit", Family: "val", Strategy: 3},
	} {
		if err := put(ctx, c, k, n); err != nil { // silent
			return err
		}
	}
	return nil
}

func Save2(ctx context.Context, c *bigtable.Client, n int64) error {
	for _, k := range []Kind{
		{Table: "sessions", Family: "tok", Strategy: 1, TTL: time.Minute},
		{Table: "audit", Family: "other", Strategy: 3},
	} {
		if err := put(ctx, c, k, n); err != nil {
			return err
		}
	}
	return nil
}
