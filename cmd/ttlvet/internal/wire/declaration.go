// Package wire holds what clients send to Bigtable to the registry.
package wire

import (
	"fmt"
	"path"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/rule"
	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// A DeclaredFamily is a column family of the registry, for whoever holds
// something other than code to it.
type DeclaredFamily struct {
	Table        string // a name or a pattern
	Agreement    strategy.Family
	File         string // where it is declared
	Line, Column int
}

// A Declaration is what a registry says of tables and rules.
type Declaration struct {
	File     string
	Families []DeclaredFamily
	Strict   bool
	rules    rule.Layers
}

// On reports whether a rule, "ttlread/missing-filter", is to be reported.
func (d *Declaration) On(name string) bool {
	for _, r := range rule.All {
		if r.Name() == name {
			return d.rules.On(r)
		}
	}
	return false
}

// Read reads the registry in that file, or, if that is "", the one for
// a directory: beside its go.mod, or else the nearest at or above it, since
// services in other languages have no go.mod. The options overrule its rules.
func Read(dir, file string, o *analyzers.Options) (*Declaration, error) {
	if file == "" {
		if file = registry.Find(dir); file == "" {
			file = registry.Above(dir)
		}
		if file == "" {
			return nil, fmt.Errorf("no %s in %s or above it", registry.FileName, dir)
		}
	}
	f, err := registry.Load(file)
	if err != nil {
		return nil, err
	}
	d := &Declaration{File: f.Path, Strict: f.Rules.Strict || o.Strict, rules: rule.Selection{Strict: o.Strict, Enable: o.Enable, Disable: o.Disable}.Over(f.Rules)}
	for _, t := range f.Tables {
		for _, family := range t.Families {
			d.Families = append(d.Families, DeclaredFamily{Table: t.Pattern, Agreement: *family.Agreement(),
				File: family.Pos.File, Line: family.Pos.Line, Column: family.Pos.Column})
		}
	}
	if d.Families == nil {
		return nil, fmt.Errorf("%s declares no tables", f.Path)
	}
	return d, nil
}

// matches reports whether a table's name is that of a declaration, or matches
// its pattern.
func matches(pattern, table string) bool {
	ok, err := path.Match(pattern, table)
	return ok && err == nil
}
