package kit

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"
)

// Cell is one cell that is about to be written.
type Cell struct {
	Family string
	Column string
	At     bigtable.Timestamp
	Value  []byte
}

// PutCell writes a single cell.
func PutCell(ctx context.Context, tbl Writer, key string, c Cell) error {
	m := bigtable.NewMutation()
	m.Set(c.Family, c.Column, c.At, c.Value)
	if err := tbl.Apply(ctx, key, m); err != nil {
		return fmt.Errorf("put %s:%s of %s: %w", c.Family, c.Column, key, err)
	}
	return nil
}

// ReadSpec says what ReadCell reads.
type ReadSpec struct {
	Key    string
	Family string
	Column string
}

// ReadCell reads the newest value of one column, through the given filters.
func ReadCell(ctx context.Context, tbl Reader, spec ReadSpec, filters ...bigtable.Filter) Result[[]byte] {
	all := []bigtable.Filter{bigtable.FamilyFilter(spec.Family), bigtable.ColumnFilter(spec.Column)}
	all = append(all, filters...)
	row, err := tbl.ReadRow(ctx, spec.Key, bigtable.RowFilter(bigtable.ChainFilters(all...)))
	if err != nil {
		return Failf[[]byte]("read %s:%s of %s: %w", spec.Family, spec.Column, spec.Key, err)
	}
	if b, ok := First(row, spec.Family, spec.Column); ok {
		return Ok(b)
	}
	return Fail[[]byte](ErrNotFound)
}
