package expirynoimport

import (
	gotime "time"

	"cloud.google.com/go/bigtable"
)

func renamed(mut *bigtable.Mutation) gotime.Duration {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
	return gotime.Second
}
