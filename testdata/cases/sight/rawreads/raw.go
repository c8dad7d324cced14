// Package rawreads makes raw requests to change what is read.
package rawreads

import (
	"fmt"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
)

const prefix = "projects/p/instances/i/tables/"

func visit(key string) *bigtablepb.ReadModifyWriteRowRequest {
	return &bigtablepb.ReadModifyWriteRowRequest{
		TableName: prefix + "cache",
		RowKey:    []byte(key),
		Rules: []*bigtablepb.ReadModifyWriteRule{
			{FamilyName: "val", ColumnQualifier: []byte("n"), Rule: &bigtablepb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // want `read-modify-write: .*"cache"`
		},
	}
}

func rule(family string) *bigtablepb.ReadModifyWriteRule {
	return &bigtablepb.ReadModifyWriteRule{FamilyName: family, ColumnQualifier: []byte("n")}
}

func helped(project, key string) *bigtablepb.ReadModifyWriteRowRequest {
	req := &bigtablepb.ReadModifyWriteRowRequest{
		TableName: fmt.Sprintf("projects/%s/instances/i/tables/history", project),
		RowKey:    []byte(key),
	}
	req.Rules = append(req.Rules, rule("val")) // want `read-modify-write: .*"history"`
	return req
}

func rules(key string) *bigtablepb.ReadModifyWriteRowRequest {
	rs := []*bigtablepb.ReadModifyWriteRule{
		rule("val"),         // want `read-modify-write: .*"history"`
		{FamilyName: "val"}, // want `read-modify-write: .*"history"`
	}
	return &bigtablepb.ReadModifyWriteRowRequest{TableName: prefix + "history", RowKey: []byte(key), Rules: rs}
}

// Silent: which table is not known, or it is another.
func silent(table, key string) []*bigtablepb.ReadModifyWriteRowRequest {
	return []*bigtablepb.ReadModifyWriteRowRequest{
		{TableName: table, Rules: []*bigtablepb.ReadModifyWriteRule{{FamilyName: "val"}}},
		{TableName: prefix + "other", Rules: []*bigtablepb.ReadModifyWriteRule{{FamilyName: "val"}}},
	}
}
