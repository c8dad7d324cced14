package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"tenants.example/platform/internal/btx"
	"tenants.example/platform/internal/schema"
)

func dial() (*grpc.ClientConn, error) {
	addr := os.Getenv("BIGTABLE_ADDR")
	if addr == "" {
		return nil, errors.New("BIGTABLE_ADDR is not set")
	}
	return grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
}

type oldSession struct {
	token, user, tenant string
	until               int64
}

func parseOld(r io.Reader) ([]oldSession, error) {
	var out []oldSession
	sc := bufio.NewScanner(r)
	for n := 1; sc.Scan(); n++ {
		f := strings.Split(sc.Text(), "\t")
		if len(f) != 4 {
			return nil, fmt.Errorf("line %d: %d fields", n, len(f))
		}
		sec, err := strconv.ParseInt(f[3], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		out = append(out, oldSession{f[0], f[1], f[2], sec})
	}
	return out, sc.Err()
}

func setCell(family, column string, micros int64, value string) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
		FamilyName:      family,
		ColumnQualifier: []byte(column),
		TimestampMicros: micros,
		Value:           []byte(value),
	}}}
}

// runImport writes sessions of the old system with the raw API, which takes more rows at once.
func runImport(ctx context.Context, e *env) error {
	rows, err := parseOld(os.Stdin)
	if err != nil {
		return err
	}
	conn, err := dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	data := btpb.NewBigtableClient(conn)
	table := fmt.Sprintf("projects/%s/instances/%s/tables/%s", e.cfg.Project, e.cfg.Instance, schema.AuthTable)
	req := &btpb.MutateRowsRequest{TableName: table}
	for _, r := range rows {
		req.Entries = append(req.Entries, &btpb.MutateRowsRequest_Entry{
			RowKey: []byte(schema.Key("s", r.token)),
			Mutations: []*btpb.Mutation{
				setCell(schema.FamSession, "user", r.until*1e6, r.user),     // ok ttlwrite/already-expired
				setCell(schema.FamSession, "tenant", r.until*1e6, r.tenant), // ok ttlwrite/unset-timestamp
				setCell(schema.FamSession, "source", -1, "import"),          // want ttlwrite/server-timestamp
				setCell(schema.FamProfile, "source", -1, "import"),          // ok ttlwrite/server-timestamp
				{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{ // want ttlwrite/unset-timestamp[rawscopes]
					FamilyName:      schema.FamSession, // want ttlwrite/unset-timestamp[rawscopes]
					ColumnQualifier: []byte("scopes"),
					Value:           []byte("read"),
				}}},
			},
		})
	}
	stream, err := data.MutateRows(ctx, req)
	if err != nil {
		return err
	}
	for {
		resp, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		for _, en := range resp.Entries {
			if en.Status.GetCode() != 0 {
				slog.Warn("row refused", "index", en.Index, "why", en.Status.GetMessage())
			}
		}
	}
	return importPages(ctx, e, data)
}

// importPages writes the start page of the house tenant.
func importPages(ctx context.Context, e *env, data btpb.BigtableClient) error {
	name := fmt.Sprintf("projects/%s/instances/%s/tables/", e.cfg.Project, e.cfg.Instance)
	_, err := data.MutateRow(ctx, &btpb.MutateRowRequest{
		TableName: name + "acme-cache",
		RowKey:    []byte("p#start"),
		Mutations: []*btpb.Mutation{
			setCell(schema.FamPage, "html", time.Now().UnixMilli()*1000, "<html></html>"),            // ok ttlwrite/unset-timestamp
			setCell(schema.FamPage, "type", -1, "text/html"),                                         // ok ttlwrite/server-timestamp
			setCell(schema.FamLock, "owner", time.Now().UnixMilli()*1000, "import"),                  // want ttlwrite/write-time
			setCell(schema.FamLock, "until", time.Now().Add(time.Minute).UnixMilli()*1000, "import"), // ok ttlwrite/write-time
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{ // want ttlwrite/unset-timestamp[rawetag]
				FamilyName:      schema.FamPage, // want ttlwrite/unset-timestamp[rawetag]
				ColumnQualifier: []byte("etag"),
				Value:           []byte("0"),
			}}},
		},
	})
	if err != nil {
		return err
	}
	_, err = data.ReadModifyWriteRow(ctx, &btpb.ReadModifyWriteRowRequest{
		TableName: name + schema.FlagsTable,
		RowKey:    []byte("flag#import"),
		Rules: []*btpb.ReadModifyWriteRule{
			{FamilyName: schema.FamFlag, ColumnQualifier: []byte("n"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // want ttlwrite/read-modify-write
		},
	})
	return err
}

// runMasks brings policies in order with the raw admin API.
func runMasks(ctx context.Context, e *env) error {
	conn, err := dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	admin := adminpb.NewBigtableTableAdminClient(conn)
	parent := fmt.Sprintf("projects/%s/instances/%s", e.cfg.Project, e.cfg.Instance)
	_, err = admin.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: parent + "/tables/" + schema.AuthTable,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{
				Id: schema.FamSession,
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
					GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Second)}}, // ok ttlgc/age-mismatch
				}},
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}}, // ok ttlgc/empty-mask
			},
			{
				Id: schema.FamInvite,
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
					GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(schema.InviteTTL)}}, // want ttlgc/age-mismatch
				}},
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}}, // ok ttlgc/empty-mask
			},
			{ // want ttlgc/empty-mask[mask]
				Id:  schema.FamProfile,                                                                         // want ttlgc/empty-mask[mask]
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}, // want ttlgc/empty-mask[mask]
			},
		},
	})
	if err != nil {
		return err
	}
	return rangesOf(ctx, e)
}

// rangesOf empties columns that an old version wrote with numbers of its own.
func rangesOf(ctx context.Context, e *env) error {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange(schema.FamProfile, "legacy", 0, 999)  // want ttlunit/sub-millisecond
	m.DeleteTimestampRange(schema.FamProfile, "old", 1000, 2000) // ok ttlunit/sub-millisecond
	if err := e.client.Open(schema.AuthTable).Apply(ctx, "u#legacy", m); err != nil {
		return err
	}
	act := e.client.Open(schema.ActivityTable)
	n := 0
	err := act.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		n += len(row[schema.FamEvent])
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamEvent),
		bigtable.TimestampRangeFilterMicros(5_000_000, 1_000_000), // want ttlunit/empty-range
	)))
	if err != nil {
		return err
	}
	err = act.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		n += len(row[schema.FamEvent])
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamEvent)))) // want ttlunit/invalid-filter
	if err != nil {
		return err
	}
	mark := bigtable.NewMutation()
	mark.Set(schema.FamEvent, "swept", bigtable.Timestamp(-2), btx.Int(int64(n)))     // want ttlunit/out-of-range
	mark.Set(schema.FamEvent, "by", bigtable.Timestamp(-1), []byte("tenantjobs"))     // ok ttlunit/out-of-range
	mark.Set(schema.FamEvent, "dur", bigtable.Timestamp(time.Minute), nil)            // want ttlunit/wrong-unit
	mark.Set(schema.FamEvent, "secs", bigtable.Timestamp(time.Now().Unix()), nil)     // want ttlunit/wrong-unit
	mark.Set(schema.FamEvent, "now", bigtable.Timestamp(time.Now().UnixMicro()), nil) // ok ttlunit/wrong-unit
	return act.Apply(ctx, "sweep", mark)
}
