package lib

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Cell is one cell.
type Cell struct {
	Family string
	At     time.Time
}

func Set(m *bigtable.Mutation, cells ...Cell) {
	for _, c := range cells {
		m.Set(c.Family, "a", bigtable.Time(c.At), nil)
	}
}

func One(m *bigtable.Mutation, c Cell) { m.Set(c.Family, "a", bigtable.Time(c.At), nil) }
