package careful

import (
	// The client.
	"cloud.google.com/go/bigtable"
)

func noTime(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}
