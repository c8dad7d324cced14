package ttlread

import (
	"slices"
	"strconv"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/helper"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A declared live filter passes the families of its declaration and no others.

// liveOf returns the declared table whose live cells are all that a filter
// passes, nil where there is none.
func liveOf(f *value.Value) *value.Value {
	switch b := f.Base(); {
	case b.Is(helper.LiveFilter):
		return b.Args[0]
	case b.Is(btapi.ChainFilters) && b.Args[0].Base().Kind == value.List:
		for _, link := range b.Args[0].Base().Args {
			if t := liveOf(link); t != nil {
				return t
			}
		}
	}
	return nil
}

// undeclared reports a read whose declared live filter keeps out families that
// are used of its rows: those of another table, or what the declaration lacks.
func (r *read) undeclared(ref registry.Ref) []check.Finding {
	if r.live == nil {
		return nil
	}
	declared := registry.TableOf(r.live)
	if declared == nil {
		return nil
	}
	has := func(t *registry.Table, family string) bool { return t != nil && t.Family(family) != nil }
	table, _ := r.p.Model.Table(ref)
	var missing []string
	switch {
	case !r.uses.All:
		for _, name := range r.uses.Families {
			elsewhere := slices.ContainsFunc(r.p.Model.Tables, func(t *registry.Table) bool { return has(t, name) })
			if !has(declared, name) && (has(table, name) || !elsewhere) {
				missing = append(missing, name)
			}
		}
	case table != nil && !slices.ContainsFunc(table.Families, func(f *registry.Family) bool { return has(declared, f.Name) }):
		for _, f := range table.Families {
			missing = append(missing, f.Name)
		}
	}
	var out []check.Finding
	for i, name := range missing {
		if i > 0 && r.uses.All {
			break // no cell at all passes
		}
		f := check.Finding{Category: "hides-other-families", Family: name,
			Message: "read uses the live filter of table " + strconv.Quote(declared.Pattern) + ", whose declaration lacks family " + strconv.Quote(name) +
				": none of its cells is returned; "}
		if table != nil && table.Pattern != declared.Pattern && has(table, name) {
			f.Table = table.Pattern
			f.Message += "use the live filter of table " + strconv.Quote(table.Pattern)
		} else {
			f.Message += "declare the family there"
		}
		out = append(out, f)
	}
	return out
}
