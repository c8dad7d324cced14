// Package accumulate looks for the newest, the oldest or the last of the cells
// of a row: the zero that the variable begins with is no value that is written.
package accumulate

import (
	"context"
	"math"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"
)

type packer struct {
	tbl *bigtable.Table
}

func open(c *bigtable.Client) *packer { return &packer{tbl: c.Open("clicks")} }

func live(family string) bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(family),
		bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), time.Time{}),
	))
}

func (p *packer) newest(ctx context.Context) error {
	return p.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		var ts bigtable.Timestamp
		var buf []byte
		for _, it := range row["event"] {
			buf = append(buf, it.Value...)
			ts = max(ts, it.Timestamp)
		}
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily("event")
		m.Set("event", "packed", ts, buf)
		return p.tbl.Apply(ctx, row.Key(), m) == nil
	}, live("event"))
}

func (p *packer) compared(ctx context.Context, key string) error {
	row, err := p.tbl.ReadRow(ctx, key, live("event"))
	if err != nil {
		return err
	}
	latest := bigtable.Timestamp(0)
	var last []byte
	for _, it := range row["event"] {
		if it.Timestamp > latest {
			latest, last = it.Timestamp, it.Value
		}
	}
	m := bigtable.NewMutation()
	m.Set("event", "last", latest, last)
	return p.tbl.Apply(ctx, key, m)
}

func newestOf(items []bigtable.ReadItem) bigtable.Timestamp {
	var ts bigtable.Timestamp
	for i := range items {
		if t := items[i].Timestamp; t > ts {
			ts = t
		}
	}
	return ts
}

func (p *packer) helped(ctx context.Context, key string) error {
	row, err := p.tbl.ReadRow(ctx, key, live("event"))
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set("event", "last", newestOf(row["event"]), nil)
	return p.tbl.Apply(ctx, key, m)
}

func (p *packer) times(ctx context.Context, key string) error {
	row, err := p.tbl.ReadRow(ctx, key, live("event"))
	if err != nil {
		return err
	}
	var end time.Time
	for _, items := range row {
		for _, it := range items {
			if t := it.Timestamp.Time(); t.After(end) {
				end = t
			}
		}
	}
	m := bigtable.NewMutation()
	m.Set("event", "last", bigtable.Time(end), nil)
	return p.tbl.Apply(ctx, key, m)
}

func (p *packer) last(ctx context.Context, key string) error {
	row, err := p.tbl.ReadRow(ctx, key, live("event"))
	if err != nil {
		return err
	}
	var ts bigtable.Timestamp
	for _, it := range row["event"] {
		ts = it.Timestamp
	}
	m := bigtable.NewMutation()
	m.Set("event", "last", ts, nil)
	return p.tbl.Apply(ctx, key, m)
}

func (p *packer) scanned(ctx context.Context) error {
	var newest bigtable.Timestamp
	err := p.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["event"] {
			newest = max(newest, it.Timestamp)
		}
		return true
	}, live("event"))
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set("event", "newest", newest, nil)
	return p.tbl.Apply(ctx, "meta", m)
}

type stats struct {
	first, last bigtable.Timestamp
	n           int
}

func (s *stats) add(it bigtable.ReadItem) {
	if s.n == 0 || it.Timestamp < s.first {
		s.first = it.Timestamp
	}
	s.last = max(s.last, it.Timestamp)
	s.n++
}

func (p *packer) inFields(ctx context.Context, key string) error {
	row, err := p.tbl.ReadRow(ctx, key, live("event"))
	if err != nil {
		return err
	}
	var s stats
	for _, it := range row["event"] {
		s.add(it)
	}
	m := bigtable.NewMutation()
	m.Set("event", "first", s.first, nil)
	m.Set("event", "last", s.last, nil)
	return p.tbl.Apply(ctx, key, m)
}

func (p *packer) fieldHere(ctx context.Context, key string) error {
	row, err := p.tbl.ReadRow(ctx, key, live("event"))
	if err != nil {
		return err
	}
	s := stats{}
	for _, it := range row["event"] {
		s.last = max(s.last, it.Timestamp)
	}
	m := bigtable.NewMutation()
	m.Set("event", "last", s.last, nil)
	return p.tbl.Apply(ctx, key, m)
}

func (p *packer) deadlines(ctx context.Context, key string, parts []time.Duration) error {
	var total time.Duration
	for _, d := range parts {
		total += d
	}
	m := bigtable.NewMutation()
	m.Set("event", "sum", bigtable.Time(time.Now().Add(total-720*time.Hour)), nil)
	return p.tbl.Apply(ctx, key, m)
}

func (p *packer) sorted(ctx context.Context, key string, ends []time.Time) error {
	m := bigtable.NewMutation()
	m.Set("event", "max", bigtable.Time(slices.MaxFunc(ends, time.Time.Compare)), nil)
	return p.tbl.Apply(ctx, key, m)
}

// What a search begins with is written when there is something to begin with.
func (p *packer) floor(ctx context.Context, c *bigtable.Client, key string, ends []bigtable.Timestamp) error {
	end := bigtable.Now()
	for _, e := range ends {
		if e > end {
			end = e
		}
	}
	m := bigtable.NewMutation()
	m.Set("ticket", "t", end, nil) // want `write to one-second-expiration family "ticket" of table "tickets" uses the current time`
	return c.Open("tickets").Apply(ctx, key, m)
}

// A zero that nothing counts up is one.
func (p *packer) never(ctx context.Context, key string, n int) error {
	var ts bigtable.Timestamp
	if n > 3 {
		ts = bigtable.Now()
	}
	for range n {
		m := bigtable.NewMutation()
		m.Set("event", "x", ts, nil)
		if err := p.tbl.Apply(ctx, key, m); err != nil {
			return err
		}
	}
	m := bigtable.NewMutation()
	m.Set("event", "y", 0, nil) // want `uses the timestamp 0`
	return p.tbl.Apply(ctx, key, m)
}

func (p *packer) oldest(ctx context.Context, key string) error {
	row, err := p.tbl.ReadRow(ctx, key, live("event"))
	if err != nil {
		return err
	}
	oldest, least := bigtable.Timestamp(math.MaxInt64), bigtable.Timestamp(-1)
	for _, it := range row["event"] {
		if it.Timestamp < oldest {
			oldest = it.Timestamp
		}
		if least < 0 || it.Timestamp < least {
			least = it.Timestamp
		}
	}
	m := bigtable.NewMutation()
	m.Set("event", "first", oldest, nil)
	m.Set("event", "least", least, nil)
	return p.tbl.Apply(ctx, key, m)
}

func (p *packer) scannedFromZero(ctx context.Context) error {
	newest := bigtable.Timestamp(0)
	err := p.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["event"] {
			if it.Timestamp > newest {
				newest = it.Timestamp
			}
		}
		return true
	}, live("event"))
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set("event", "newest", newest, nil)
	return p.tbl.Apply(ctx, "meta", m)
}

// A retry sets what it began with: the first turn writes it.
func (p *packer) retried(ctx context.Context, key string) error {
	ts := bigtable.Timestamp(0)
	var err error
	for range 3 {
		m := bigtable.NewMutation()
		m.Set("event", "x", ts, nil) // want `uses the timestamp 0`
		if err = p.tbl.Apply(ctx, key, m); err == nil {
			return nil
		}
		ts = bigtable.Now()
	}
	return err
}
