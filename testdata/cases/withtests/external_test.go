package withtests_test

import (
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/withtests"
)

func TestPutExternal(t *testing.T) {
	mut := bigtable.NewMutation()
	withtests.Put(mut, bigtable.ServerTime) // want `server-timestamp: .*"token"`
	withtests.Put(mut, bigtable.Time(time.Now().Add(time.Hour)))
}
