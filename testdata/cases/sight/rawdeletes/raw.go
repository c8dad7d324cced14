// Package rawdeletes has raw conditional mutations that only delete.
package rawdeletes

import (
	"context"

	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
)

type drop struct{ raw btpb.BigtableClient }

func matching(family string) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: family}}
}

func remove(m *btpb.Mutation_DeleteFromFamily) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_DeleteFromFamily_{DeleteFromFamily: m}}
}

// family deletes a family, dead or alive.
func (d *drop) family(ctx context.Context, table, key string) error {
	_, err := d.raw.CheckAndMutateRow(ctx, &btpb.CheckAndMutateRowRequest{
		TableName:       table,
		RowKey:          []byte(key),
		PredicateFilter: matching("token"),
		TrueMutations:   []*btpb.Mutation{remove(&btpb.Mutation_DeleteFromFamily{FamilyName: "token"})},
	})
	return err
}

// column deletes a column that its caller names.
func (d *drop) column(ctx context.Context, table, key, column string) error {
	_, err := d.raw.CheckAndMutateRow(ctx, &btpb.CheckAndMutateRowRequest{
		TableName:       table,
		RowKey:          []byte(key),
		PredicateFilter: matching("token"),
		FalseMutations: []*btpb.Mutation{{Mutation: &btpb.Mutation_DeleteFromColumn_{DeleteFromColumn: &btpb.Mutation_DeleteFromColumn{
			FamilyName: "token", ColumnQualifier: []byte(column),
		}}}},
	})
	return err
}

// row deletes all.
func (d *drop) row(ctx context.Context, table, key string) error {
	_, err := d.raw.CheckAndMutateRow(ctx, &btpb.CheckAndMutateRowRequest{
		TableName:       table,
		RowKey:          []byte(key),
		PredicateFilter: matching("token"),
		TrueMutations:   []*btpb.Mutation{{Mutation: &btpb.Mutation_DeleteFromRow_{DeleteFromRow: &btpb.Mutation_DeleteFromRow{}}}},
	})
	return err
}

// replaces deletes, and sets: that is a choice.
func (d *drop) replaces(ctx context.Context, table, key string, ts int64) error {
	_, err := d.raw.CheckAndMutateRow(ctx, &btpb.CheckAndMutateRowRequest{
		TableName:       table,
		RowKey:          []byte(key),
		PredicateFilter: matching("token"), // want `conditional-mutation: .*"token"`
		TrueMutations: []*btpb.Mutation{
			remove(&btpb.Mutation_DeleteFromFamily{FamilyName: "token"}),
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: "profile", ColumnQualifier: []byte("gone"), TimestampMicros: ts, Value: []byte("1")}}},
		},
	})
	return err
}
