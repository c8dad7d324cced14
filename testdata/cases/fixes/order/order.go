// Package order deletes after it writes.
package order

import "cloud.google.com/go/bigtable"

func column(mut *bigtable.Mutation, value []byte) {
	mut.Set("profile", "name", bigtable.Now(), value)
	mut.DeleteCellsInColumn("profile", "name") // want `delete-after-set: .*"profile"`
}

func row(value []byte) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set("profile", "name", bigtable.Now(), value)
	mut.Set("profile", "mail", bigtable.Now(), value)
	mut.DeleteRow() // want `delete-after-set: .*"profile"`
	return mut
}
