package expirynoimport

import (
	. "cloud.google.com/go/bigtable"
)

func dot(mut *Mutation) {
	mut.Set("token", "jwt", ServerTime, nil) // want `server-timestamp: .*"token"`
}
