// Package raw builds the API's messages itself: SetCell without a timestamp,
// and the mistakes that Set can make as well.
package raw

import (
	"time"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
)

func unset() *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{
		SetCell: &bigtablepb.Mutation_SetCell{FamilyName: "token", ColumnQualifier: []byte("jwt"), Value: []byte("x")}, // want `unset-timestamp: .*"token".*; set TimestampMicros: time.Now\(\).Add\(.*\).Truncate\(time.Millisecond\).UnixMicro\(\)`
	}}
}

func unsetDefault() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "event", ColumnQualifier: []byte("url")} // want `unset-timestamp: .*"event".*; set TimestampMicros: time.Now\(\).Truncate\(time.Millisecond\).UnixMicro\(\)`
}

func unsetSequence() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "entry", ColumnQualifier: []byte("amount")} // want `unset-timestamp: .*"entry".*; set TimestampMicros: number \* 1000`
}

func okUnsetZero() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "latest", ColumnQualifier: []byte("price")}
}

func okUnsetReal() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "profile", ColumnQualifier: []byte("name")}
}

func okUnsetUnregistered() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "other", ColumnQualifier: []byte("name")}
}

func okSet() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "token", TimestampMicros: time.Now().Add(time.Hour).UnixMilli() * 1000}
}

func okSetLater() *bigtablepb.Mutation_SetCell {
	cell := &bigtablepb.Mutation_SetCell{FamilyName: "token", ColumnQualifier: []byte("jwt")}
	cell.TimestampMicros = time.Now().Add(time.Hour).UnixMilli() * 1000
	return cell
}

func okSetParameter(micros int64) *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "token", TimestampMicros: micros}
}

func serverTime() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "token", TimestampMicros: -1} // want `server-timestamp: .*"token".*; set TimestampMicros: time.Now\(\).Add\(30\*time.Minute\).Truncate\(time.Millisecond\).UnixMicro\(\)`
}

func writeTime() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "token", TimestampMicros: time.Now().UnixMicro()} // want `write-time: .*"token"`
}

func clockInSequence() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "entry", TimestampMicros: time.Now().UnixMilli() * 1000} // want `clock-in-sequence: .*"entry".*; set TimestampMicros: number \* 1000`
}

func unscaledSequence() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "entry", TimestampMicros: 7} // want `unscaled-sequence: .*"entry".*; set TimestampMicros: number \* 1000`
}

func okSequence(n int64) *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "entry", TimestampMicros: n * 1000}
}

func clockInZero() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "latest", TimestampMicros: time.Now().UnixMilli() * 1000} // want `clock-in-zero: .*"latest"`
}

func rule() *bigtablepb.ReadModifyWriteRule {
	return &bigtablepb.ReadModifyWriteRule{FamilyName: "token", ColumnQualifier: []byte("uses"), Rule: &bigtablepb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}} // want `read-modify-write: .*"token"`
}

func okRule() *bigtablepb.ReadModifyWriteRule {
	return &bigtablepb.ReadModifyWriteRule{FamilyName: "profile", ColumnQualifier: []byte("logins"), Rule: &bigtablepb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}
}

// A request names the table.
func request() *bigtablepb.MutateRowRequest {
	return &bigtablepb.MutateRowRequest{
		TableName: "projects/p/instances/i/tables/cache",
		RowKey:    []byte("k"),
		Mutations: []*bigtablepb.Mutation{{Mutation: &bigtablepb.Mutation_SetCell_{
			SetCell: &bigtablepb.Mutation_SetCell{FamilyName: "val", Value: []byte("x")}, // want `unset-timestamp: .*"val"`
		}}},
	}
}

func okRequestOfOtherTable() *bigtablepb.MutateRowRequest {
	return &bigtablepb.MutateRowRequest{
		TableName: "projects/p/instances/i/tables/plain",
		RowKey:    []byte("k"),
		Mutations: []*bigtablepb.Mutation{{Mutation: &bigtablepb.Mutation_SetCell_{
			SetCell: &bigtablepb.Mutation_SetCell{FamilyName: "token", Value: []byte("x")},
		}}},
	}
}
