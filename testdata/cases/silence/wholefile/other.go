package wholefile

import "cloud.google.com/go/bigtable"

func other(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}
