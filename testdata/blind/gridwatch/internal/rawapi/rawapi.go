// Package rawapi speaks to Bigtable without the client library where its overhead
// hurts: the bridge that copies cells between regions.
package rawapi

import (
	"context"
	"errors"
	"io"
	"time"

	adminpb "cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"example.com/gridwatch/internal/store"
)

// Cell is a cell of the other region.
type Cell struct {
	Row    string
	Column string
	Micros int64
	Value  []byte
}

// Bridge copies cells.
type Bridge struct {
	data     btpb.BigtableClient
	admin    adminpb.BigtableTableAdminClient
	instance string
}

// New returns a bridge over a connection.
func New(conn *grpc.ClientConn, instance string) *Bridge {
	return &Bridge{data: btpb.NewBigtableClient(conn), admin: adminpb.NewBigtableTableAdminClient(conn), instance: instance}
}

func (b *Bridge) table(name string) string { return b.instance + "/tables/" + name }

// Copy writes the cells that come in.
func (b *Bridge) Copy(ctx context.Context, in <-chan Cell, workers int) error {
	g, ctx := errgroup.WithContext(ctx)
	for range workers {
		g.Go(func() error {
			for c := range in {
				if err := b.write(ctx, c); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

func (b *Bridge) write(ctx context.Context, c Cell) error {
	exp := time.Now().Add(store.TokenTTL).UnixMilli() * 1000
	_, err := b.data.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: b.table(store.TableSessions),
		RowKey:    []byte(c.Row),
		Mutations: []*btpb.Mutation{
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: store.FamToken, ColumnQualifier: []byte("copied"), TimestampMicros: c.Micros, Value: c.Value}}}, // ok ttlwrite/unset-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: store.FamToken, ColumnQualifier: []byte("live"), TimestampMicros: exp, Value: c.Value}}},        // ok ttlwrite/unset-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: store.FamToken, ColumnQualifier: []byte("from"), Value: c.Value}}},                              // want ttlwrite/unset-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: store.FamProfile, ColumnQualifier: []byte("from"), Value: c.Value}}},                            // ok ttlwrite/unset-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: store.FamToken, ColumnQualifier: []byte("via"), TimestampMicros: -1, Value: c.Value}}},          // want ttlwrite/server-timestamp
		},
	})
	return err
}

// Command copies a command with its number.
func (b *Bridge) Command(ctx context.Context, tenant string, c Cell) error {
	_, err := b.data.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: b.table(tenant + store.CommandLogSuffix),
		RowKey:    []byte(c.Row),
		Mutations: []*btpb.Mutation{
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: store.FamEntry, ColumnQualifier: []byte("cmd"), TimestampMicros: c.Micros, Value: c.Value}}}, // ok ttlwrite/unset-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: store.FamEntry, ColumnQualifier: []byte("src"), Value: c.Value}}},                            // want ttlwrite/unset-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: store.FamCursor, ColumnQualifier: []byte("src"), Value: c.Value}}},                           // ok ttlwrite/unset-timestamp
		},
	})
	return err
}

// Sample copies a raw sample.
func (b *Bridge) Sample(ctx context.Context, c Cell) error {
	set := &btpb.Mutation_SetCell{FamilyName: store.FamRaw, ColumnQualifier: []byte(c.Column), Value: c.Value} // want ttlwrite/unset-timestamp
	_, err := b.data.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: b.table(store.TableTelemetry),
		RowKey:    []byte(c.Row),
		Mutations: []*btpb.Mutation{{Mutation: &btpb.Mutation_SetCell_{SetCell: set}}},
	})
	return err
}

// Stamp copies a raw sample with its own time.
func (b *Bridge) Stamp(ctx context.Context, c Cell) error {
	set := &btpb.Mutation_SetCell{FamilyName: store.FamRaw, ColumnQualifier: []byte(c.Column), Value: c.Value} // ok ttlwrite/unset-timestamp
	set.TimestampMicros = c.Micros
	_, err := b.data.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: b.table(store.TableTelemetry),
		RowKey:    []byte(c.Row),
		Mutations: []*btpb.Mutation{{Mutation: &btpb.Mutation_SetCell_{SetCell: set}}},
	})
	return err
}

// Bump counts copies.
func (b *Bridge) Bump(ctx context.Context, row string) error {
	_, err := b.data.ReadModifyWriteRow(ctx, &btpb.ReadModifyWriteRowRequest{
		TableName: b.table(store.TableSessions),
		RowKey:    []byte(row),
		Rules: []*btpb.ReadModifyWriteRule{
			{FamilyName: store.FamPresence, ColumnQualifier: []byte("copies"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // want ttlwrite/read-modify-write
			{FamilyName: store.FamProfile, ColumnQualifier: []byte("copies"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}},  // ok ttlwrite/read-modify-write
		},
	})
	return err
}

func family(name string) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: name}}
}

func since(micros int64) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_TimestampRangeFilter{TimestampRangeFilter: &btpb.TimestampRange{StartTimestampMicros: micros}}}
}

func chain(filters ...*btpb.RowFilter) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_Chain_{Chain: &btpb.RowFilter_Chain{Filters: filters}}}
}

// Tokens streams the tokens of the region.
func (b *Bridge) Tokens(ctx context.Context, out chan<- Cell) error {
	req := &btpb.ReadRowsRequest{TableName: b.table(store.TableSessions), Filter: family(store.FamToken)} // want ttlread/missing-filter[rawtokens]
	stream, err := b.data.ReadRows(ctx, req)                                                              // want ttlread/missing-filter[rawtokens]
	if err != nil {
		return err
	}
	return pump(ctx, stream, out)
}

// LiveTokens streams those that are alive.
func (b *Bridge) LiveTokens(ctx context.Context, out chan<- Cell) error {
	now := time.Now().UnixMilli() * 1000
	req := &btpb.ReadRowsRequest{TableName: b.table(store.TableSessions), Filter: chain(family(store.FamToken), since(now))}
	stream, err := b.data.ReadRows(ctx, req) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	return pump(ctx, stream, out)
}

func pump(ctx context.Context, stream btpb.Bigtable_ReadRowsClient, out chan<- Cell) error {
	defer close(out)
	for {
		resp, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, ch := range resp.Chunks {
			select {
			case out <- Cell{Row: string(ch.RowKey), Column: string(ch.Qualifier.GetValue()), Micros: ch.TimestampMicros, Value: ch.Value}:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// Policies sets what the region's tables need.
func (b *Bridge) Policies(ctx context.Context) error {
	second := &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Second)}}
	hour := &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Hour)}} // want ttlgc/age-mismatch[rawhour]
	mask := &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}}
	_, err := b.admin.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{ // want ttlgc/age-mismatch[rawhour]
		Name: b.table(store.TableSessions),
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{Id: store.FamToken, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: second}}, UpdateMask: mask},  // ok ttlgc/age-mismatch
			{Id: store.FamPresence, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: hour}}, UpdateMask: mask}, // want ttlgc/age-mismatch[rawhour]
			{Id: store.FamProfile, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}},                                // want ttlgc/empty-mask
		},
	})
	return err
}
