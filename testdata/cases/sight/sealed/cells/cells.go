// Package cells has a closed set of times: only this package can name the method.
package cells

import (
	"time"

	"cloud.google.com/go/bigtable"
)

type Stamp interface{ at() bigtable.Timestamp }

type (
	ByServer struct{}
	Fixed    bigtable.Timestamp
	After    struct{ D time.Duration }
)

func (ByServer) at() bigtable.Timestamp { return bigtable.ServerTime }

func (f Fixed) at() bigtable.Timestamp { return bigtable.Timestamp(f) }

func (a After) at() bigtable.Timestamp { return bigtable.Time(time.Now().Add(a.D)) }

// Put writes a cell.
func Put(family string, s Stamp) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(family, "c", s.at(), nil)
	return m
}
