// Package getters hands out the one set of tables.
package getters

import (
	"context"
	"sync"

	"cloud.google.com/go/bigtable"
)

// Tables are those of the program.
type Tables struct {
	History, Cache *bigtable.Table
	Sessions       *bigtable.Table
}

var (
	mu       sync.Mutex
	instance *Tables
)

func newTables(c *bigtable.Client) *Tables {
	t := &Tables{}
	t.History = c.Open("history")
	t.Cache = c.Open("cache")
	t.Sessions = c.Open("sessions")
	return t
}

// Get returns them.
func Get(ctx context.Context, project string) (*Tables, error) {
	mu.Lock()
	defer mu.Unlock()
	if instance != nil {
		return instance, nil
	}
	c, err := bigtable.NewClient(ctx, project, "i")
	if err != nil {
		return nil, err
	}
	instance = newTables(c)
	return instance, nil
}

// MustGet does so or panics.
func MustGet(ctx context.Context) *Tables {
	t, err := Get(ctx, "p")
	if err != nil {
		panic(err)
	}
	return t
}

func Put(ctx context.Context, key, family string) error {
	t, err := Get(ctx, "p")
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return t.History.Apply(ctx, key, m)
}

var (
	once   sync.Once
	shared struct {
		cache *bigtable.Table
		err   error
	}
)

func cache(ctx context.Context) (*bigtable.Table, error) {
	once.Do(func() {
		c, err := bigtable.NewClient(ctx, "p", "i")
		if err != nil {
			shared.err = err
			return
		}
		shared.cache = c.Open("cache")
	})
	return shared.cache, shared.err
}

func PutCache(ctx context.Context, key, family string) error {
	t, err := cache(ctx)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return t.Apply(ctx, key, m)
}

var byValue = sync.OnceValues(func() (*Tables, error) {
	c, err := bigtable.NewClient(context.Background(), "p", "i")
	if err != nil {
		return nil, err
	}
	return newTables(c), nil
})

func PutByValue(ctx context.Context, key, family string) error {
	t, err := byValue()
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return t.Cache.Apply(ctx, key, m)
}
