// Package bt wraps the Bigtable client: retries, metrics, and the short calls that everybody wants.
package bt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"telco.example/subs/internal/platform"
)

// ErrNotFound is what Get returns for a row without cells.
var ErrNotFound = errors.New("bt: no such row")

// Client opens tables.
type Client struct {
	c     *bigtable.Client
	log   *slog.Logger
	retry platform.RetryConfig
}

// Dial connects.
func Dial(ctx context.Context, cfg *platform.Config, log *slog.Logger) (*Client, error) {
	c, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return nil, fmt.Errorf("bigtable: %w", err)
	}
	return &Client{c: c, log: log, retry: cfg.Retry}, nil
}

// Raw is the client underneath, for what this package lacks.
func (c *Client) Raw() *bigtable.Client { return c.c }

// Close hangs up.
func (c *Client) Close() error { return c.c.Close() }

// Open opens a table.
func (c *Client) Open(name string) *Table {
	return &Table{raw: c.c.Open(name), name: name, log: c.log, retry: c.retry}
}

// Table is a table with retries and metrics.
type Table struct {
	raw   *bigtable.Table
	name  string
	log   *slog.Logger
	retry platform.RetryConfig
}

// Name is the table's name.
func (t *Table) Name() string { return t.name }

// Raw is the client's table.
func (t *Table) Raw() *bigtable.Table { return t.raw }

func (t *Table) do(ctx context.Context, op string, f func() error) error {
	defer platform.Observe("bt_"+op, time.Now())
	attempts := t.retry.Attempts
	if attempts < 1 {
		attempts = 1
	}
	err := platform.Retry(ctx, attempts, time.Duration(t.retry.Backoff), f)
	if err != nil {
		platform.Count("bt_" + op + "_errors")
		t.log.Error("bigtable", "op", op, "table", t.name, "err", err)
	}
	return err
}

// Get reads a row.
func (t *Table) Get(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	var row bigtable.Row
	err := t.do(ctx, "get", func() (err error) {
		row, err = t.raw.ReadRow(ctx, key, opts...)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(row) == 0 {
		return nil, ErrNotFound
	}
	return row, nil
}

// GetFiltered reads a row through all of the filters.
func (t *Table) GetFiltered(ctx context.Context, key string, filters ...bigtable.Filter) (bigtable.Row, error) {
	return t.Get(ctx, key, bigtable.RowFilter(All(filters...)))
}

// Scan reads rows.
func (t *Table) Scan(ctx context.Context, rows bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	defer platform.Observe("bt_scan", time.Now())
	return t.raw.ReadRows(ctx, rows, f, opts...)
}

// Put writes one cell.
func (t *Table) Put(ctx context.Context, key, family, column string, ts bigtable.Timestamp, value []byte) error {
	m := bigtable.NewMutation()
	m.Set(family, column, ts, value)
	return t.Mutate(ctx, key, m)
}

// PutNow writes one cell with the server's clock.
func (t *Table) PutNow(ctx context.Context, key, family, column string, value []byte) error {
	return t.Put(ctx, key, family, column, bigtable.ServerTime, value)
}

// PutFor writes one cell that lives for ttl.
func (t *Table) PutFor(ctx context.Context, key, family, column string, ttl time.Duration, value []byte) error {
	return t.Put(ctx, key, family, column, ExpiresIn(ttl), value)
}

// Mutate applies a mutation.
func (t *Table) Mutate(ctx context.Context, key string, m *bigtable.Mutation) error {
	return t.do(ctx, "apply", func() error { return t.raw.Apply(ctx, key, m) })
}

// MutateIf applies a conditional mutation and says whether its predicate matched.
func (t *Table) MutateIf(ctx context.Context, key string, m *bigtable.Mutation) (bool, error) {
	var matched bool
	err := t.raw.Apply(ctx, key, m, bigtable.GetCondMutationResult(&matched))
	return matched, err
}

// MutateMany applies many mutations.
func (t *Table) MutateMany(ctx context.Context, keys []string, muts []*bigtable.Mutation) error {
	errs, err := t.raw.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return err
	}
	return errors.Join(errs...)
}

// Incr adds delta to a counter.
func (t *Table) Incr(ctx context.Context, key, family, column string, delta int64) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, column, delta)
	row, err := t.raw.ApplyReadModifyWrite(ctx, key, rmw)
	if err != nil {
		return 0, err
	}
	return Int(Cell(row, family, column)), nil
}

// Append adds bytes to a value.
func (t *Table) Append(ctx context.Context, key, family, column string, more []byte) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(family, column, more)
	_, err := t.raw.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Cell is the first value of a column.
func Cell(row bigtable.Row, family, column string) []byte {
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return it.Value
		}
	}
	return nil
}

// Item is the first cell of a column.
func Item(row bigtable.Row, family, column string) (bigtable.ReadItem, bool) {
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// Int decodes a counter.
func Int(b []byte) int64 {
	if len(b) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}

// Bytes encodes a counter.
func Bytes(n int64) []byte {
	b := make([]byte, 8)
	binary.BigEndian.PutUint64(b, uint64(n))
	return b
}
