// Package lazy makes its client when it is first asked for.
package lazy

import (
	"context"
	"sync"
	"sync/atomic"

	"cloud.google.com/go/bigtable"
)

var (
	mu     sync.Mutex
	locked *bigtable.Client

	once   sync.Once
	made   *bigtable.Client
	failed error

	shared atomic.Pointer[bigtable.Client]
)

func client(ctx context.Context, project string) (*bigtable.Client, error) {
	mu.Lock()
	defer mu.Unlock()
	if locked == nil {
		c, err := bigtable.NewClient(ctx, project, "i")
		if err != nil {
			return nil, err
		}
		locked = c
	}
	return locked, nil
}

func onceClient(ctx context.Context, project string) (*bigtable.Client, error) {
	once.Do(func() { made, failed = bigtable.NewClient(ctx, project, "i") })
	return made, failed
}

func table(ctx context.Context, name string) (*bigtable.Table, error) {
	c, err := client(ctx, "p")
	if err != nil {
		return nil, err
	}
	return c.Open(name), nil
}

func Share(c *bigtable.Client) { shared.Store(c) }

func Put(ctx context.Context, name, key, family string) error {
	t, err := table(ctx, name)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return t.Apply(ctx, key, m)
}

func PutOnce(ctx context.Context, name, key, family string) error {
	c, err := onceClient(ctx, "p")
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return c.Open(name).Apply(ctx, key, m)
}

func PutShared(ctx context.Context, name, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return shared.Load().Open(name).Apply(ctx, key, m)
}
