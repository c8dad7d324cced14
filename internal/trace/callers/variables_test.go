package callers_test

import "testing"

// What a function does by a client in a package variable is its callers', whatever
// the function that assigns the variable was given.
func TestByVariable(t *testing.T) {
	check(t, `
var client *bigtable.Client
var suffix string
func setup(c *bigtable.Client, s string) { client, suffix = c, s }
func get(ctx context.Context, table, family string) {
	client.Open(table).ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter(family)))
}
func f(ctx context.Context) {
	get(ctx, "history", "val") // ReadRow^1 (bigtable.Client.Open(?a client, "history"), [bigtable.RowFilter(bigtable.FamilyFilter("val"))])
}
`)
}
