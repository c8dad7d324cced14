package withtests

import (
	"testing"

	"cloud.google.com/go/bigtable"
)

func TestPut(t *testing.T) {
	Put(bigtable.NewMutation(), bigtable.Now()) // want `write-time: .*"token"`
}
