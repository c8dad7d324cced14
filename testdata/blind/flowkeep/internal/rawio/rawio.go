// Package rawio talks to Bigtable below the client, where the client costs too much.
package rawio

import (
	"context"
	"fmt"
	"io"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

// Loader loads in bulk.
type Loader struct {
	data  btpb.BigtableClient
	admin adminpb.BigtableTableAdminClient
	inst  string
	now   func() time.Time
}

// New returns a loader for an instance.
func New(data btpb.BigtableClient, admin adminpb.BigtableTableAdminClient, inst string) *Loader {
	return &Loader{data: data, admin: admin, inst: inst, now: time.Now}
}

func (l *Loader) table(name string) string { return l.inst + "/tables/" + name }

func micros(t time.Time) int64 { return t.UnixMilli() * 1000 }

func set(c *btpb.Mutation_SetCell) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: c}}
}

// Leases writes leases.
func (l *Loader) Leases(ctx context.Context, resource, owner string, ttl time.Duration) error {
	_, err := l.data.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: l.table("flow-leases"),
		RowKey:    []byte(resource),
		Mutations: []*btpb.Mutation{
			set(&btpb.Mutation_SetCell{FamilyName: "lease", ColumnQualifier: []byte("owner"), TimestampMicros: micros(l.now().Add(ttl)), Value: []byte(owner)}), // ok ttlwrite/unset-timestamp
			set(&btpb.Mutation_SetCell{FamilyName: "lease", ColumnQualifier: []byte("loader"), Value: []byte("1")}),                                             // want ttlwrite/unset-timestamp
			set(&btpb.Mutation_SetCell{FamilyName: "lease", ColumnQualifier: []byte("at"), TimestampMicros: -1}),                                                // want ttlwrite/server-timestamp
		},
	})
	return err
}

// Specs writes specs of schedules.
func (l *Loader) Specs(ctx context.Context, name string, spec []byte) error {
	_, err := l.data.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: l.table("flow-schedules"),
		RowKey:    []byte(name),
		Mutations: []*btpb.Mutation{
			set(&btpb.Mutation_SetCell{FamilyName: "spec", ColumnQualifier: []byte("spec"), Value: spec}),           // ok ttlwrite/unset-timestamp
			set(&btpb.Mutation_SetCell{FamilyName: "run", ColumnQualifier: []byte("loaded"), TimestampMicros: -1}),  // ok ttlwrite/server-timestamp
			set(&btpb.Mutation_SetCell{FamilyName: "spec", ColumnQualifier: []byte("loaded"), TimestampMicros: -1}), // want ttlwrite/clock-in-zero
		},
	})
	return err
}

// Events writes numbered events.
func (l *Loader) Events(ctx context.Context, run string, bodies [][]byte) error {
	req := &btpb.MutateRowRequest{TableName: l.table("flow-history"), RowKey: []byte(run)}
	for i, b := range bodies {
		req.Mutations = append(req.Mutations,
			set(&btpb.Mutation_SetCell{FamilyName: "event", ColumnQualifier: []byte("body"), TimestampMicros: int64(i+1) * 1000, Value: b})) // ok ttlwrite/unscaled-sequence
	}
	req.Mutations = append(req.Mutations, set(&btpb.Mutation_SetCell{ // want ttlwrite/clock-in-sequence[rawsnap]
		FamilyName: "snap", ColumnQualifier: []byte("loaded"), TimestampMicros: micros(l.now()), // want ttlwrite/clock-in-sequence[rawsnap]
	}))
	_, err := l.data.MutateRow(ctx, req)
	return err
}

// Count counts on the server.
func (l *Loader) Count(ctx context.Context, queue string) error {
	_, err := l.data.ReadModifyWriteRow(ctx, &btpb.ReadModifyWriteRowRequest{
		TableName: l.table("flow-tasks"),
		RowKey:    []byte(queue),
		Rules: []*btpb.ReadModifyWriteRule{
			{FamilyName: "task", ColumnQualifier: []byte("n"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // want ttlwrite/read-modify-write
		},
	})
	if err != nil {
		return err
	}
	_, err = l.data.ReadModifyWriteRow(ctx, &btpb.ReadModifyWriteRowRequest{
		TableName: l.table("flow-metrics"),
		RowKey:    []byte(queue),
		Rules: []*btpb.ReadModifyWriteRule{
			{FamilyName: "task", ColumnQualifier: []byte("n"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // ok ttlwrite/read-modify-write
		},
	})
	return err
}

// Dump writes all cells of the tasks to w.
func (l *Loader) Dump(ctx context.Context, w io.Writer) error {
	st, err := l.data.ReadRows(ctx, &btpb.ReadRowsRequest{TableName: l.table("flow-tasks"), RowsLimit: 1000}) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	return copyChunks(w, st)
}

// DumpLive writes live cells only.
func (l *Loader) DumpLive(ctx context.Context, w io.Writer) error {
	live := &btpb.RowFilter{Filter: &btpb.RowFilter_Chain_{Chain: &btpb.RowFilter_Chain{Filters: []*btpb.RowFilter{
		{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: "task"}},
		{Filter: &btpb.RowFilter_TimestampRangeFilter{TimestampRangeFilter: &btpb.TimestampRange{StartTimestampMicros: micros(l.now())}}},
	}}}}
	st, err := l.data.ReadRows(ctx, &btpb.ReadRowsRequest{TableName: l.table("flow-tasks"), Filter: live}) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	return copyChunks(w, st)
}

// DumpArchive dumps a table that has no expiry.
func (l *Loader) DumpArchive(ctx context.Context, w io.Writer) error {
	st, err := l.data.ReadRows(ctx, &btpb.ReadRowsRequest{TableName: l.table("flow-archive")}) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	return copyChunks(w, st)
}

func copyChunks(w io.Writer, st btpb.Bigtable_ReadRowsClient) error {
	for {
		resp, err := st.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for _, c := range resp.Chunks {
			if _, err := fmt.Fprintf(w, "%s %s %s\n", c.RowKey, c.GetFamilyName().GetValue(), c.Value); err != nil {
				return err
			}
		}
	}
}

// Policies sets the rules of the tasks.
func (l *Loader) Policies(ctx context.Context) error {
	_, err := l.admin.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: l.table("flow-tasks"),
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{
				Id: "task",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
					GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Second)}}, // ok ttlgc/age-mismatch
				}},
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			},
			{
				Id: "attempt",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
					GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(24 * time.Hour)}}, // want ttlgc/age-on-sequence
				}},
			},
		},
	})
	return err
}
