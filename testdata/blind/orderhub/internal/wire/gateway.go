// Package wire speaks the raw protocol. It came with the bulk loader of the Java service, which built its own messages.
package wire

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"example.com/meridian/orderhub/internal/constants"
)

// Loader sends raw messages.
type Loader interface {
	Load(ctx context.Context, row string, value []byte) error
}

// tableName builds the resource name of a table.
func tableName(instance, table string) string { return instance + "/tables/" + table }

// SessionLoader loads tokens.
type SessionLoader struct {
	client   btpb.BigtableClient
	instance string
}

var _ Loader = (*SessionLoader)(nil)

// NewSessionLoader returns a SessionLoader.
func NewSessionLoader(c btpb.BigtableClient, instance string) *SessionLoader {
	return &SessionLoader{client: c, instance: instance}
}

func (l *SessionLoader) send(ctx context.Context, row string, muts ...*btpb.Mutation) error {
	_, err := l.client.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: tableName(l.instance, constants.TableSessions),
		RowKey:    []byte(row),
		Mutations: muts,
	})
	if err != nil {
		return fmt.Errorf("load %q: %w", row, err)
	}
	return nil
}

// Load implements Loader.
func (l *SessionLoader) Load(ctx context.Context, row string, value []byte) error {
	return l.send(ctx, row, &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
		FamilyName:      constants.FamilyToken,
		ColumnQualifier: []byte(constants.Session.JWT),
		TimestampMicros: time.Now().Add(constants.TokenTTL).UnixMilli() * 1000, // ok ttlwrite/write-time
		Value:           value,
	}}})
}

// LoadDevice loads a device. The message is complete, all but one field.
func (l *SessionLoader) LoadDevice(ctx context.Context, row string, value []byte) error {
	return l.send(ctx, row, &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{ // want ttlwrite/unset-timestamp
		FamilyName:      constants.FamilyDevice,
		ColumnQualifier: []byte("main"),
		Value:           value,
	}}})
}

// LoadServer loads a token with the server's clock.
func (l *SessionLoader) LoadServer(ctx context.Context, row string, value []byte) error {
	cell := &btpb.Mutation_SetCell{ // want ttlwrite/server-timestamp[loadserver]
		FamilyName:      constants.FamilyToken, // want ttlwrite/server-timestamp[loadserver]
		ColumnQualifier: []byte(constants.Session.JWT),
		TimestampMicros: -1, // want ttlwrite/server-timestamp[loadserver]
		Value:           value,
	}
	return l.send(ctx, row, &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: cell}})
}

// LoadProfile loads a profile with the server's clock.
func (l *SessionLoader) LoadProfile(ctx context.Context, row string, value []byte) error {
	cell := &btpb.Mutation_SetCell{FamilyName: constants.FamilyProfile, ColumnQualifier: []byte("name"), TimestampMicros: -1, Value: value} // ok ttlwrite/server-timestamp
	return l.send(ctx, row, &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: cell}})
}

// OrderLoader loads orders.
type OrderLoader struct {
	client   btpb.BigtableClient
	instance string
}

// NewOrderLoader returns an OrderLoader.
func NewOrderLoader(c btpb.BigtableClient, instance string) *OrderLoader {
	return &OrderLoader{client: c, instance: instance}
}

// LoadStates loads states; zero is what the family wants.
func (l *OrderLoader) LoadStates(ctx context.Context, states map[string]string) error {
	req := &btpb.MutateRowsRequest{TableName: tableName(l.instance, constants.TableOrders)}
	for row, state := range states {
		req.Entries = append(req.Entries, &btpb.MutateRowsRequest_Entry{
			RowKey: []byte(row),
			Mutations: []*btpb.Mutation{{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{ // ok ttlwrite/unset-timestamp
				FamilyName: constants.FamilyState, ColumnQualifier: []byte(constants.ColStatus), Value: []byte(state),
			}}}},
		})
	}
	_, err := l.client.MutateRows(ctx, req)
	return err
}

// LoadRevisions loads a history.
func (l *OrderLoader) LoadRevisions(ctx context.Context, row string, payloads [][]byte) error {
	req := &btpb.MutateRowRequest{TableName: tableName(l.instance, constants.TableOrders), RowKey: []byte(row)}
	for i, p := range payloads {
		req.Mutations = append(req.Mutations, &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
			FamilyName: constants.FamilyRevision, ColumnQualifier: []byte(constants.ColPayload), TimestampMicros: int64(i+1) * 1000, Value: p, // ok ttlwrite/unscaled-sequence
		}}})
	}
	_, err := l.client.MutateRow(ctx, req)
	return err
}

