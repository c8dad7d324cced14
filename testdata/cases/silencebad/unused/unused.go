// Package unused has directives that silence nothing. To be run with the
// analyzer ttlvet, which looks at directives.
package unused

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func mended(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(time.Hour)), nil) /* want `directive: ` */ //ttlvet:ignore ttlwrite/server-timestamp the row is deleted at logout
}

func otherCategory(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Now(), nil) /* want `write-time: .*"token"` `directive: ` */ //ttlvet:ignore ttlwrite/server-timestamp the row is deleted at logout
}

func wrongLine(mut *bigtable.Mutation) {
	/* want `directive: ` */ //ttlvet:ignore ttlwrite/server-timestamp the row is deleted at logout

	_ = mut
	mut.Set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

// want +2 `directive: `
//
//ttlvet:ignore ttlread/missing-filter the caller wants dead rows as well
func declaration(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(time.Hour)), nil)
}

func okUsed(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) //ttlvet:ignore ttlwrite/server-timestamp the row is deleted at logout
}

// The name ttlvet stands for all rules.
func wholeSuite(mut *bigtable.Mutation) {
	mut.Set("profile", "name", bigtable.ServerTime, nil) /* want `directive: the directive silences nothing` */ //ttlvet:ignore ttlvet the row is deleted at logout
}

func okWholeSuite(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) //ttlvet:ignore ttlvet the row is deleted at logout
}
