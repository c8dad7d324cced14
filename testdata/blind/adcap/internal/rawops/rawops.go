// Package rawops talks to the data and admin services without the client, for
// the change stream bridge.
package rawops

import (
	"context"
	"time"

	btapb "cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/protobuf/types/known/durationpb"

	"adcap.example/platform/internal/schema"
)

// Bridge holds the stubs.
type Bridge struct {
	data  btpb.BigtableClient
	admin btapb.BigtableTableAdminClient
	base  string
}

// New returns a bridge for an instance.
func New(d btpb.BigtableClient, a btapb.BigtableTableAdminClient, instance string) *Bridge {
	return &Bridge{data: d, admin: a, base: instance + "/tables/"}
}

func set(family, column string, micros int64, value []byte) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
		FamilyName: family, ColumnQualifier: []byte(column), TimestampMicros: micros, Value: value,
	}}}
}

// Cap writes a cap.
func (b *Bridge) Cap(ctx context.Context, row, campaign string) error {
	until := time.Now().Add(schema.CapWindow).UnixMilli() * 1000
	_, err := b.data.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: b.base + schema.TableFreqCap,
		RowKey:    []byte(row),
		Mutations: []*btpb.Mutation{
			set(schema.FamCap, campaign, until, []byte("1")), // ok ttlwrite/write-time
			set(schema.FamSeg, "bridge", -1, nil),            // ok ttlwrite/server-timestamp
		},
	})
	return err
}

// CapServer writes a cap with the server's time.
func (b *Bridge) CapServer(ctx context.Context, row, campaign string) error {
	_, err := b.data.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: b.base + schema.TableFreqCap,
		RowKey:    []byte(row),
		Mutations: []*btpb.Mutation{
			set(schema.FamCap, campaign, -1, []byte("1")), // want ttlwrite/server-timestamp
		},
	})
	return err
}

// CapUnset forgets the timestamp.
func (b *Bridge) CapUnset(ctx context.Context, row, campaign string) error {
	cell := &btpb.Mutation_SetCell{FamilyName: schema.FamCap, ColumnQualifier: []byte(campaign), Value: []byte("1")} // want ttlwrite/unset-timestamp
	_, err := b.data.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: b.base + schema.TableFreqCap,
		RowKey:    []byte(row),
		Mutations: []*btpb.Mutation{{Mutation: &btpb.Mutation_SetCell_{SetCell: cell}}},
	})
	return err
}

// CurUnset writes at zero, as it must.
func (b *Bridge) CurUnset(ctx context.Context, row string, v []byte) error {
	cell := &btpb.Mutation_SetCell{FamilyName: schema.FamCur, ColumnQualifier: []byte("state"), Value: v} // ok ttlwrite/unset-timestamp
	_, err := b.data.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: b.base + schema.TableConsent,
		RowKey:    []byte(row),
		Mutations: []*btpb.Mutation{{Mutation: &btpb.Mutation_SetCell_{SetCell: cell}}},
	})
	return err
}

// Count increments through the raw service.
func (b *Bridge) Count(ctx context.Context, row string) error {
	_, err := b.data.ReadModifyWriteRow(ctx, &btpb.ReadModifyWriteRowRequest{
		TableName: b.base + schema.TableConsent,
		RowKey:    []byte(row),
		Rules: []*btpb.ReadModifyWriteRule{
			{FamilyName: schema.FamRev, ColumnQualifier: []byte("n"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}},  // want ttlwrite/read-modify-write
			{FamilyName: schema.FamMeta, ColumnQualifier: []byte("n"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // ok ttlwrite/read-modify-write
		},
	})
	return err
}

// Caps reads the caps with a live filter.
func (b *Bridge) Caps(ctx context.Context, row string) (btpb.Bigtable_ReadRowsClient, error) {
	return b.data.ReadRows(ctx, &btpb.ReadRowsRequest{ // ok ttlread/missing-filter
		TableName: b.base + schema.TableFreqCap,
		Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte(row)}},
		Filter: &btpb.RowFilter{Filter: &btpb.RowFilter_Chain_{Chain: &btpb.RowFilter_Chain{Filters: []*btpb.RowFilter{
			{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: schema.FamCap}},
			{Filter: &btpb.RowFilter_TimestampRangeFilter{TimestampRangeFilter: &btpb.TimestampRange{StartTimestampMicros: time.Now().UnixMilli() * 1000}}},
		}}}},
	})
}

// CapsAll reads them without.
func (b *Bridge) CapsAll(ctx context.Context, row string) (btpb.Bigtable_ReadRowsClient, error) {
	req := &btpb.ReadRowsRequest{ // want ttlread/missing-filter[rawcaps]
		TableName: b.base + schema.TableFreqCap,
		Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte(row)}},
		Filter:    &btpb.RowFilter{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: schema.FamCap}}, // want ttlread/missing-filter[rawcaps]
	}
	return b.data.ReadRows(ctx, req) // want ttlread/missing-filter[rawcaps]
}

// Rules sets policies through the raw admin service.
func (b *Bridge) Rules(ctx context.Context) error {
	_, err := b.admin.ModifyColumnFamilies(ctx, &btapb.ModifyColumnFamiliesRequest{
		Name: b.base + schema.TableFreqCap,
		Modifications: []*btapb.ModifyColumnFamiliesRequest_Modification{
			{Id: schema.FamCap, Mod: &btapb.ModifyColumnFamiliesRequest_Modification_Create{Create: &btapb.ColumnFamily{GcRule: &btapb.GcRule{Rule: &btapb.GcRule_MaxAge{MaxAge: durationpb.New(time.Second)}}}}}, // ok ttlgc/age-mismatch
			{Id: schema.FamSeen, Mod: &btapb.ModifyColumnFamiliesRequest_Modification_Create{Create: &btapb.ColumnFamily{GcRule: &btapb.GcRule{Rule: &btapb.GcRule_MaxAge{MaxAge: durationpb.New(time.Hour)}}}}},  // want ttlgc/age-mismatch
			{Id: schema.FamSeg, Mod: &btapb.ModifyColumnFamiliesRequest_Modification_Create{Create: &btapb.ColumnFamily{GcRule: &btapb.GcRule{Rule: &btapb.GcRule_MaxNumVersions{MaxNumVersions: 1}}}}},           // ok ttlgc/policy-mismatch
		},
	})
	return err
}

// SeqRules does it for the consent table.
func (b *Bridge) SeqRules(ctx context.Context) error {
	_, err := b.admin.CreateTable(ctx, &btapb.CreateTableRequest{
		Parent:  b.base,
		TableId: schema.TableConsent,
		Table: &btapb.Table{ColumnFamilies: map[string]*btapb.ColumnFamily{
			schema.FamRev:  {GcRule: &btapb.GcRule{Rule: &btapb.GcRule_MaxAge{MaxAge: durationpb.New(time.Hour)}}},      // want ttlgc/age-on-sequence
			schema.FamCur:  {GcRule: &btapb.GcRule{Rule: &btapb.GcRule_MaxNumVersions{MaxNumVersions: 1}}},              // ok ttlgc/age-on-zero
			schema.FamMeta: {GcRule: &btapb.GcRule{Rule: &btapb.GcRule_MaxAge{MaxAge: durationpb.New(24 * time.Hour)}}}, // ok ttlgc/age-mismatch
		}},
	})
	return err
}
