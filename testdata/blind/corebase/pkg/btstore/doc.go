// Package btstore is the company's data-access library for Cloud Bigtable.
//
// It puts a thin layer over the client: handles that know their table's name,
// families that know how their cells age, options that add up, row mappers, a
// retry helper, a batch writer and a schema that is declared as Go values.
//
// Nothing here hides the client. A service that needs something the library
// does not have takes Table.Raw or Store.Client and goes on from there.
package btstore
