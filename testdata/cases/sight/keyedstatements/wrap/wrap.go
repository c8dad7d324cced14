// Package wrap wraps wrappers of reads.
package wrap

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Live are the arguments of a table that keep out what has expired.
func Live() string { return "(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())" }

// Of is the predicate of a key.
func Of(key string) string { return " WHERE _key = '" + key + "'" }

// Alive says of cells whether they live.
func Alive(now time.Time) func(bigtable.ReadItem) bool {
	return func(it bigtable.ReadItem) bool { return it.Timestamp.Time().After(now) }
}

// Filled says of cells whether they have a value.
func Filled(it bigtable.ReadItem) bool { return len(it.Value) > 0 }

func read(ctx context.Context, t *bigtable.Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return t.ReadRow(ctx, key, opts...)
}

// Latest reads the latest cells.
func Latest(ctx context.Context, t *bigtable.Table, key string) (bigtable.Row, error) {
	return read(ctx, t, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

// One is Latest.
func One(ctx context.Context, t *bigtable.Table, key string) (bigtable.Row, error) {
	return Latest(ctx, t, key)
}

// Prepare prepares a statement.
func Prepare(ctx context.Context, c *bigtable.Client, text string, types map[string]bigtable.SQLType, opts ...bigtable.PrepareOption) (*bigtable.PreparedStatement, error) {
	return c.PrepareStatement(ctx, text, types, opts...)
}
