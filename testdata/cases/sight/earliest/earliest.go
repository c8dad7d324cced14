// Package earliest compares cells with each other, which is no check of their
// expiry, by way of what keeps the earliest of them.
package earliest

import (
	"context"
	"slices"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/earliest/model"
)

type vector struct {
	names   []string
	validTo time.Time
	Newest  bigtable.Timestamp
}

func field(ctx context.Context, c *bigtable.Client, key string) (*vector, error) {
	row, err := c.Open("sessions").ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("token"))) // want `missing-filter`
	if err != nil {
		return nil, err
	}
	v := &vector{}
	for _, it := range row["token"] {
		v.names = append(v.names, it.Column)
		if t := it.Timestamp.Time(); v.validTo.IsZero() || t.Before(v.validTo) {
			v.validTo = t
		}
	}
	return v, nil
}

func (v *vector) merge(row bigtable.Row) {
	for _, it := range row["token"] {
		if it.Timestamp > v.Newest {
			v.Newest = it.Timestamp
		}
	}
}

func merged(ctx context.Context, c *bigtable.Client, key string) (*vector, error) {
	row, err := c.Open("sessions").ReadRow(ctx, key) // want `missing-filter`
	v := new(vector)
	v.merge(row)
	return v, err
}

func captured(ctx context.Context, c *bigtable.Client) (newest bigtable.Timestamp, err error) {
	err = c.Open("sessions").ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["token"] {
			if it.Timestamp > newest {
				newest = it.Timestamp
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter("token"))) // want `missing-filter`
	return newest, err
}

func byColumn(ctx context.Context, c *bigtable.Client, key string) map[string]bigtable.Timestamp {
	row, _ := c.Open("sessions").ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("token"))) // want `missing-filter`
	latest := map[string]bigtable.Timestamp{}
	for _, it := range row["token"] {
		if ts, ok := latest[it.Column]; !ok || it.Timestamp > ts {
			latest[it.Column] = it.Timestamp
		}
	}
	return latest
}

type entry struct {
	value string
	at    time.Time
}

func sorted(ctx context.Context, c *bigtable.Client, key string) (out []entry) {
	row, _ := c.Open("sessions").ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("token"))) // want `missing-filter`
	for _, it := range row["token"] {
		out = append(out, entry{string(it.Value), it.Timestamp.Time()})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].at.Before(out[j].at) })
	return out
}

func sortedFunc(ctx context.Context, c *bigtable.Client, key string) (out []entry) {
	row, _ := c.Open("sessions").ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("token"))) // want `missing-filter`
	for _, it := range row["token"] {
		out = append(out, entry{value: string(it.Value), at: it.Timestamp.Time()})
	}
	slices.SortFunc(out, func(a, b entry) int { return b.at.Compare(a.at) })
	return out
}

// Checked by hand.

type session struct {
	token   string
	expires time.Time
}

func (s *session) live() bool { return s.expires.After(time.Now()) }

func kept(ctx context.Context, c *bigtable.Client, key string) *session {
	row, _ := c.Open("sessions").ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("token")))
	for _, it := range row["token"] {
		if s := (&session{string(it.Value), it.Timestamp.Time()}); s.live() {
			return s
		}
	}
	return nil
}

type sweep struct{ cutoff time.Time }

func (s *sweep) run(ctx context.Context, c *bigtable.Client, key string) (live int) {
	row, _ := c.Open("sessions").ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("token")))
	for _, it := range row["token"] {
		if it.Timestamp.Time().After(s.cutoff) {
			live++
		}
	}
	return live
}

func newSweep() *sweep { return &sweep{cutoff: time.Now()} }

// Either a cell's time or the clock's.
type window struct{ from bigtable.Timestamp }

func (w *window) count(ctx context.Context, c *bigtable.Client, key string) (n int) {
	if w.from == 0 {
		w.from = bigtable.Now()
	}
	row, _ := c.Open("sessions").ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("token")))
	for _, it := range row["token"] {
		if it.Timestamp > w.from {
			n++
			w.from = it.Timestamp
		}
	}
	return n
}

// The field is of a struct of another package.
func latest(row bigtable.Row) *model.Quota {
	q := &model.Quota{}
	for _, it := range row["token"] {
		if end := it.Timestamp.Time(); end.After(q.Expires) {
			q.Expires = end
		}
	}
	return q
}

func quota(ctx context.Context, c *bigtable.Client, key string) (*model.Quota, error) {
	row, err := c.Open("sessions").ReadRow(ctx, key) // want `missing-filter`
	return latest(row), err
}

// What the field begins with is no cell's time.
func since(row bigtable.Row, now time.Time) *model.Quota {
	q := &model.Quota{Expires: now}
	for _, it := range row["token"] {
		if end := it.Timestamp.Time(); end.After(q.Expires) {
			q.Names = append(q.Names, it.Column)
		}
	}
	return q
}

func valid(ctx context.Context, c *bigtable.Client, key string) (*model.Quota, error) {
	row, err := c.Open("sessions").ReadRow(ctx, key)
	return since(row, time.Now()), err
}
