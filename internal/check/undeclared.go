package check

import (
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Undeclared returns the tables that calls in view, tests aside, supply to a read or write
// which does not know its table, directly or by way of a field that a constructor sets,
// where all are known and not declared; nil otherwise.
func (p *Pass) Undeclared(e *trace.Event, c trace.Case) (tables []*value.Value) {
	if slices.ContainsFunc(p.tablesOf(e, c), func(t *value.Value) bool {
		declared, known := p.Model.Table(Ref(t))
		return declared != nil || known
	}) {
		return nil
	}
	for _, d := range slices.Concat(e.Link.Derived, e.Link.Givers) {
		if p.InTest(d) {
			continue
		}
		for _, c := range d.Cases {
			of := p.tablesOf(d, c)
			for _, t := range of {
				if declared, known := p.Model.Table(Ref(t)); declared != nil {
					return nil
				} else if !known {
					of = p.Undeclared(d, c)
					break
				}
			}
			if len(of) == 0 {
				return nil
			}
			tables = append(tables, of...)
		}
	}
	return tables
}

// tablesOf returns the tables that a case of a read or a write says it is about.
func (p *Pass) tablesOf(e *trace.Event, c trace.Case) []*value.Value {
	if strings.HasPrefix(e.Op, "bigtable.Table.") && len(c.Args) > 0 {
		return []*value.Value{p.Trace.TableRead(e, c)}
	}
	return p.Trace.EventTables(e, c)
}
