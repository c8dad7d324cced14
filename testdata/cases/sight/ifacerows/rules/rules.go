// Package rules has the rules of which others make tables.
package rules

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A Policy writes a cell.
type Policy interface{ Apply(m *bigtable.Mutation) }

// A Rule is one.
type Rule struct {
	Family string
	Server bool
}

func (r Rule) ts() bigtable.Timestamp {
	if r.Server {
		return bigtable.ServerTime
	}
	return bigtable.Time(time.Now().Add(time.Hour))
}

// Apply writes it.
func (r Rule) Apply(m *bigtable.Mutation) { m.Set(r.Family, "a", r.ts(), nil) }