// LoadRevisionNow loads one revision.
func (l *OrderLoader) LoadRevisionNow(ctx context.Context, row string, payload []byte) error {
	_, err := l.client.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: tableName(l.instance, constants.TableOrders),
		RowKey:    []byte(row),
		Mutations: []*btpb.Mutation{{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{ // want ttlwrite/clock-in-sequence[lrn]
			FamilyName: constants.FamilyRevision, ColumnQualifier: []byte(constants.ColPayload), TimestampMicros: time.Now().UnixMilli() * 1000, Value: payload, // want ttlwrite/clock-in-sequence[lrn]
		}}}},
	})
	return err
}

// CountView increments with a raw rule.
func (l *OrderLoader) CountView(ctx context.Context, row string) error {
	_, err := l.client.ReadModifyWriteRow(ctx, &btpb.ReadModifyWriteRowRequest{
		TableName: tableName(l.instance, constants.TableOrders),
		RowKey:    []byte(row),
		Rules: []*btpb.ReadModifyWriteRule{
			{FamilyName: constants.FamilyHeader, ColumnQualifier: []byte("views"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // ok ttlwrite/read-modify-write
			{FamilyName: constants.FamilyState, ColumnQualifier: []byte("views"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}},  // want ttlwrite/read-modify-write
		},
	})
	return err
}

// Holds reads the holds of an order in the raw way.
func (l *OrderLoader) Holds(ctx context.Context, row string) (btpb.Bigtable_ReadRowsClient, error) {
	return l.client.ReadRows(ctx, &btpb.ReadRowsRequest{
		TableName: tableName(l.instance, constants.TableOrders),
		Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte(row)}},
		Filter: &btpb.RowFilter{Filter: &btpb.RowFilter_Chain_{Chain: &btpb.RowFilter_Chain{Filters: []*btpb.RowFilter{
			{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: constants.FamilyHold}},
			{Filter: &btpb.RowFilter_TimestampRangeFilter{TimestampRangeFilter: &btpb.TimestampRange{StartTimestampMicros: time.Now().UnixMilli() * 1000}}}, // ok ttlread/missing-filter
		}}}},
	})
}

// AllHolds reads them without.
func (l *OrderLoader) AllHolds(ctx context.Context, row string) (btpb.Bigtable_ReadRowsClient, error) {
	req := &btpb.ReadRowsRequest{ // want ttlread/missing-filter[allholds]
		TableName: tableName(l.instance, constants.TableOrders),
		Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte(row)}},
		Filter:    &btpb.RowFilter{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: constants.FamilyHold}}, // want ttlread/missing-filter[allholds]
	}
	return l.client.ReadRows(ctx, req) // want ttlread/missing-filter[allholds]
}

// SchemaWriter changes families in the raw way.
type SchemaWriter struct {
	admin    adminpb.BigtableTableAdminClient
	instance string
}

// NewSchemaWriter returns a SchemaWriter.
func NewSchemaWriter(c adminpb.BigtableTableAdminClient, instance string) *SchemaWriter {
	return &SchemaWriter{admin: c, instance: instance}
}

func maxAge(d time.Duration) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(d)}}
}

func maxVersions(n int32) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: n}}
}

// UpdateHold sets the rule of the holds.
func (w *SchemaWriter) UpdateHold(ctx context.Context) error {
	_, err := w.admin.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: tableName(w.instance, constants.TableOrders),
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id:         constants.FamilyHold,
			Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: maxAge(time.Second)}}, // ok ttlgc/age-mismatch
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
		}},
	})
	return err
}

// UpdateRevision sets the rule of the revisions.
func (w *SchemaWriter) UpdateRevision(ctx context.Context) error {
	_, err := w.admin.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: tableName(w.instance, constants.TableOrders),
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id:         constants.FamilyRevision,
			Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: maxAge(90 * 24 * time.Hour)}}, // want ttlgc/age-on-sequence
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
		}, {
			Id:         constants.FamilyHeader,
			Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: maxVersions(1)}}, // ok ttlgc/policy-mismatch
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
		}},
	})
	return err
}

// UpdateType changes the type of a family, and clears its rule along the way.
func (w *SchemaWriter) UpdateType(ctx context.Context) error {
	_, err := w.admin.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: tableName(w.instance, constants.TableSessions),
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{ // want ttlgc/empty-mask[updtype]
			Id:  constants.FamilyProfile,                                                                                             // want ttlgc/empty-mask[updtype]
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ValueType: &adminpb.Type{}}}, // want ttlgc/empty-mask[updtype]
		}},
	})
	return err
}
