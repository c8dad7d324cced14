// Package ofrow reads rows of a table that nobody declares, by functions that
// get them from elsewhere.
package ofrow

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type token struct {
	Value     string
	UpdatedAt time.Time
}

// okUnmarshal is given rows of an archive only: their times are those of writing.
func (t *token) okUnmarshal(row bigtable.Row) {
	for _, it := range row["token"] {
		t.Value = string(it.Value)
		t.UpdatedAt = it.Timestamp.Time()
	}
}

func okOlder(row bigtable.Row) time.Duration {
	return time.Since(row["token"][0].Timestamp.Time())
}

func okThrough(row bigtable.Row) *token {
	t := new(token)
	t.okUnmarshal(row)
	return t
}

type table struct{ tbl *bigtable.Table }

func open(c *bigtable.Client) *table { return &table{c.Open("token-archive")} }

func (t *table) okGet(ctx context.Context, key string) (*token, time.Duration, error) {
	row, err := t.tbl.ReadRow(ctx, key)
	if err != nil {
		return nil, 0, err
	}
	return okThrough(row), okOlder(row), nil
}

func (t *table) okScan(ctx context.Context) (all []*token, err error) {
	err = t.tbl.ReadRows(ctx, bigtable.PrefixRange("a"), func(row bigtable.Row) bool {
		t := new(token)
		t.okUnmarshal(row)
		all = append(all, t)
		return true
	})
	return all, err
}

// unmarshal is given rows of sessions.
func (t *token) unmarshal(row bigtable.Row) {
	for _, it := range row["token"] {
		t.UpdatedAt = it.Timestamp.Time() // want `not-write-time: .*"token"`
	}
}

func live() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}

func get(ctx context.Context, c *bigtable.Client, key string) (*token, error) {
	row, err := c.Open("sessions").ReadRow(ctx, key, live())
	t := new(token)
	t.unmarshal(row)
	return t, err
}

// any is given rows by nobody in view.
func (t *token) any(row bigtable.Row) {
	for _, it := range row["token"] {
		t.UpdatedAt = it.Timestamp.Time() // want `not-write-time: .*"token"`
	}
}

// both is given rows of both.
func (t *token) both(row bigtable.Row) {
	for _, it := range row["token"] {
		t.UpdatedAt = it.Timestamp.Time() // want `not-write-time: .*"token"`
	}
}

func (t *table) getBoth(ctx context.Context, c *bigtable.Client, key string) (out [2]token, err error) {
	row, err := t.tbl.ReadRow(ctx, key)
	if err != nil {
		return out, err
	}
	out[0].both(row)
	if row, err = c.Open("sessions").ReadRow(ctx, key, live()); err != nil {
		return out, err
	}
	out[1].both(row)
	return out, nil
}
