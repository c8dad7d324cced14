package malformed

import "cloud.google.com/go/bigtable"

// A finding is silenced only with a reason.
func nolintWithoutReason(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) /* want `server-timestamp: .*"token"` `directive: ` */ //nolint:ttlvet
}

// What golangci-lint's other linters are told is none of ttlvet's business.
func okOtherLinters(mut *bigtable.Mutation) {
	mut.Set("profile", "name", bigtable.ServerTime, nil) //nolint:errcheck
}
