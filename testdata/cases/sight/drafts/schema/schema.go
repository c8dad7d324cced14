// Package schema has rows of one type in a literal, and in builders that nobody fills, or
// that others fill.
package schema

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Family is a row.
type Family struct {
	Name   string
	Policy bigtable.GCPolicy
}

// A Table has rows.
type Table struct {
	Name     string
	Families []Family
}

// Sandbox is not declared.
var Sandbox = []Table{{Name: "plain", Families: []Family{
	{Name: "token", Policy: bigtable.MaxAgePolicy(24 * time.Hour)},
}}}

// Staging is.
var Staging = []Table{{Name: "sessions", Families: []Family{
	{Name: "token", Policy: bigtable.MaxAgePolicy(24 * time.Hour)}, // want `age-mismatch: .*"token"`
}}}

// Install creates what the literals list.
func Install(ctx context.Context, ac *bigtable.AdminClient) {
	for _, t := range append(Sandbox, Staging...) {
		for _, f := range t.Families {
			_ = ac.SetGCPolicy(ctx, t.Name, f.Name, f.Policy)
		}
	}
}

// An Empty is a builder that nobody fills.
type Empty struct {
	name     string
	families []Family
}

// Create has nothing to create.
func (e Empty) Create(ctx context.Context, ac *bigtable.AdminClient) {
	for _, f := range e.families {
		_ = ac.SetGCPolicy(ctx, e.name, f.Name, f.Policy)
	}
}

// A Draft is one that others fill.
type Draft struct {
	name     string
	families []Family
}

// NewDraft begins a table.
func NewDraft(name string) Draft { return Draft{name: name} }

// With adds a family.
func (d Draft) With(name string, p bigtable.GCPolicy) Draft {
	families := make([]Family, 0, len(d.families)+1)
	families = append(families, d.families...)
	d.families = append(families, Family{Name: name, Policy: p})
	return d
}

// Create creates what the draft lists, and nothing of the literals.
func (d Draft) Create(ctx context.Context, ac *bigtable.AdminClient) {
	for _, f := range d.families {
		_ = ac.SetGCPolicy(ctx, d.name, f.Name, f.Policy)
	}
}
