// Package expirynoimport needs an import for its fixes: in a single import, in
// a group, beside a renamed client, beside a name that is taken.
package expirynoimport

import (
	"context"

	cbt "cloud.google.com/go/bigtable"
)

func group(ctx context.Context, tbl *cbt.Table) error {
	mut := cbt.NewMutation()
	mut.Set("token", "jwt", cbt.ServerTime, nil) // want `server-timestamp: .*"token"`
	return tbl.Apply(ctx, "k", mut)
}
