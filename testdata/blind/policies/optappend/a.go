package optappend

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type config struct{ extra []bigtable.GCPolicy }

type Option func(*config)

func Policy(p bigtable.GCPolicy) Option { return func(c *config) { c.extra = append(c.extra, p) } }

func family(ctx context.Context, ac *bigtable.AdminClient, table, name string, opts ...Option) error {
	var c config
	for _, o := range opts {
		o(&c)
	}
	var p bigtable.GCPolicy
	switch len(c.extra) {
	case 0:
	case 1:
		p = c.extra[0]
	default:
		p = bigtable.UnionPolicy(c.extra...)
	}
	return ac.CreateColumnFamilyWithConfig(ctx, table, name, bigtable.Family{GCPolicy: p})
}

func Setup(ctx context.Context, ac *bigtable.AdminClient) error {
	return family(ctx, ac, "queue", "lease", Policy(bigtable.MaxAgePolicy(time.Second))) // silent
}
