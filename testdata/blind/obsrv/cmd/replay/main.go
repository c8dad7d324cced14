// Command replay writes recorded mutations with the raw API.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"log"
	"os"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

type record struct {
	Kind, Key, Column string
	Value             []byte
	At                time.Time
	Seq               int64
}

func set(family, column string, micros int64, v []byte) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
		FamilyName: family, ColumnQualifier: []byte(column), TimestampMicros: micros, Value: v,
	}}}
}

func request(inst string, r record) *btpb.MutateRowRequest {
	req := &btpb.MutateRowRequest{RowKey: []byte(r.Key)}
	switch r.Kind {
	case "span":
		req.TableName = inst + "/tables/spans"
		req.Mutations = append(req.Mutations, set("sp", r.Column, -1, r.Value)) // ok ttlwrite/server-timestamp
	case "cursor":
		req.TableName = inst + "/tables/cursors"
		req.Mutations = append(req.Mutations, set("pos", r.Column, r.Seq*1000, r.Value)) // ok ttlwrite/unscaled-sequence
	case "lease":
		req.TableName = inst + "/tables/cursors"
		req.Mutations = append(req.Mutations, set("lease", r.Column, -1, r.Value)) // want ttlwrite/server-timestamp
	case "silence":
		req.TableName = inst + "/tables/silences"
		req.Mutations = append(req.Mutations, &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: "sil", ColumnQualifier: []byte(r.Column), Value: r.Value}}}) // want ttlwrite/unset-timestamp
	case "state":
		req.TableName = inst + "/tables/alert_state"
		req.Mutations = append(req.Mutations, set("st", r.Column, r.At.Add(15*time.Minute).UnixMilli()*1000, r.Value)) // ok ttlwrite/already-expired
	case "setting":
		req.TableName = inst + "/tables/dashboards"
		req.Mutations = append(req.Mutations, &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: "cfg", ColumnQualifier: []byte(r.Column), Value: r.Value}}}) // ok ttlwrite/unset-timestamp
	}
	return req
}

func policy(ctx context.Context, ac adminpb.BigtableTableAdminClient, inst string) error {
	_, err := ac.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: inst + "/tables/alert_state",
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id:         "st",
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
				GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Second)}}, // ok ttlgc/age-mismatch
			}},
		}},
	})
	if err != nil {
		return err
	}
	_, err = ac.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: inst + "/tables/dashboards",
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: "rev",
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{
				GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(24 * time.Hour)}}, // want ttlgc/age-on-sequence
			}},
		}, { // want ttlgc/empty-mask[mask]
			Id:  "audit",                                                                                   // want ttlgc/empty-mask[mask]
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}, // want ttlgc/empty-mask[mask]
		}},
	})
	return err
}

func main() {
	addr := flag.String("addr", "localhost:8086", "emulator")
	inst := flag.String("instance", "projects/dev/instances/dev", "instance")
	flag.Parse()
	conn, err := grpc.NewClient(*addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	if err := policy(ctx, adminpb.NewBigtableTableAdminClient(conn), *inst); err != nil {
		log.Fatal(err)
	}
	data := btpb.NewBigtableClient(conn)
	for sc := bufio.NewScanner(os.Stdin); sc.Scan(); {
		var r record
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			log.Print(err)
			continue
		}
		if _, err := data.MutateRow(ctx, request(*inst, r)); err != nil {
			log.Fatal(err)
		}
	}
}
