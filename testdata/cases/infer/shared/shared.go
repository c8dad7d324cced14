// Package shared reads and writes families whose table is not known, of which
// policies were seen in one table: the name tells the strategy where no other
// table has such a family with another policy or none.
package shared

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/infer/shared/schema"
)

// Read gets its table from somewhere.
func Read(ctx context.Context, tbl *bigtable.Table, key string) (out []byte, err error) {
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(schema.V)))
	for _, it := range row[schema.V] {
		out = append(out, it.Value...)
	}
	return out, err
}

func ReadOnce(ctx context.Context, tbl *bigtable.Table, key string) (out []byte, err error) {
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(schema.Once))) // want `missing-filter: .*"once" \(table not known\) \(inferred`
	for _, it := range row[schema.Once] {
		out = append(out, it.Value...)
	}
	return out, err
}

func ReadMark(ctx context.Context, tbl *bigtable.Table, key string) (out []byte, err error) {
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("mark")))
	for _, it := range row["mark"] {
		out = append(out, it.Value...)
	}
	return out, err
}

func Write(ctx context.Context, tbl *bigtable.Table, key string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.V, "n", bigtable.Now(), nil)
	mut.Set("mark", "n", bigtable.Now(), nil)
	mut.Set(schema.Once, "n", bigtable.Now(), nil) // want `write-time: .*"once" \(table not known\)`
	return tbl.Apply(ctx, key, mut)
}

// Where the table is known, its own policy counts.
func lease(ctx context.Context, c *bigtable.Client, key string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.V, "n", bigtable.Now(), nil) // want `write-time: .*"v" of table "leases"`
	return c.Open(schema.Leases).Apply(ctx, key, mut)
}

func count(ctx context.Context, c *bigtable.Client, key string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.V, "n", bigtable.Now(), nil)
	return c.Open(schema.Counts).Apply(ctx, key, mut)
}
