package btstore

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
)

// Table is the handle of one table.
type Table struct {
	name  string
	api   bigtable.TableAPI
	clock Clock
	retry RetryPolicy
	log   *slog.Logger
}

// Wrap makes a handle of a client's table, or of a fake.
func Wrap(name string, api bigtable.TableAPI) *Table {
	return &Table{name: name, api: api, clock: time.Now, retry: DefaultRetry, log: slog.Default()}
}

// Name is the table's name.
func (t *Table) Name() string { return t.name }

// Raw is the client's own handle.
func (t *Table) Raw() bigtable.TableAPI { return t.api }

// Now reads the table's clock.
func (t *Table) Now() time.Time { return t.clock() }

// Get reads one row.
func (t *Table) Get(ctx context.Context, key string, opts ...ReadOpt) (bigtable.Row, error) {
	cfg := newReadConfig(opts)
	var row bigtable.Row
	err := Retry(ctx, t.retry, func(ctx context.Context) error {
		var err error
		row, err = t.api.ReadRow(ctx, key, cfg.options()...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: get %q: %w", t.name, key, err)
	}
	return row, nil
}

// ReadRow reads one row with the client's own options.
func (t *Table) ReadRow(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return RetryValue(ctx, t.retry, func(ctx context.Context) (bigtable.Row, error) {
		return t.api.ReadRow(ctx, key, opts...)
	})
}

// Scan reads a range of rows until fn returns false.
func (t *Table) Scan(ctx context.Context, rows bigtable.RowSet, fn func(bigtable.Row) bool, opts ...ReadOpt) error {
	if err := t.api.ReadRows(ctx, rows, fn, newReadConfig(opts).options()...); err != nil {
		return fmt.Errorf("%s: scan: %w", t.name, err)
	}
	return nil
}

// Prefix scans the rows whose keys begin with prefix.
func (t *Table) Prefix(ctx context.Context, prefix string, fn func(bigtable.Row) bool, opts ...ReadOpt) error {
	return t.Scan(ctx, bigtable.PrefixRange(prefix), fn, opts...)
}

// Keys lists the keys that begin with prefix.
func (t *Table) Keys(ctx context.Context, prefix string) ([]string, error) {
	var keys []string
	err := t.api.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, r.Key())
		return true
	}, bigtable.RowFilter(KeysOnly()))
	return keys, err
}

// Exists tells whether a row has any cell.
func (t *Table) Exists(ctx context.Context, key string) (bool, error) {
	row, err := t.api.ReadRow(ctx, key, bigtable.RowFilter(KeysOnly())) // want ttlread/missing-filter[existsLogin] ttlread/missing-filter[existsStock]
	if err != nil {
		return false, fmt.Errorf("%s: exists %q: %w", t.name, key, err)
	}
	return len(row) > 0, nil
}

// Apply applies a mutation.
func (t *Table) Apply(ctx context.Context, key string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	start := time.Now()
	err := Retry(ctx, t.retry, func(ctx context.Context) error { return t.api.Apply(ctx, key, m, opts...) })
	if d := time.Since(start); d > time.Second { // ok ttlage/not-write-time
		t.log.Warn("slow apply", "key", key, "took", d)
	}
	if err != nil {
		return fmt.Errorf("%s: apply %q: %w", t.name, key, err)
	}
	return nil
}

// Modify applies a read-modify-write.
func (t *Table) Modify(ctx context.Context, key string, m *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	return t.api.ApplyReadModifyWrite(ctx, key, m)
}

// Bump adds delta to a counter and returns what it is now.
func (t *Table) Bump(ctx context.Context, key, family, column string, delta int64) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, column, delta)
	row, err := t.api.ApplyReadModifyWrite(ctx, key, rmw)
	if err != nil {
		return 0, fmt.Errorf("%s: bump %q: %w", t.name, key, err)
	}
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return Int64.Decode(it.Value)
		}
	}
	return 0, fmt.Errorf("%s: bump %q: no cell came back", t.name, key)
}

// Delete deletes a row.
func (t *Table) Delete(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.DeleteRow()
	return t.Apply(ctx, key, m)
}

// If applies then when cond matches a cell of the row, and otherwise els.
func (t *Table) If(ctx context.Context, key string, cond bigtable.Filter, then, els *bigtable.Mutation) (bool, error) {
	var matched bool
	err := t.api.Apply(ctx, key, bigtable.NewCondMutation(cond, then, els), bigtable.GetCondMutationResult(&matched))
	return matched, err
}
