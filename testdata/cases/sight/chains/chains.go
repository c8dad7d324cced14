// Package chains makes chains by hand and out of what functions are given.
package chains

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"example.com/cases/sight/chains/lib"
)

func chained(fs ...bigtable.Filter) bigtable.Filter { return bigtable.ChainFilters(fs...) }

func withFamily(family string, fs ...bigtable.Filter) bigtable.ReadOption {
	all := append([]bigtable.Filter{bigtable.FamilyFilter(family)}, fs...)
	return bigtable.RowFilter(bigtable.ChainFilters(all...))
}

func oneOrChain(fs ...bigtable.Filter) bigtable.ReadOption {
	if len(fs) == 1 {
		return bigtable.RowFilter(fs[0])
	}
	return bigtable.RowFilter(bigtable.ChainFilters(fs...))
}

func live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

type store struct{ tbl *bigtable.Table }

func newStore(c *bigtable.Client) *store { return &store{c.Open("sessions")} }

func (s *store) a(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(chained(bigtable.FamilyFilter("token"), bigtable.LatestNFilter(1)))) // want `missing-filter: .*"token"`
}

func (s *store) okA(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(chained(bigtable.FamilyFilter("token"), live())))
}

func (s *store) b(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", withFamily("token", bigtable.LatestNFilter(1))) // want `missing-filter: .*"token"`
}

func (s *store) okB(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", withFamily("token", live(), bigtable.LatestNFilter(1)))
}

func (s *store) c(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", oneOrChain(bigtable.FamilyFilter("token"))) // want `missing-filter: .*"token"`
}

func (s *store) okC(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", oneOrChain(bigtable.FamilyFilter("token"), live()))
}

func (s *store) d(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", lib.All(bigtable.FamilyFilter("token"), bigtable.LatestNFilter(1))) // want `missing-filter: .*"token"`
}

func (s *store) okD(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", lib.All(bigtable.FamilyFilter("token"), live()))
}

func (s *store) e(ctx context.Context) (bigtable.Row, error) {
	return lib.Get(ctx, s.tbl, "k", bigtable.FamilyFilter("token"), bigtable.LatestNFilter(1)) // want `read of one-second-expiration family "token" of table "sessions"`
}

func (s *store) okE(ctx context.Context) (bigtable.Row, error) {
	return lib.Get(ctx, s.tbl, "k", bigtable.FamilyFilter("token"), live())
}

func (s *store) okUnknown(ctx context.Context, fs ...bigtable.Filter) (bigtable.Row, error) {
	return lib.Get(ctx, s.tbl, "k", append(fs, bigtable.FamilyFilter("token"))...)
}

// Raw.

const path = "projects/p/instances/i/tables/sessions"

func family(name string) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: name}}
}

func latest(n int32) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_CellsPerColumnLimitFilter{CellsPerColumnLimitFilter: n}}
}

func since(t time.Time) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_TimestampRangeFilter{TimestampRangeFilter: &btpb.TimestampRange{StartTimestampMicros: t.UnixMicro()}}}
}

func chain(fs ...*btpb.RowFilter) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_Chain_{Chain: &btpb.RowFilter_Chain{Filters: fs}}}
}

func raw(ctx context.Context, c btpb.BigtableClient) error {
	_, err := c.ReadRows(ctx, &btpb.ReadRowsRequest{TableName: path, Filter: chain(family("token"), latest(1))}) // want `missing-filter: .*"token"`
	return err
}

func okRaw(ctx context.Context, c btpb.BigtableClient) error {
	_, err := c.ReadRows(ctx, &btpb.ReadRowsRequest{TableName: path, Filter: chain(family("token"), since(time.Now()))})
	return err
}

func byHand(ctx context.Context, c btpb.BigtableClient) error {
	f := &btpb.RowFilter_Chain{}
	f.Filters = append(f.Filters, family("token"))
	f.Filters = append(f.Filters, latest(1))
	req := &btpb.ReadRowsRequest{TableName: path} // want `missing-filter: .*"token"`
	req.Filter = &btpb.RowFilter{Filter: &btpb.RowFilter_Chain_{Chain: f}}
	_, err := c.ReadRows(ctx, req)
	return err
}

func okByHand(ctx context.Context, c btpb.BigtableClient) error {
	f := &btpb.RowFilter_Chain{}
	f.Filters = append(f.Filters, family("token"))
	f.Filters = append(f.Filters, since(time.Now()))
	req := &btpb.ReadRowsRequest{TableName: path}
	req.Filter = &btpb.RowFilter{Filter: &btpb.RowFilter_Chain_{Chain: f}}
	_, err := c.ReadRows(ctx, req)
	return err
}

func rawLib(ctx context.Context, c btpb.BigtableClient) error {
	_, err := c.ReadRows(ctx, &btpb.ReadRowsRequest{TableName: path, Filter: lib.Chain(family("token"), latest(1))}) // want `missing-filter: .*"token"`
	return err
}

func okRawLib(ctx context.Context, c btpb.BigtableClient) error {
	_, err := c.ReadRows(ctx, &btpb.ReadRowsRequest{TableName: path, Filter: lib.Chain(family("token"), since(time.Now()))})
	return err
}
