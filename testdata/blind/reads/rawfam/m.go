package rawfam

import (
	"context"

	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
)

func fam(re string) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: re}}
}

type Emb struct{ btpb.BigtableClient }

type Fld struct{ c btpb.BigtableClient }

func (c Emb) Plain(ctx context.Context) (btpb.Bigtable_ReadRowsClient, error) {
	return c.ReadRows(ctx, &btpb.ReadRowsRequest{TableName: "projects/p/instances/i/tables/magic_links"}) // want `missing-filter: .*"link"`
}

func (c Fld) Plain(ctx context.Context) (btpb.Bigtable_ReadRowsClient, error) {
	return c.c.ReadRows(ctx, &btpb.ReadRowsRequest{TableName: "projects/p/instances/i/tables/magic_links"}) // want `missing-filter: .*"link"`
}

func (c Fld) Family(ctx context.Context) (btpb.Bigtable_ReadRowsClient, error) {
	return c.c.ReadRows(ctx, &btpb.ReadRowsRequest{TableName: "projects/p/instances/i/tables/carts", Filter: fam("item")}) // want `missing-filter: .*"item"`
}

func (c Fld) Owner(ctx context.Context) (btpb.Bigtable_ReadRowsClient, error) {
	return c.c.ReadRows(ctx, &btpb.ReadRowsRequest{TableName: "projects/p/instances/i/tables/carts", Filter: fam("owner")}) // silent
}
