// Package ifacerows has tables of rules that are values of an interface: the fields of a
// row belong together, whoever may make further rows.
package ifacerows

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/ifacerows/rules"
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

var okTable = []Policy{Rule{Family: "token"}, Rule{Family: "profile", Server: true}}

func okRun(ctx context.Context, t *bigtable.Table) error {
	m := bigtable.NewMutation()
	for _, r := range okTable {
		r.Apply(m)
	}
	return t.Apply(ctx, "r", m)
}

func run(ctx context.Context, t *bigtable.Table) error {
	m := bigtable.NewMutation()
	for _, r := range []Policy{Rule{Family: "profile", Server: true}, Rule{Family: "token", Server: true}} {
		r.Apply(m) // want `server-timestamp: .*"token"`
	}
	return t.Apply(ctx, "r", m)
}

func across(ctx context.Context, t *bigtable.Table) error {
	m := bigtable.NewMutation()
	for _, r := range []rules.Policy{rules.Rule{Family: "token"}, rules.Rule{Family: "profile", Server: true}} {
		r.Apply(m)
	}
	for _, r := range []rules.Policy{rules.Rule{Family: "profile"}, rules.Rule{Family: "token", Server: true}} {
		r.Apply(m) // want `server-timestamp: .*"token"`
	}
	return t.Apply(ctx, "r", m)
}
