package withtests

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
)

func TestPut(t *testing.T) {
	Put(bigtable.NewMutation(), bigtable.Now()) // want `write-time: .*"token"`
}

func TestAge(t *testing.T) {
	row, err := client.Open("cache").ReadRow(context.Background(), "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	if err == nil && Age(row) < 0 { // want `not-write-time: .*"val" of table "cache"`
		t.Error("an age below zero")
	}
}

var client *bigtable.Client
