// Package raw builds requests to read itself.
package raw

import (
	"time"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
)

const otp = "projects/p/instances/i/tables/otp"

func noFilter() *bigtablepb.ReadRowsRequest {
	return &bigtablepb.ReadRowsRequest{TableName: otp} // want `missing-filter: .*"code"`
}

func okOtherTable() *bigtablepb.ReadRowsRequest {
	return &bigtablepb.ReadRowsRequest{TableName: "projects/p/instances/i/tables/plain"}
}

func okUnknownTable(name string) *bigtablepb.ReadRowsRequest {
	return &bigtablepb.ReadRowsRequest{TableName: name}
}

func okUnknownFilter(f *bigtablepb.RowFilter) *bigtablepb.ReadRowsRequest {
	return &bigtablepb.ReadRowsRequest{TableName: otp, Filter: f}
}

func okFilter() *bigtablepb.ReadRowsRequest {
	live := &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_TimestampRangeFilter{
		TimestampRangeFilter: &bigtablepb.TimestampRange{StartTimestampMicros: time.Now().UnixMilli() * 1000},
	}}
	return &bigtablepb.ReadRowsRequest{TableName: otp, Filter: live}
}

func latest() *bigtablepb.ReadRowsRequest {
	one := &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_CellsPerColumnLimitFilter{CellsPerColumnLimitFilter: 1}}
	return &bigtablepb.ReadRowsRequest{TableName: otp, Filter: one} // want `missing-filter: .*"code"`
}

func checkAndMutate(mutations []*bigtablepb.Mutation) *bigtablepb.CheckAndMutateRowRequest {
	family := &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: "code"}}
	set := []*bigtablepb.Mutation{{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: "code", TimestampMicros: time.Now().Add(time.Hour).UnixMilli() * 1000}}}}
	return &bigtablepb.CheckAndMutateRowRequest{TableName: otp, PredicateFilter: family, FalseMutations: set} // want `conditional-mutation: .*"code"`
}
