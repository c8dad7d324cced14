// Package importer writes with the raw API, since it streams whole files.
package importer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"example.com/idp/internal/schema"
)

// Line is one line of a dump.
type Line struct {
	Key     string    `json:"key"`
	Token   []byte    `json:"token"`
	Expires time.Time `json:"expires"`
	Grants  [][]byte  `json:"grants"`
}

// Importer writes a dump into the tables.
type Importer struct {
	data     btpb.BigtableClient
	instance string
	size     int
}

// New returns an importer.
func New(data btpb.BigtableClient, project, instance string) *Importer {
	return &Importer{data: data, instance: fmt.Sprintf("projects/%s/instances/%s", project, instance), size: 200}
}

func (im *Importer) table(name string) string { return im.instance + "/tables/" + name }

// cell is a cell with a timestamp.
func cell(family, column string, micros int64, value []byte) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
		FamilyName: family, ColumnQualifier: []byte(column), TimestampMicros: micros, Value: value,
	}}}
}

func (im *Importer) Tokens(ctx context.Context, in io.Reader) (int, error) {
	sc := bufio.NewScanner(in)
	n := 0
	for sc.Scan() {
		var l Line
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
			return n, fmt.Errorf("importer: line %d: %w", n+1, err)
		}
		now := time.Now()
		muts := []*btpb.Mutation{
			cell(schema.FamAccess, "claims", l.Expires.UnixMicro()/1000*1000, l.Token),                                                           // ok ttlwrite/write-time
			cell(schema.FamAccess, "imported", now.UnixMilli()*1000, []byte("1")),                                                                // want ttlwrite/write-time
			cell(schema.FamRefresh, "imported", now.UnixMilli()*1000, []byte("1")),                                                               // ok ttlwrite/write-time
			cell(schema.FamAccess, "origin", -1, []byte("dump")),                                                                                 // want ttlwrite/server-timestamp
			cell(schema.FamClient, "origin", -1, []byte("dump")),                                                                                 // ok ttlwrite/server-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: schema.FamAccess, ColumnQualifier: []byte("line")}}},  // want ttlwrite/unset-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: schema.FamRefresh, ColumnQualifier: []byte("line")}}}, // want ttlwrite/unset-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: schema.FamClient, ColumnQualifier: []byte("line")}}},  // ok ttlwrite/unset-timestamp
		}
		if _, err := im.data.MutateRow(ctx, &btpb.MutateRowRequest{TableName: im.table(schema.TableTokens), RowKey: []byte(l.Key), Mutations: muts}); err != nil {
			return n, err
		}
		n++
	}
	return n, sc.Err()
}

func (im *Importer) Grants(ctx context.Context, l Line) error {
	var muts []*btpb.Mutation
	for i, g := range l.Grants {
		muts = append(muts, cell(schema.FamGrant, "grant", int64(i+1)*1000, g)) // ok ttlwrite/unscaled-sequence
		muts = append(muts, cell(schema.FamGrant, "source", int64(i), nil))     // want ttlwrite/unscaled-sequence
	}
	muts = append(muts, cell(schema.FamGrant, "when", time.Now().UnixMicro(), nil)) // want ttlwrite/clock-in-sequence
	muts = append(muts, cell(schema.FamScope, "scopes", 0, nil))                    // ok ttlwrite/unset-timestamp ttlwrite/clock-in-zero
	_, err := im.data.MutateRow(ctx, &btpb.MutateRowRequest{TableName: im.table(schema.TableConsents), RowKey: []byte(l.Key), Mutations: muts})
	return err
}

func (im *Importer) Check(ctx context.Context, n int64) (int, error) {
	stream, err := im.data.ReadRows(ctx, &btpb.ReadRowsRequest{TableName: im.table(schema.TableConsents), RowsLimit: n}) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	cells := 0
	for {
		resp, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return cells, nil
		}
		if err != nil {
			return cells, err
		}
		for _, ch := range resp.Chunks {
			cells += len(ch.Value)
		}
	}
}

func (im *Importer) CheckLatest(ctx context.Context, n int64) (btpb.Bigtable_ReadRowsClient, error) {
	f := &btpb.RowFilter{Filter: &btpb.RowFilter_CellsPerColumnLimitFilter{CellsPerColumnLimitFilter: 1}}
	return im.data.ReadRows(ctx, &btpb.ReadRowsRequest{TableName: im.table(schema.TableConsents), RowsLimit: n, Filter: f}) // ok ttlread/missing-filter ttlread/version-limit
}

func (im *Importer) Bump(ctx context.Context, key string) error {
	_, err := im.data.ReadModifyWriteRow(ctx, &btpb.ReadModifyWriteRowRequest{
		TableName: im.table(schema.TableKeys),
		RowKey:    []byte(key),
		Rules: []*btpb.ReadModifyWriteRule{
			{FamilyName: schema.FamKey, ColumnQualifier: []byte("n"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // want ttlwrite/read-modify-write
		},
	})
	return err
}
