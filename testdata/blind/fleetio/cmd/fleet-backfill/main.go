// Command fleet-backfill loads exported rows through the raw API.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/protobuf/types/known/durationpb"

	"example.com/fleetio/internal/btutil"
	"example.com/fleetio/internal/keys"
)

type record struct {
	Kind, Key, Column string
	At                time.Time
	Value             []byte
}

func cell(fam, col string, micros int64, v []byte) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
		FamilyName: fam, ColumnQualifier: []byte(col), TimestampMicros: micros, Value: v,
	}}}
}

func bare(fam, col string, v []byte) *btpb.Mutation_SetCell {
	return &btpb.Mutation_SetCell{FamilyName: fam, ColumnQualifier: []byte(col), TimestampMicros: -1, Value: v}
}

// mutations makes a request of a record.
func mutations(r record) []*btpb.Mutation {
	exp := time.Now().Add(24 * time.Hour)
	switch r.Kind {
	case "beat":
		return []*btpb.Mutation{
			cell(keys.FamHB, r.Column, -1, r.Value),                                            // want ttlwrite/server-timestamp
			cell(keys.FamMeta, r.Column, -1, r.Value),                                          // ok ttlwrite/server-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: bare(keys.FamCmd, r.Column, r.Value)}}, // want ttlwrite/server-timestamp
		}
	case "command":
		return []*btpb.Mutation{
			cell(keys.FamCmd, r.Column, exp.UnixMicro(), r.Value),           // ok ttlwrite/write-time
			cell(keys.FamCmd, "loaded", time.Now().UnixMicro(), nil),        // want ttlwrite/write-time
			cell(keys.FamSeq, "loaded", time.Now().UnixMicro(), nil),        // want ttlwrite/clock-in-sequence
			cell(keys.FamAudit, "loaded", time.Now().UnixMilli()*1000, nil), // ok ttlwrite/write-time
		}
	default:
		return []*btpb.Mutation{
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: keys.FamLease, ColumnQualifier: []byte(r.Column), Value: r.Value}}},  // want ttlwrite/unset-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: keys.FamShadow, ColumnQualifier: []byte(r.Column), Value: r.Value}}}, // ok ttlwrite/unset-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: keys.FamHour, ColumnQualifier: []byte(r.Column), Value: r.Value}}},   // want ttlwrite/unset-timestamp
		}
	}
}

// schemaOf is the request that prepares the tables of a load.
func schemaOf(parent string) []*adminpb.ModifyColumnFamiliesRequest_Modification {
	return []*adminpb.ModifyColumnFamiliesRequest_Modification{
		{Id: keys.FamVer, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(720 * time.Hour)}}}}},   // want ttlgc/age-on-sequence
		{Id: keys.FamHB, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Second)}}}}},        // ok ttlgc/age-mismatch
		{Id: keys.FamMinute, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(24 * time.Hour)}}}}}, // want ttlgc/age-mismatch
	}
}

// legacy loads what the old system has left.
func legacy(ctx context.Context, c *bigtable.Client, recs []record) error {
	t := c.Open(keys.TableFirmware)
	var ops []btutil.Op
	n := 0
	for _, r := range recs {
		n++
		ops = append(ops, btutil.Op{Key: r.Key, Family: keys.FamRev, Column: r.Column, TS: bigtable.Timestamp(n), Value: r.Value}) // want ttlwrite/unscaled-sequence[legacy]
	}
	if err := btutil.ApplyOps(ctx, t, ops); err != nil { // want ttlwrite/unscaled-sequence[legacy]
		return err
	}
	m := bigtable.NewMutation()
	m.Set(keys.FamInfo, "legacy", btutil.MilliTS(recs[0].At), nil)                     // ok ttlunit/wrong-unit
	m.Set(keys.FamRev, "legacy", bigtable.Timestamp(len(recs)), nil)                   // want ttlwrite/unscaled-sequence
	m.Set(keys.FamInfo, "count", bigtable.Timestamp(recs[0].At.UnixMilli())*1000, nil) // ok ttlunit/wrong-unit
	return t.Apply(ctx, "legacy", m)
}

func main() {
	project, instance := flag.String("project", "", ""), flag.String("instance", "", "")
	flag.Parse()
	var recs []record
	in := bufio.NewScanner(os.Stdin)
	enc := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var r record
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		recs = append(recs, r)
		enc.Encode(&btpb.MutateRowRequest{RowKey: []byte(r.Key), Mutations: mutations(r)})
	}
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, *project, *instance)
	if err == nil && len(recs) > 0 {
		enc.Encode(schemaOf(*instance))
		err = legacy(ctx, c, recs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
