// Package given is given its client, with what else it needs.
package given

import (
	"context"
	"errors"

	"cloud.google.com/go/bigtable"
)

var (
	client  *bigtable.Client
	profile string
	suffix  string
)

// Option changes what Setup sets.
type Option func()

func WithProfile(name string) Option { return func() { profile = name } }

func Setup(c *bigtable.Client, named string, opts ...Option) {
	client, suffix = c, named
	for _, o := range opts {
		o()
	}
}

// Must does so with a client of its own.
func MustSetup(ctx context.Context, project, instance string) {
	c, err := bigtable.NewClientWithConfig(ctx, project, instance, bigtable.ClientConfig{AppProfile: profile})
	if err != nil {
		panic(err)
	}
	client = c
}

func open(name string) (*bigtable.Table, error) {
	if client == nil {
		return nil, errors.New("not set up")
	}
	return client.Open(name), nil
}

func Get(ctx context.Context, table, key, family string) (bigtable.Row, error) {
	t, err := open(table)
	if err != nil {
		return nil, err
	}
	return t.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(family)))
}

func Put(ctx context.Context, table, key, family string) error {
	t, err := open(table)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return t.Apply(ctx, key, m)
}

// PutNamed writes to a table of which Setup says how it ends.
func PutNamed(ctx context.Context, table, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return client.Open(table+suffix).Apply(ctx, key, m)
}
