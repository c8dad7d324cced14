// Package msg makes raw messages.
package msg

import (
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
)

// Instance is where the tables are.
type Instance struct{ Project, Name string }

// Table returns the full name of a table.
func (i Instance) Table(id string) string {
	return "projects/" + i.Project + "/instances/" + i.Name + "/tables/" + id
}

// Cell makes a mutation that sets a cell.
func Cell(family, column string, micros int64, v []byte) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
		FamilyName: family, ColumnQualifier: []byte(column), TimestampMicros: micros, Value: v,
	}}}
}

// Row makes a request that changes a row.
func Row(table, key string, muts ...*btpb.Mutation) *btpb.MutateRowRequest {
	return &btpb.MutateRowRequest{TableName: table, RowKey: []byte(key), Mutations: muts}
}

// Read makes a request that reads a row.
func Read(table, key string) *btpb.ReadRowsRequest {
	req := &btpb.ReadRowsRequest{TableName: table}
	req.Rows = &btpb.RowSet{RowKeys: [][]byte{[]byte(key)}}
	return req
}
