package kit

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"
)

// RepoConfig says where a repository keeps its values and how. All fields but
// Limit are required.
type RepoConfig[K comparable, V any] struct {
	// Family and Column name the cell that holds the value.
	Family, Column string
	// Key makes the row key.
	Key func(K) string
	// Codec makes the value's bytes.
	Codec Codec[V]
	// Stamp chooses the timestamp of writes.
	Stamp Stamp
	// View chooses what reads see.
	View View
	// Limit bounds List; 0 means no bound.
	Limit int64
}

// Repo keeps values of type V under keys of type K, one per row, all in one
// column.
type Repo[K comparable, V any] struct {
	tbl Table
	cfg RepoConfig[K, V]
}

// NewRepo returns a repository in tbl.
func NewRepo[K comparable, V any](tbl Table, cfg RepoConfig[K, V]) *Repo[K, V] {
	return &Repo[K, V]{tbl: tbl, cfg: cfg}
}

// Put stores v under k.
func (r *Repo[K, V]) Put(ctx context.Context, k K, v V) error {
	b, err := r.cfg.Codec.Encode(v)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(r.cfg.Family, r.cfg.Column, r.cfg.Stamp(ctx), b)
	if err := r.tbl.Apply(ctx, r.cfg.Key(k), m); err != nil {
		return fmt.Errorf("put %v: %w", k, err)
	}
	return nil
}

// Get returns what is stored under k, or ErrNotFound.
func (r *Repo[K, V]) Get(ctx context.Context, k K) (V, error) {
	var zero V
	row, err := r.tbl.ReadRow(ctx, r.cfg.Key(k), bigtable.RowFilter(r.filter(ctx)))
	if err != nil {
		return zero, fmt.Errorf("get %v: %w", k, err)
	}
	b, ok := r.value(row)
	if !ok {
		return zero, ErrNotFound
	}
	return r.cfg.Codec.Decode(b)
}

// Delete removes what is stored under k.
func (r *Repo[K, V]) Delete(ctx context.Context, k K) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(r.cfg.Family, r.cfg.Column)
	return r.tbl.Apply(ctx, r.cfg.Key(k), m)
}

// List returns the values of all rows whose keys begin with prefix. Values
// that cannot be decoded are logged and left out.
func (r *Repo[K, V]) List(ctx context.Context, prefix string) ([]V, error) {
	var out []V
	opts := []bigtable.ReadOption{bigtable.RowFilter(r.filter(ctx))}
	if r.cfg.Limit > 0 {
		opts = append(opts, bigtable.LimitRows(r.cfg.Limit))
	}
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {
		b, ok := r.value(row)
		if !ok {
			return true
		}
		v, err := r.cfg.Codec.Decode(b)
		if err != nil {
			LoggerFrom(ctx).Warn("value left out", "row", row.Key(), "err", err)
			return true
		}
		out = append(out, v)
		return true
	}, opts...)
	return out, err
}

// filter returns the view of the repository's column.
func (r *Repo[K, V]) filter(ctx context.Context) bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(r.cfg.Family),
		bigtable.ColumnFilter(r.cfg.Column),
		r.cfg.View(ctx),
	)
}

// value returns the bytes of the repository's column in row.
func (r *Repo[K, V]) value(row bigtable.Row) ([]byte, bool) {
	return First(row, r.cfg.Family, r.cfg.Column)
}

// First returns the newest value of a column in row.
func First(row bigtable.Row, family, column string) ([]byte, bool) {
	name := family + ":" + column
	for _, item := range row[family] {
		if item.Column == name {
			return item.Value, true
		}
	}
	return nil, false
}

// Batch collects mutations by row and applies them together.
type Batch struct {
	keys []string
	muts []*bigtable.Mutation
}

// Add appends a mutation of the row key.
func (b *Batch) Add(key string, m *bigtable.Mutation) {
	b.keys = append(b.keys, key)
	b.muts = append(b.muts, m)
}

// Len returns the number of rows.
func (b *Batch) Len() int { return len(b.keys) }

// BulkWriter is what Flush needs of a table.
type BulkWriter interface {
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
}

// Flush applies the batch to tbl and empties it. Failed rows are returned by
// key.
func (b *Batch) Flush(ctx context.Context, tbl BulkWriter) (map[string]error, error) {
	if b.Len() == 0 {
		return nil, nil
	}
	errs, err := tbl.ApplyBulk(ctx, b.keys, b.muts)
	if err != nil {
		return nil, fmt.Errorf("flush %d rows: %w", b.Len(), err)
	}
	failed := map[string]error{}
	for i, err := range errs {
		if err != nil {
			failed[b.keys[i]] = err
		}
	}
	b.keys, b.muts = nil, nil
	return failed, nil
}
