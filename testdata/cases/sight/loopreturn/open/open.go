// Package open finds tables in lists, and returns them from within the loop.
package open

import (
	"fmt"

	"cloud.google.com/go/bigtable"
)

// A Spec names a table by its role.
type Spec struct{ Role, Table string }

var specs = []Spec{{"session", "sessions"}, {"metric", "metrics"}}

// Table opens the table of a role.
func Table(c *bigtable.Client, role string) (*bigtable.Table, error) {
	for _, s := range specs {
		if s.Role == role {
			return c.Open(s.Table), nil
		}
	}
	return nil, fmt.Errorf("no table for %q", role)
}

// Name returns the name of the table of a role.
func Name(role string) string {
	for i := range specs {
		if specs[i].Role != role {
			continue
		}
		return specs[i].Table
	}
	panic("no such role")
}

// First opens the first of the names that there is.
func First(c *bigtable.Client, names ...string) *bigtable.Table {
	for _, n := range names {
		if n != "" {
			return c.Open(n)
		}
	}
	return nil
}
