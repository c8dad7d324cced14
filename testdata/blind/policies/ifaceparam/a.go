package ifaceparam

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type family interface {
	name() string
	policy() bigtable.GCPolicy
}
type aged struct {
	n   string
	age time.Duration
}

func (a aged) name() string              { return a.n }
func (a aged) policy() bigtable.GCPolicy { return bigtable.MaxAgePolicy(a.age) }

type single struct{ n string }

func (a single) name() string              { return a.n }
func (a single) policy() bigtable.GCPolicy { return bigtable.MaxVersionsPolicy(1) }

func ensure(ctx context.Context, ac *bigtable.AdminClient, table string, f family) error {
	return ac.SetGCPolicy(ctx, table, f.name(), f.policy())
}
func F(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ensure(ctx, ac, "telemetry", single{"cur"}); err != nil {
		return err
	}
	return ensure(ctx, ac, "telemetry", aged{"cur", time.Hour}) // want `age-on-zero: .*"cur"`
}
