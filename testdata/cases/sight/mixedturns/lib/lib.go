// Package lib applies operations with times of several types.
package lib

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// TTL is the lifetime of a family, at most a day.
func TTL(fam string) (d time.Duration, ok bool) {
	defer func() {
		if d > 24*time.Hour {
			d = 24 * time.Hour
		}
	}()
	if fam == "token" {
		return time.Hour, true
	}
	return 0, false
}

// An Op writes a cell.
type Op struct {
	Fam, Col string
	TS       any
}

// Apply adds operations to a mutation.
func Apply(m *bigtable.Mutation, ops ...Op) {
	for _, op := range ops {
		ts, ok := op.TS.(bigtable.Timestamp)
		if !ok {
			d, isTTL := op.TS.(time.Duration)
			if !isTTL {
				ts = bigtable.Now()
			} else {
				ts = bigtable.Time(time.Now().Add(d))
			}
		}
		m.Set(op.Fam, op.Col, ts, nil)
	}
}
