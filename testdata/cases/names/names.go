// Package names opens tables by names that the registry knows by handles, and by
// names with the path of their instance.
package names

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// JournalTable is what the table is called in production.
const JournalTable = "prod-journal-7"

func journal(ctx context.Context, client *bigtable.Client, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.ServerTime, v) // want `server-timestamp: write to one-second-expiration family "val" of table "cache"`
	return client.Open(JournalTable).Apply(ctx, "key", mut)
}

func byPath(ctx context.Context, client *bigtable.Client, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.ServerTime, v) // want `server-timestamp: write to one-second-expiration family "val" of table "cache"`
	return client.Open("projects/p/instances/i/tables/cache").Apply(ctx, "key", mut)
}

// Another table's family is nobody's business.
func okOther(ctx context.Context, client *bigtable.Client, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.ServerTime, v)
	return client.Open("prod-journal-8").Apply(ctx, "key", mut)
}
