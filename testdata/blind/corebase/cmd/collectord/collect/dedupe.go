package collect

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// seenBefore tells whether an event came in the last day.
func (c *Collector) seenBefore(ctx context.Context, id string) (bool, error) {
	row, err := c.events.Get(ctx, "seen#"+id, btstore.Where(seen.Live())) // ok ttlread/missing-filter
	return len(row["seen"]) > 0, err
}

// seenCheap leaves the filter out because rows are small.
func (c *Collector) seenCheap(ctx context.Context, id string) (bool, error) {
	row, err := c.events.Get(ctx, "seen#"+id) // want ttlread/missing-filter
	return len(row["seen"]) > 0, err
}

// mark remembers an event.
func (c *Collector) mark(ctx context.Context, id string) error {
	return c.events.Write(ctx, "seen#"+id, btstore.Cell{Family: "seen", Column: "1", TS: btstore.Expiry(seenFor), Value: []byte{1}}) // ok ttlwrite/write-time
}

// markQuick remembers it for as long as the library thinks is right.
func (c *Collector) markQuick(ctx context.Context, id string) error {
	return c.events.Write(ctx, "seen#"+id, btstore.Cell{Family: "seen", Column: "1", Value: []byte{1}}) // want ttlwrite/server-timestamp
}

// markOnce marks and tells whether it was marked.
func (c *Collector) markOnce(ctx context.Context, id string) (bool, error) {
	m := bigtable.NewMutation()
	seen.Set(m, "1", []byte{1})
	return c.events.If(ctx, "seen#"+id, btstore.Column("seen", "1"), nil, m) // want ttlread/conditional-mutation
}

// markOnceLive looks at live marks only.
func (c *Collector) markOnceLive(ctx context.Context, id string) (bool, error) {
	m := bigtable.NewMutation()
	seen.Set(m, "1", []byte{1})
	cond := bigtable.ChainFilters(btstore.Column("seen", "1"), bigtable.TimestampRangeFilter(c.events.Now(), time.Time{}))
	return c.events.If(ctx, "seen#"+id, cond, nil, m) // ok ttlread/conditional-mutation
}

// markCount counts how often it came.
func (c *Collector) markCount(ctx context.Context, id string) (int64, error) {
	return c.events.Bump(ctx, "seen#"+id, "seen", "n", 1) // want ttlwrite/read-modify-write
}

// countEvents counts in a default-expiration family, which is allowed.
func (c *Collector) countEvents(ctx context.Context, user string) (int64, error) {
	return c.events.Bump(ctx, user, "ev", "n", 1) // ok ttlwrite/read-modify-write
}

// Dedupe is the strategy that a tenant asked for.
func (c *Collector) Dedupe(ctx context.Context, id, mode string) (bool, error) {
	switch mode {
	case "cheap":
		dup, err := c.seenCheap(ctx, id)
		if err != nil || dup {
			return dup, err
		}
		return false, c.markQuick(ctx, id)
	case "once":
		return c.markOnce(ctx, id)
	case "live":
		return c.markOnceLive(ctx, id)
	case "count":
		n, err := c.markCount(ctx, id)
		return n > 1, err
	}
	dup, err := c.seenBefore(ctx, id)
	if err != nil || dup {
		return dup, err
	}
	return false, c.mark(ctx, id)
}

// Oldest is the first event that is still remembered.
func (c *Collector) Oldest(ctx context.Context) (time.Time, error) {
	oldest := time.Now()
	err := c.events.Prefix(ctx, "seen#", func(r bigtable.Row) bool {
		for _, it := range r["seen"] {
			firstWritten := it.Timestamp.Time() // want ttlage/not-write-time
			if firstWritten.Before(oldest) {
				oldest = firstWritten
			}
		}
		return true
	}, btstore.Where(seen.Live()))
	return oldest, err
}
