// Package prefixedname gives a store its table under a name of which a parameter
// decides how it begins: the table is the same whichever way.
package prefixedname

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type names struct{ prefix, tenant string }

func (n names) ledger() string {
	name := n.tenant + "-ledger"
	if n.prefix != "" {
		name = n.prefix + "-" + name
	}
	return name
}

// Store writes one family.
type Store struct {
	tbl    *bigtable.Table
	family string
}

// New makes a Store.
func New(tbl *bigtable.Table, family string) *Store { return &Store{tbl, family} }

// Open opens that of a tenant.
func Open(c *bigtable.Client, n names) *Store {
	return New(c.Open(n.ledger()), "entry") // want `clock-in-sequence: .*"entry" of table "\*-ledger"`
}

// Touch writes the time.
func (s *Store) Touch(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(s.family, "seen", bigtable.Now(), nil)
	return s.tbl.Apply(ctx, key, m)
}
