package expirynoimport

import "cloud.google.com/go/bigtable"

func single(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

func twice(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Now(), nil)   // want `write-time: .*"token"`
	mut.Set("ticket", "seat", bigtable.Now(), nil) // want `write-time: .*"ticket"`
}
