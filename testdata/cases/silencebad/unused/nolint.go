package unused

import "cloud.google.com/go/bigtable"

func nolint(mut *bigtable.Mutation) {
	mut.Set("profile", "name", bigtable.ServerTime, nil) /* want `directive: ` */ //nolint:ttlvet // the row is deleted at logout
}

func okNolint(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) //nolint:ttlvet // the row is deleted at logout
}
