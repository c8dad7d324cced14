// Package nolint silences with the words of golangci-lint.
package nolint

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func okOnTheLine(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) //nolint:ttlvet // the row is deleted at logout
}

func okAmongOthers(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k") //nolint:wrapcheck,ttlvet // the caller wraps and wants dead cells
}

//nolint:ttlvet // this function writes tombstones
func okDeclaration(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil)
	mut.Set("token", "csrf", bigtable.ServerTime, nil)
}

func otherLinter(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) //nolint:errcheck // want `server-timestamp: .*"token"`
}
