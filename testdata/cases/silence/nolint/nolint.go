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

// What is meant for every linter is meant for ttlvet, and needs no reason.
func okEverybody(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil)  //nolint
	mut.Set("token", "csrf", bigtable.ServerTime, nil) //nolint:all
	//nolint // because of that
	mut.Set("token", "nonce", bigtable.ServerTime, nil)
	mut.Set("token", "id", bigtable.ServerTime, nil) //nolint:errcheck,all
}

// Nor need it be of use to ttlvet.
func okEverybodyUnused(mut *bigtable.Mutation) {
	mut.Set("profile", "name", bigtable.ServerTime, nil) //nolint
	mut.Set("profile", "mail", bigtable.ServerTime, nil) //nolint:all
}

// It counts below what names ttlvet.
//
// nolint
func okBoth(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) //ttlvet:ignore ttlwrite/server-timestamp the row is deleted at logout
}
