// Package printed prints raw requests before it sends them; one helper makes
// cells for several tables.
package printed

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

func setCell(family string, ts bigtable.Timestamp) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: family, TimestampMicros: int64(ts)}}}
}

func token(ctx context.Context, c btpb.BigtableClient, dry bool) error {
	req := &btpb.MutateRowRequest{
		TableName: "projects/p/instances/i/tables/cache",
		Mutations: []*btpb.Mutation{
			setCell("val", bigtable.Now()), // want `write-time: .*"val" of table "cache"`
			setCell("val", bigtable.Time(time.Now().Add(time.Minute))),
		},
	}
	if dry {
		fmt.Println(protojson.Format(req), proto.Size(req))
		return nil
	}
	_, err := c.MutateRow(ctx, req)
	return err
}

func number(ctx context.Context, c btpb.BigtableClient, n int64) error {
	req := &btpb.CheckAndMutateRowRequest{
		TableName:      "projects/p/instances/i/tables/history",
		FalseMutations: []*btpb.Mutation{setCell("val", bigtable.Timestamp(n*1000))},
	}
	fmt.Println(protojson.MarshalOptions{Multiline: true}.Format(req))
	_, err := c.CheckAndMutateRow(ctx, req)
	return err
}

// What is read into a request is not known.
func loaded(ctx context.Context, c btpb.BigtableClient, text []byte) error {
	req := &btpb.MutateRowRequest{TableName: "projects/p/instances/i/tables/cache"}
	if err := protojson.Unmarshal(text, req); err != nil {
		return err
	}
	req.Mutations = append(req.Mutations, setCell("val", bigtable.Timestamp(1000)))
	_, err := c.MutateRow(ctx, req)
	return err
}
