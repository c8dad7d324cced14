// Package raw builds messages by hand.
package raw

import "cloud.google.com/go/bigtable/apiv2/bigtablepb"

func unset() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "token", ColumnQualifier: []byte("jwt")} // want `unset-timestamp: .*"token"`
}

func unsetDefault() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "event", ColumnQualifier: []byte("url")} // want `unset-timestamp: .*"event"`
}

func server() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "token", TimestampMicros: -1} // want `server-timestamp: .*"token"`
}
