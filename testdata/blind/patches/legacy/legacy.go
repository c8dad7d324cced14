// Package legacy is what was there before bt: raw protos, and the SQL of the hackathon.
package legacy

import (
	"context"
	"fmt"
	"io"
	"time"

	"brightpost.example/monolith/conf"

	"cloud.google.com/go/bigtable"
	adminpb "cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
)

// Raw talks gRPC.
type Raw struct {
	cl     btpb.BigtableClient
	prefix string
}

const (
	imprName = "projects/brightpost-prod/instances/main/tables/impressions"
	subsName = "projects/brightpost-prod/instances/main/tables/subscribers"
)

func set(fam, col string, micros int64, val []byte) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
		FamilyName: fam, ColumnQualifier: []byte(col), TimestampMicros: micros, Value: val,
	}}}
}

// Cap writes a cap the raw way.
func (r *Raw) Cap(ctx context.Context, key string) error {
	exp := time.Now().Add(conf.CapTTL).UnixMicro() / 1000 * 1000
	_, err := r.cl.MutateRow(ctx, &btpb.MutateRowRequest{TableName: imprName, RowKey: []byte(key), Mutations: []*btpb.Mutation{
		set("cap", "a", exp, nil),                              // ok ttlwrite/write-time
		set("cap", "b", -1, nil),                               // want ttlwrite/server-timestamp
		set("meta", "b", -1, nil),                              // ok ttlwrite/server-timestamp
		set("cap", "c", time.Now().UnixMicro()/1000*1000, nil), // want ttlwrite/write-time
	}})
	return err
}

// Confirm forgot something.
func (r *Raw) Confirm(ctx context.Context, key string) error {
	_, err := r.cl.MutateRow(ctx, &btpb.MutateRowRequest{TableName: subsName, RowKey: []byte(key), Mutations: []*btpb.Mutation{
		{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: "confirm", ColumnQualifier: []byte("raw")}}}, // want ttlwrite/unset-timestamp
		{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: "opens", ColumnQualifier: []byte("raw")}}},   // want ttlwrite/unset-timestamp
		{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: "profile", ColumnQualifier: []byte("raw")}}}, // ok ttlwrite/unset-timestamp
	}})
	return err
}

// Read reads the raw way.
func (r *Raw) Read(ctx context.Context, key string) (out []*btpb.ReadRowsResponse, err error) {
	req := &btpb.ReadRowsRequest{TableName: imprName, Rows: &btpb.RowSet{RowKeys: [][]byte{[]byte(key)}}} // want ttlread/missing-filter[raw]
	st, err := r.cl.ReadRows(ctx, req)                                                                    // want ttlread/missing-filter[raw]
	if err != nil {
		return nil, err
	}
	for {
		res, err := st.Recv()
		if err == io.EOF {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		out = append(out, res)
	}
}

// ReadMeta reads an ordinary family.
func (r *Raw) ReadMeta(ctx context.Context, key string) error {
	req := &btpb.ReadRowsRequest{TableName: imprName, Filter: &btpb.RowFilter{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: "meta"}}}
	_, err := r.cl.ReadRows(ctx, req) // ok ttlread/missing-filter
	return err
}

// Rule changes policies the raw way.
func Rule(ctx context.Context, ac adminpb.BigtableTableAdminClient) error {
	_, err := ac.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{Name: subsName, Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
		{Id: "profile", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}}, // want ttlgc/empty-mask
	}})
	return err
}

// SQL is the hackathon.
type SQL struct{ c *bigtable.Client }

func (s *SQL) run(ctx context.Context, q string) (int, error) {
	ps, err := s.c.PrepareStatement(ctx, q, nil)
	if err != nil {
		return 0, err
	}
	bs, err := ps.Bind(nil)
	if err != nil {
		return 0, err
	}
	n := 0
	err = bs.Execute(ctx, func(bigtable.ResultRow) bool { n++; return true })
	return n, err
}

// Count by SQL.
func (s *SQL) Count(ctx context.Context) error {
	for _, f := range []func() (int, error){
		func() (int, error) { return s.run(ctx, "SELECT _key, cap FROM impressions") },         // want ttlread/sql
		func() (int, error) { return s.run(ctx, "SELECT _key, meta FROM impressions") },        // ok ttlread/sql
		func() (int, error) { return s.run(ctx, "SELECT _key, cap FROM impressions_archive") }, // ok ttlread/sql
		func() (int, error) { return s.run(ctx, "SELECT _key, opens FROM subscribers") },       // want ttlread/sql
		func() (int, error) { return s.run(ctx, "SELECT _key, rev FROM campaigns") },           // ok ttlread/sql
	} {
		n, err := f()
		if err != nil {
			return err
		}
		fmt.Println(n)
	}
	return nil
}
