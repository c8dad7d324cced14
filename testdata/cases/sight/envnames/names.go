// Package names opens tables under names that the environment tells.
package names

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/envnames/conf"
)

type store struct {
	client *bigtable.Client
	cfg    conf.Config
}

func newStore(c *bigtable.Client) *store { return &store{client: c, cfg: conf.Load()} }

func (s *store) read(ctx context.Context, key string) (bigtable.Row, error) {
	return s.client.Open(s.cfg.Sessions).ReadRow(ctx, key) // want `missing-filter: .*"token"`
}

func (s *store) readOther(ctx context.Context, key string) (bigtable.Row, error) {
	return s.client.Open(s.cfg.Other).ReadRow(ctx, key)
}

func open(c *bigtable.Client, name string) *bigtable.Table { return c.Open(name) }

func (s *store) readBy(ctx context.Context, key string) (bigtable.Row, error) {
	return open(s.client, s.cfg.Sessions).ReadRow(ctx, key) // want `missing-filter: .*"token"`
}

func cached(ctx context.Context, c *bigtable.Client, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Now(), nil) // want `write-time: .*"val"`
	return c.Open(conf.CacheName).Apply(ctx, key, mut)
}

func historic(ctx context.Context, c *bigtable.Client, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"val"`
	return c.Open(conf.HistoryName()).Apply(ctx, key, mut)
}

func ticket(ctx context.Context, c *bigtable.Client, key string) (bigtable.Row, error) {
	tbl, err := conf.Open(ctx, c)
	if err != nil {
		return nil, err
	}
	return tbl.ReadRow(ctx, key) // want `missing-filter: .*"ticket"`
}

func other(ctx context.Context, c *bigtable.Client, key string) (bigtable.Row, error) {
	tbl, err := conf.OpenOther(ctx, c)
	if err != nil {
		return nil, err
	}
	return tbl.ReadRow(ctx, key)
}

const ledgerTable = "ledger-of-somebody"

func ledger(ctx context.Context, c *bigtable.Client, key string) (bigtable.Row, error) {
	return c.Open(ledgerTable).ReadRow(ctx, key) // want `missing-filter: .*"entry"`
}
