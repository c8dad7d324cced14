package alias

import (
	. "cloud.google.com/go/bigtable"
)

func dotImported(mut *Mutation) {
	mut.Set("token", "jwt", ServerTime, nil) // want `server-timestamp: .*"token"`
}

func dotImportedNow(mut *Mutation) {
	mut.Set("token", "jwt", Now(), nil) // want `write-time: .*"token"`
}
