package library

import "cloud.google.com/go/bigtable"

// depth counts how deep the type of a column nests: what is behind an interface of a
// library is a struct that holds the same interface.
func depth(t bigtable.SQLType) int {
	if a, ok := t.(bigtable.ArraySQLType); ok {
		return 1 + depth(a.ElemType)
	}
	return 0
}

func nested(mut *bigtable.Mutation, r bigtable.ResultRow) {
	println(depth(r.Metadata.Columns[0].SQLType))
	mut.Set("token", "c", bigtable.ServerTime, nil) // want `server-timestamp`
}

var _ = nested
