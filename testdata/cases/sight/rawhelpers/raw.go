// Package raw puts raw messages together from helpers.
package raw

import (
	"context"
	"time"

	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
)

const instance = "projects/p/instances/i"

func tableName(table string) string { return instance + "/tables/" + table }

func setCell(family, column string, ts int64, v []byte) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
		FamilyName: family, ColumnQualifier: []byte(column), TimestampMicros: ts, Value: v,
	}}}
}

func save(ctx context.Context, c btpb.BigtableClient, key string, v []byte) error {
	_, err := c.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: tableName("sessions"),
		RowKey:    []byte(key),
		Mutations: []*btpb.Mutation{
			setCell("token", "jwt", -1, v), // want `server-timestamp: .*"token"`
			setCell("token", "ok", time.Now().Add(time.Hour).UnixMicro(), v),
			setCell("profile", "name", time.Now().UnixMicro(), v),
		},
	})
	return err
}

func wrap(m *btpb.Mutation_SetCell) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: m}}
}

func saveWrapped(ctx context.Context, c btpb.BigtableClient, key string, v []byte) error {
	_, err := c.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: tableName("cache"),
		RowKey:    []byte(key),
		Mutations: []*btpb.Mutation{
			wrap(&btpb.Mutation_SetCell{FamilyName: "val", TimestampMicros: time.Now().UnixMicro(), Value: v}), // want `write-time: .*"val" of table "cache"`
		},
	})
	return err
}

func request(table, key string, f *btpb.RowFilter) *btpb.ReadRowsRequest {
	return &btpb.ReadRowsRequest{
		TableName: tableName(table),
		Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte(key)}},
		Filter:    f,
	}
}

func read(ctx context.Context, c btpb.BigtableClient, key string) (btpb.Bigtable_ReadRowsClient, error) {
	return c.ReadRows(ctx, request("otp", key, nil)) // want `missing-filter: .*"code"`
}

func latest() *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_CellsPerColumnLimitFilter{CellsPerColumnLimitFilter: 1}}
}

func readLatest(ctx context.Context, c btpb.BigtableClient, key string) (btpb.Bigtable_ReadRowsClient, error) {
	return c.ReadRows(ctx, request("otp", key, latest())) // want `missing-filter: .*"code"`
}

func readMetrics(ctx context.Context, c btpb.BigtableClient, key string) (btpb.Bigtable_ReadRowsClient, error) {
	return c.ReadRows(ctx, request("metrics", key, latest()))
}

func readUnknown(ctx context.Context, c btpb.BigtableClient, table, key string) (btpb.Bigtable_ReadRowsClient, error) {
	return c.ReadRows(ctx, request(table, key, latest()))
}

// The same helper for two tables of one family name.
func saveBoth(ctx context.Context, c btpb.BigtableClient, key string, v []byte) error {
	if _, err := c.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: tableName("history"), RowKey: []byte(key),
		Mutations: []*btpb.Mutation{setCell("val", "n", 7000, v)},
	}); err != nil {
		return err
	}
	_, err := c.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: tableName("cache"), RowKey: []byte(key),
		Mutations: []*btpb.Mutation{setCell("val", "v", time.Now().Add(time.Hour).UnixMicro(), v)},
	})
	return err
}

type store struct{ c btpb.BigtableClient }

func (s *store) plain(ctx context.Context) (btpb.Bigtable_ReadRowsClient, error) {
	return s.c.ReadRows(ctx, &btpb.ReadRowsRequest{TableName: "projects/p/instances/i/tables/otp"}) // want `missing-filter: .*"code"`
}
