// Package legacy speaks to Bigtable with the generated messages. It is older than the client's bulk API,
// and the crane vendor's gateway still needs its requests as protos.
package legacy

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	adminpb "cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"example.com/harbor/btutil"
)

// Instance is the path of our instance.
var Instance = "projects/harbor/instances/main"

func table(name string) string { return Instance + "/tables/" + name }

func micros(t time.Time) int64 { return t.UnixMicro() / 1000 * 1000 }

func setCell(fam, col string, ts int64, val []byte) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
		FamilyName: fam, ColumnQualifier: []byte(col), TimestampMicros: ts, Value: val,
	}}}
}

// LeaseRequest takes a lease.
func LeaseRequest(res, owner string, ttl time.Duration, vendor bool) *btpb.MutateRowRequest {
	req := &btpb.MutateRowRequest{TableName: Instance + "/tables/locks", RowKey: []byte(res)}
	req.Mutations = append(req.Mutations, setCell("lease", "holder", micros(time.Now().Add(ttl)), []byte(owner))) // ok ttlwrite/unset-timestamp
	if vendor {
		req.Mutations = append(req.Mutations, &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: "lease", ColumnQualifier: []byte("vendor"), Value: []byte(owner)}}}) // want ttlwrite/unset-timestamp
	}
	return req
}

// BeatRequest beats.
func BeatRequest(owner string, mode int) *btpb.MutateRowRequest {
	req := &btpb.MutateRowRequest{TableName: Instance + "/tables/locks", RowKey: []byte("beat#" + owner)}
	switch mode {
	case 1:
		req.Mutations = append(req.Mutations, setCell("lease", "beat", -1, []byte(owner))) // want ttlwrite/server-timestamp
	case 2:
		req.Mutations = append(req.Mutations, setCell("lease", "beat", micros(time.Now()), []byte(owner))) // want ttlwrite/write-time
	default:
		req.Mutations = append(req.Mutations, setCell("lease", "beat", micros(time.Now().Add(time.Minute)), []byte(owner))) // ok ttlwrite/write-time
	}
	return req
}

// SettingRequest writes a setting; zero is what the proto has by itself.
func SettingRequest(scope, key, val string) *btpb.MutateRowRequest {
	return &btpb.MutateRowRequest{
		TableName: Instance + "/tables/settings",
		RowKey:    []byte(scope),
		Mutations: []*btpb.Mutation{
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: "kv", ColumnQualifier: []byte(key), Value: []byte(val)}}},                             // ok ttlwrite/unset-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: "kv", ColumnQualifier: []byte("_by"), TimestampMicros: -1, Value: []byte("legacy")}}}, // want ttlwrite/clock-in-zero
		},
	}
}

// EntryRequests writes ledger entries.
func EntryRequests(terminal string, amounts []int64) *btpb.MutateRowsRequest {
	req := &btpb.MutateRowsRequest{TableName: Instance + "/tables/" + terminal + "-ledger"}
	for i, a := range amounts {
		req.Entries = append(req.Entries, &btpb.MutateRowsRequest_Entry{
			RowKey: []byte(fmt.Sprintf("acc#%04d", i)),
			Mutations: []*btpb.Mutation{
				setCell("entry", "amount", int64(i+1)*1000, btutil.PutInt64(a)), // ok ttlwrite/unscaled-sequence
				setCell("entry", "at", time.Now().UnixMicro(), nil),             // want ttlwrite/clock-in-sequence
				setCell("memo", "at", -1, nil),                                  // ok ttlwrite/clock-in-sequence
			},
		})
	}
	return req
}

// CountRequest counts in place.
func CountRequest(tbl, fam, key string) *btpb.ReadModifyWriteRowRequest {
	return &btpb.ReadModifyWriteRowRequest{
		TableName: table(tbl),
		RowKey:    []byte(key),
		Rules: []*btpb.ReadModifyWriteRule{
			{FamilyName: fam, ColumnQualifier: []byte("n"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}},
		},
	}
}

