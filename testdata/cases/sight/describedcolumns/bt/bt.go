// Package bt describes columns: what is written to one is given to a method.
package bt

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A Column is a family and a qualifier.
type Column struct{ Family, Qualifier string }

// Col returns a column.
func Col(family, qualifier string) Column { return Column{family, qualifier} }

func (c Column) Put(m *bigtable.Mutation, ts bigtable.Timestamp) {
	m.Set(c.Family, c.Qualifier, ts, nil)
}

func (c Column) PutUntil(m *bigtable.Mutation, t time.Time) {
	m.Set(c.Family, c.Qualifier, bigtable.Time(t), nil)
}
