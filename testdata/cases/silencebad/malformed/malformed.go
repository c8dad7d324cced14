// Package malformed has directives that are wrong. They silence nothing. To be
// run with the analyzer ttlvet, which looks at directives.
package malformed

import "cloud.google.com/go/bigtable"

func noReason(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) /* want `server-timestamp: .*"token"` `directive: ` */ //ttlvet:ignore ttlwrite/server-timestamp
}

func noRule(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) /* want `server-timestamp: .*"token"` `directive: ` */ //ttlvet:ignore
}

func unknownCategory(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) /* want `server-timestamp: .*"token"` `directive: ` */ //ttlvet:ignore ttlwrite/server-time the row is deleted at logout
}

func unknownAnalyzer(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) /* want `server-timestamp: .*"token"` `directive: ` */ //ttlvet:ignore ttlwrites/server-timestamp the row is deleted at logout
}

func bareCategory(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) /* want `server-timestamp: .*"token"` `directive: ` */ //ttlvet:ignore server-timestamp the row is deleted at logout
}

func misspelt(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) /* want `server-timestamp: .*"token"` `directive: ` */ //ttlvet:ingore ttlwrite/server-timestamp the row is deleted at logout
}

func ownLine(mut *bigtable.Mutation) {
	// want +1 `directive: `
	//ttlvet:ignore ttlwrite/server-timestamp
	mut.Set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

// Go's directives have no space before the word.
func withSpace(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) /* want `server-timestamp: .*"token"` `directive: this is a comment, not a directive` */ // ttlvet:ignore ttlwrite/server-timestamp the row is deleted at logout
}

func okRemark(mut *bigtable.Mutation) {
	// ttlvet:ignore is how one would silence a finding.
	mut.Set("profile", "name", bigtable.ServerTime, nil)
}
