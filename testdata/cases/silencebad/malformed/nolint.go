package malformed

import "cloud.google.com/go/bigtable"

// golangci-lint drops what such a directive speaks for, whatever ttlvet thinks
// of it: it silences everywhere, and its reason is asked for.
func nolintWithoutReason(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) /* want `directive: the directive lacks a reason; write //nolint:ttlvet // why` */ //nolint:ttlvet
}

// golangci-lint knows no linter of these names.
func nolintReasonInName(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) /* want `server-timestamp: .*"token"` `directive: golangci-lint takes the reason for a part of the name` */ //nolint:ttlvet the row is deleted at logout
}

func nolintAnalyzer(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) /* want `server-timestamp: .*"token"` `directive: golangci-lint does not know ttlwrite` */ //nolint:ttlwrite // the row is deleted at logout
}

// What golangci-lint's other linters are told is none of ttlvet's business.
func okOtherLinters(mut *bigtable.Mutation) {
	mut.Set("profile", "name", bigtable.ServerTime, nil) //nolint:errcheck
}
