package bt

import (
	"context"
	"fmt"
	"log/slog"

	"cloud.google.com/go/bigtable"
)

// Table is a table with retries and counters.
type Table struct {
	name  string
	tbl   bigtable.TableAPI
	retry Retry
	batch int
	stats *Stats
	log   *slog.Logger
}

// Name is the table's name.
func (t *Table) Name() string { return t.name }

// Raw is the client's table.
func (t *Table) Raw() bigtable.TableAPI { return t.tbl }

// Get reads one row.
func (t *Table) Get(ctx context.Context, key string, opts ...ReadOpt) (bigtable.Row, error) {
	spec := newSpec(opts)
	var row bigtable.Row
	err := t.retry.Do(ctx, t.stats, func(ctx context.Context) error {
		var err error
		row, err = t.tbl.ReadRow(ctx, key, spec.options()...) // ok ttlread/missing-filter
		return err
	})
	t.stats.Reads.Add(1)
	if err != nil {
		return nil, fmt.Errorf("get %s/%s: %w", t.name, key, err)
	}
	return row, nil
}

// Scan reads many rows.
func (t *Table) Scan(ctx context.Context, rows bigtable.RowSet, f func(bigtable.Row) bool, opts ...ReadOpt) error {
	spec := newSpec(opts)
	n := 0
	err := t.tbl.ReadRows(ctx, rows, func(r bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return f(r)
	}, spec.options()...)
	t.stats.Reads.Add(int64(n))
	if err != nil {
		t.stats.Errors.Add(1)
		return fmt.Errorf("scan %s: %w", t.name, err)
	}
	return nil
}

// Write applies one mutation.
func (t *Table) Write(ctx context.Context, key string, m *Mut) error {
	if m.n == 0 {
		return nil
	}
	err := t.retry.Do(ctx, t.stats, func(ctx context.Context) error { return t.tbl.Apply(ctx, key, m.m) })
	t.stats.Writes.Add(1)
	if err != nil {
		t.log.Warn("write failed", "table", t.name, "key", key, "err", err)
		return fmt.Errorf("write %s/%s: %w", t.name, key, err)
	}
	return nil
}

// CheckAndWrite applies yes where pred matches and no otherwise.
func (t *Table) CheckAndWrite(ctx context.Context, key string, pred bigtable.Filter, yes, no *Mut) (bool, error) {
	var y, n *bigtable.Mutation
	if yes != nil {
		y = yes.m
	}
	if no != nil {
		n = no.m
	}
	var matched bool
	cond := bigtable.NewCondMutation(pred, y, n) // ok ttlread/conditional-mutation
	if err := t.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&matched)); err != nil {
		return false, fmt.Errorf("check %s/%s: %w", t.name, key, err)
	}
	return matched, nil
}

// Incr adds to a counter.
func (t *Table) Incr(ctx context.Context, key, family, column string, delta int64) (bigtable.Row, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, column, delta) // ok ttlwrite/read-modify-write
	t.stats.Writes.Add(1)
	return t.tbl.ApplyReadModifyWrite(ctx, key, rmw)
}

// Append appends to a value.
func (t *Table) Append(ctx context.Context, key, family, column string, v []byte) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(family, column, v) // ok ttlwrite/read-modify-write
	t.stats.Writes.Add(1)
	_, err := t.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Entry is one element of a bulk write.
type Entry struct {
	Key string
	Mut *Mut
}

// WriteAll applies entries in batches.
func (t *Table) WriteAll(ctx context.Context, entries []Entry) error {
	size := t.batch
	if size <= 0 {
		size = 100
	}
	for len(entries) > 0 {
		n := min(size, len(entries))
		keys := make([]string, 0, n)
		muts := make([]*bigtable.Mutation, 0, n)
		for _, e := range entries[:n] {
			keys = append(keys, e.Key)
			muts = append(muts, e.Mut.m)
		}
		errs, err := t.tbl.ApplyBulk(ctx, keys, muts)
		if err != nil {
			return fmt.Errorf("bulk %s: %w", t.name, err)
		}
		for i, e := range errs {
			if e != nil {
				return fmt.Errorf("bulk %s/%s: %w", t.name, keys[i], e)
			}
		}
		t.stats.Writes.Add(int64(n))
		entries = entries[n:]
	}
	return nil
}
