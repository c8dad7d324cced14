// Package lib has helpers of several styles.
package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Tables are tables by their roles.
type Tables struct{ byRole map[string]*bigtable.Table }

// Open opens them.
func Open(c *bigtable.Client) *Tables {
	return &Tables{byRole: map[string]*bigtable.Table{"s": c.Open("sessions"), "m": c.Open("metrics")}}
}

// Table finds one.
func (t *Tables) Table(role string) *bigtable.Table {
	for r, tbl := range t.byRole {
		if r == role {
			return tbl
		}
	}
	return nil
}

// A Source makes filters.
type Source interface{ Filter() bigtable.Filter }

// Live is one.
type Live struct{}

func (Live) Filter() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

// Family is one.
type Family string

func (f Family) Filter() bigtable.Filter {
	if f == "" {
		return nil
	}
	return bigtable.FamilyFilter(string(f))
}

// Chain chains what sources make.
func Chain(sources ...Source) bigtable.Filter {
	var fs []bigtable.Filter
	for _, s := range sources {
		f := s.Filter()
		if f == nil {
			continue
		}
		fs = append(fs, f)
	}
	if len(fs) == 1 {
		return fs[0]
	}
	return bigtable.ChainFilters(fs...)
}

// A Cache loads what it does not have.
type Cache[V any] struct {
	have map[string]V
	load func(context.Context, string) (V, error)
}

// NewCache makes one.
func NewCache[V any](load func(context.Context, string) (V, error)) *Cache[V] {
	return &Cache[V]{have: map[string]V{}, load: load}
}

// Get gets.
func (c *Cache[V]) Get(ctx context.Context, key string) (V, error) {
	if v, ok := c.have[key]; ok {
		return v, nil
	}
	v, err := c.load(ctx, key)
	if err == nil {
		c.have[key] = v
	}
	return v, err
}
