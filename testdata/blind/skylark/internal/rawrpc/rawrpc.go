// Package rawrpc talks to Bigtable without the client, for the proxy that the
// gateways in the field use.
package rawrpc

import (
	"context"
	"errors"
	"io"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

const (
	tableDevices = "projects/skylark/instances/main/tables/devices"
	tableOutbox  = "projects/skylark/instances/main/tables/outbox"
	tableOffsets = "projects/skylark/instances/main/tables/offsets"
)

// Proxy forwards what gateways send.
type Proxy struct {
	data  bigtablepb.BigtableClient
	admin adminpb.BigtableTableAdminClient
}

// New returns a proxy.
func New(data bigtablepb.BigtableClient, admin adminpb.BigtableTableAdminClient) *Proxy {
	return &Proxy{data: data, admin: admin}
}

func cell(family, column string, micros int64, value []byte) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{
		FamilyName:      family,
		ColumnQualifier: []byte(column),
		TimestampMicros: micros,
		Value:           value,
	}}}
}

func (p *Proxy) mutate(ctx context.Context, table, key string, muts ...*bigtablepb.Mutation) error {
	_, err := p.data.MutateRow(ctx, &bigtablepb.MutateRowRequest{TableName: table, RowKey: []byte(key), Mutations: muts})
	return err
}

// Beat forwards a heartbeat.
func (p *Proxy) Beat(ctx context.Context, key string, body []byte) error {
	until := time.Now().Add(90*time.Second).UnixMilli() * 1000
	return p.mutate(ctx, tableDevices, key, cell("live", "seen", until, body)) // ok ttlwrite/write-time
}

// BeatNow forwards a heartbeat of an old gateway.
func (p *Proxy) BeatNow(ctx context.Context, key string, body []byte) error {
	return p.mutate(ctx, tableDevices, key, cell("live", "seen", -1, body)) // want ttlwrite/server-timestamp
}

// Job forwards a notification.
func (p *Proxy) Job(ctx context.Context, key string, body []byte) error {
	_, err := p.data.MutateRow(ctx, &bigtablepb.MutateRowRequest{
		TableName: tableOutbox,
		RowKey:    []byte(key),
		Mutations: []*bigtablepb.Mutation{
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{ // want ttlwrite/unset-timestamp
				FamilyName:      "job",
				ColumnQualifier: []byte("body"),
				Value:           body,
			}}},
		},
	})
	return err
}

// Commit forwards an offset.
func (p *Proxy) Commit(ctx context.Context, key string, n int64) error {
	set := &bigtablepb.Mutation_SetCell{ // want ttlwrite/unset-timestamp
		FamilyName:      "commit",
		ColumnQualifier: []byte("position"),
	}
	good := &bigtablepb.Mutation_SetCell{ // ok ttlwrite/unset-timestamp
		FamilyName:      "commit",
		ColumnQualifier: []byte("n"),
		TimestampMicros: n * 1000,
	}
	_, err := p.data.MutateRow(ctx, &bigtablepb.MutateRowRequest{
		TableName: tableOffsets,
		RowKey:    []byte(key),
		Mutations: []*bigtablepb.Mutation{
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: set}},
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: good}},
		},
	})
	return err
}

// Jobs reads the jobs of a prefix.
func (p *Proxy) Jobs(ctx context.Context, keys ...[]byte) (n int, err error) {
	stream, err := p.data.ReadRows(ctx, &bigtablepb.ReadRowsRequest{ // want ttlread/missing-filter[rawjobs]
		TableName: tableOutbox,
		Rows:      &bigtablepb.RowSet{RowKeys: keys},
		Filter:    &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: "job"}}, // want ttlread/missing-filter[rawjobs]
	})
	if err != nil {
		return 0, err
	}
	for {
		resp, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		for _, c := range resp.Chunks {
			n += len(c.Value)
		}
	}
}

// Keep sets the policies of the proxy's own families.
func (p *Proxy) Keep(ctx context.Context) error {
	_, err := p.admin.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: tableOffsets,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: "commit",
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
				GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(24 * time.Hour)}}, // want ttlgc/age-on-sequence
			}},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
		}},
	})
	return err
}

// KeepOne is Keep as it should be.
func (p *Proxy) KeepOne(ctx context.Context) error {
	_, err := p.admin.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: tableOffsets,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: "commit",
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
				GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 1}}, // ok ttlgc/age-on-sequence
			}},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
		}},
	})
	return err
}

// Touch updates a family that has nothing to change yet.
func (p *Proxy) Touch(ctx context.Context) error {
	_, err := p.admin.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: tableDevices,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{ // want ttlgc/empty-mask[touch]
			Id:  "info",
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}, // want ttlgc/empty-mask[touch]
		}},
	})
	return err
}
