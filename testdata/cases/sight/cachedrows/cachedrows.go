// Package cachedrows reads rows by way of a cache: a closure that loads, a field
// that keeps, and a helper that looks at the cells' times of either.
package cachedrows

import (
	"context"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/cachedrows/check"
)

type entry struct {
	row bigtable.Row
	at  time.Time
}

type cache struct {
	mu   sync.Mutex
	rows map[string]*entry
	load func(ctx context.Context, key string) (bigtable.Row, error)
}

func (c *cache) get(ctx context.Context, key string) (bigtable.Row, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.rows[key]; ok {
		return e.row, nil
	}
	row, err := c.load(ctx, key)
	if err != nil {
		return nil, err
	}
	c.rows[key] = &entry{row: row, at: time.Now()}
	return row, nil
}

type store struct {
	cache *cache
	tbl   *bigtable.Table
}

func newStore(c *bigtable.Client) *store {
	tbl := c.Open("sessions")
	return &store{tbl: tbl, cache: &cache{rows: map[string]*entry{}, load: func(ctx context.Context, key string) (bigtable.Row, error) {
		return tbl.ReadRow(ctx, key)
	}}}
}

func live(row bigtable.Row) (string, bool) {
	now := bigtable.Time(time.Now())
	for _, it := range row["token"] {
		if it.Timestamp >= now {
			return string(it.Value), true
		}
	}
	return "", false
}

func (s *store) okToken(ctx context.Context, key string) (string, error) {
	row, err := s.cache.get(ctx, key)
	if err != nil {
		return "", err
	}
	v, _ := live(row)
	return v, nil
}

func (s *store) okOther(ctx context.Context, key string) (n int, err error) {
	row, err := s.cache.get(ctx, key)
	if err != nil {
		return 0, err
	}
	return len(check.Live(row, "token")), nil
}

// The last row is kept in a field.
type kept struct {
	tbl  *bigtable.Table
	last bigtable.Row
}

func newKept(c *bigtable.Client) *kept { return &kept{tbl: c.Open("sessions")} }

func (k *kept) okRefresh(ctx context.Context, key string) (string, error) {
	row, err := k.tbl.ReadRow(ctx, key)
	if err != nil {
		return "", err
	}
	k.last = row
	v, _ := live(row)
	return v, nil
}

func (k *kept) current() string {
	v, _ := live(k.last)
	return v
}

// Where nothing looks at the times, what the closure reads is wrong.
type unchecked struct {
	rows map[string]bigtable.Row
	load func(ctx context.Context, key string) (bigtable.Row, error)
}

func newUnchecked(c *bigtable.Client) *unchecked {
	tbl := c.Open("sessions")
	return &unchecked{rows: map[string]bigtable.Row{}, load: func(ctx context.Context, key string) (bigtable.Row, error) {
		return tbl.ReadRow(ctx, key) // want `missing-filter: .*"token"`
	}}
}

func (u *unchecked) token(ctx context.Context, key string) (string, error) {
	row, ok := u.rows[key]
	if !ok {
		var err error
		if row, err = u.load(ctx, key); err != nil {
			return "", err
		}
		u.rows[key] = row
	}
	for _, it := range row["token"] {
		return string(it.Value), nil
	}
	return "", nil
}
