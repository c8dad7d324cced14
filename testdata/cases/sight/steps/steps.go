// Package steps adds the index of a loop to a number.
package steps

import "cloud.google.com/go/bigtable"

var seqs = map[string]int64{}

func appendMany(account string, list []string) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	for i, kind := range list {
		mut.Set("entry", kind, bigtable.Timestamp(seqs[account]+int64(i)), nil) // want `unscaled-sequence: .*"entry"`
	}
	return mut
}

// From writes behind the number of the last.
func From(mut *bigtable.Mutation, last int64, list [][]byte) {
	for i, v := range list {
		mut.Set("entry", "line", bigtable.Timestamp(last+int64(i)+1), v) // want `unscaled-sequence: .*"entry"`
	}
}

func okScaled(mut *bigtable.Mutation, last int64, list [][]byte) {
	for i, v := range list {
		mut.Set("entry", "line", bigtable.Timestamp((last+int64(i))*1000), v)
		mut.Set("entry", "copy", bigtable.Timestamp(last+int64(i)*1000), v)
		mut.Set("entry", "size", bigtable.Timestamp(last+int64(len(v))), v)
	}
}

// In other families the number may be anything, and a few steps are no matter.
func okOthers(mut *bigtable.Mutation, at bigtable.Timestamp, list [][]byte) {
	for i, v := range list {
		mut.Set("token", "line", at+bigtable.Timestamp(i), v)
		mut.Set("event", "line", at+bigtable.Timestamp(i), v)
		mut.Set("profile", "line", at+bigtable.Timestamp(i), v)
	}
}
