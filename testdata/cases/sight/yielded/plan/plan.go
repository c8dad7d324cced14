// Package plan says which families are written.
package plan

import (
	"iter"

	"cloud.google.com/go/bigtable"
)

func Families() iter.Seq[string] {
	return func(yield func(string) bool) {
		if yield("profile") {
			yield("token")
		}
	}
}

func Revoke(mut *bigtable.Mutation, families iter.Seq[string]) {
	for family := range families {
		mut.Set(family, "c", bigtable.Now(), nil)
	}
}
