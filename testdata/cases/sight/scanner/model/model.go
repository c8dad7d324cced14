// Package model has entities that another package reads.
package model

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A Token keeps a timestamp; of which table it is, nobody says here.
type Token struct{ CreatedAt time.Time }

func (*Token) Family() string { return "token" }

func (t *Token) Scan(items []bigtable.ReadItem) {
	for _, it := range items {
		t.CreatedAt = it.Timestamp.Time()
	}
}
