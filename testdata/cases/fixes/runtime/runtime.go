// Package runtime sees the runtime package, so that fixes use it.
package runtime

import (
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/runtime/ttl"
)

func ok(mut *bigtable.Mutation) {
	mut.Set("token", "csrf", ttl.ExpiresIn(time.Hour), nil)
}

func serverTime(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

func writeTime(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Now(), nil) // want `write-time: .*"token"`
}