// VisitRequest counts visits of a gate.
func VisitRequest(gate string) *btpb.ReadModifyWriteRowRequest {
	return &btpb.ReadModifyWriteRowRequest{
		TableName: "projects/harbor/instances/main/tables/gates",
		RowKey:    []byte(gate),
		Rules: []*btpb.ReadModifyWriteRule{
			{FamilyName: "state", ColumnQualifier: []byte("visits"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // want ttlwrite/read-modify-write
		},
	}
}

// ReadLease is the request of the gateway.
func ReadLease(res string, live bool) *btpb.ReadRowsRequest {
	if live {
		return &btpb.ReadRowsRequest{ // ok ttlread/missing-filter
			TableName: Instance + "/tables/locks",
			Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte(res)}},
			Filter: &btpb.RowFilter{Filter: &btpb.RowFilter_TimestampRangeFilter{TimestampRangeFilter: &btpb.TimestampRange{
				StartTimestampMicros: micros(time.Now()),
			}}},
		}
	}
	return &btpb.ReadRowsRequest{TableName: Instance + "/tables/locks", Rows: &btpb.RowSet{RowKeys: [][]byte{[]byte(res)}}} // want ttlread/missing-filter
}

// PlanRequests creates families as the planning tool wants them.
func PlanRequests() []*adminpb.ModifyColumnFamiliesRequest {
	return []*adminpb.ModifyColumnFamiliesRequest{
		{
			Name: "projects/harbor/instances/main/tables/alerts",
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
				Id: "alert",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{
					GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(7 * 24 * time.Hour)}}, // ok ttlgc/age-mismatch
				}},
			}},
		},
		{
			Name: "projects/harbor/instances/main/tables/t9-ledger",
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
				Id: "entry",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{
					GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 3}}, // ok ttlgc/policy-mismatch
				}},
			}},
		},
		{
			Name: "projects/harbor/instances/main/tables/t10-ledger",
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
				Id: "entry",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{
					GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(30 * 24 * time.Hour)}}, // want ttlgc/age-on-sequence
				}},
			}},
		},
	}
}

// Mirror copies leases through the client, for comparison.
func Mirror(ctx context.Context, from, to *bigtable.Table, prefix string) (int, error) {
	n := 0
	var err2 error
	err := from.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		for fam, items := range r {
			for _, it := range items {
				m.Set(fam, it.Column[len(fam)+1:], it.Timestamp, it.Value) // ok ttlwrite/write-time
			}
		}
		if err2 = to.Apply(ctx, r.Key(), m); err2 != nil {
			return false
		}
		n++
		return true
	})
	if err == nil {
		err = err2
	}
	return n, err
}

// RenameRequests touch families without meaning to change their rules.
func RenameRequests() *adminpb.ModifyColumnFamiliesRequest {
	mod := func(id string, typ *adminpb.Type) *adminpb.ModifyColumnFamiliesRequest_Modification {
		return &adminpb.ModifyColumnFamiliesRequest_Modification{
			Id:         id,
			Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ValueType: typ}},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"value_type"}}, // ok ttlgc/empty-mask
		}
	}
	req := &adminpb.ModifyColumnFamiliesRequest{Name: "projects/harbor/instances/main/tables/metrics"}
	req.Modifications = append(req.Modifications, mod("m", nil))
	req.Modifications = append(req.Modifications, &adminpb.ModifyColumnFamiliesRequest_Modification{ // want ttlgc/empty-mask[mask]
		Id:  "agg",
		Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}, // want ttlgc/empty-mask[mask]
	})
	return req
}

// Trim deletes the oldest numbers of a scratch row.
func Trim(ctx context.Context, tbl *bigtable.Table, key string, life time.Duration) error {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange("d", "x", 0, 999)                  // want ttlunit/sub-millisecond
	m.DeleteTimestampRange("d", "y", 0, 9000)                 // ok ttlunit/sub-millisecond
	m.Set("d", "z", bigtable.Timestamp(life), nil)            // want ttlunit/wrong-unit
	m.Set("d", "w", bigtable.Timestamp(life/1000), nil)       // maybe ttlunit/wrong-unit
	m.Set("d", "v", bigtable.Time(time.Now().Add(life)), nil) // ok ttlunit/wrong-unit
	return tbl.Apply(ctx, key, m)
}
