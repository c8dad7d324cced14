// Package registry keeps its tables in maps.
package registry

import (
	"context"
	"sync"

	"cloud.google.com/go/bigtable"
)

var (
	tables = map[string]*bigtable.Table{}

	mu     sync.RWMutex
	opened = make(map[string]*bigtable.Table)
	client *bigtable.Client
)

func Init(ctx context.Context, c *bigtable.Client) {
	client = c
	tables["history"] = c.Open("history")
	tables["cache"] = c.Open("cache")
}

// open opens a table when it is first asked for.
func open(name string) *bigtable.Table {
	mu.RLock()
	t, ok := opened[name]
	mu.RUnlock()
	if ok {
		return t
	}
	mu.Lock()
	defer mu.Unlock()
	if t, ok := opened[name]; ok {
		return t
	}
	t = client.Open(name)
	opened[name] = t
	return t
}

func Put(ctx context.Context, table, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return tables[table].Apply(ctx, key, m)
}

func PutOpened(ctx context.Context, table, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return open(table).Apply(ctx, key, m)
}
