package check

import (
	"go/ast"
	"slices"

	"github.com/ttlvet/ttlvet/internal/trace"
)

// appliedAt returns the call that applies a mutation to the table for which it is
// wrong what another package's function put into it: nothing but the table makes it
// so, and that is known there. It is nil of other findings.
func (p *Pass) appliedAt(e *trace.Event, f Finding) ast.Node {
	if f.Table == "" || !e.GivesMutation() {
		return nil
	}
	var found *trace.Event // the nearest to the client's
	for _, c := range e.Cases {
		for _, by := range p.Trace.Applied(c.Args[0]) {
			wrong := slices.ContainsFunc(targets(p.Model, by.Case.Args[:1], f.Family), func(t Target) bool { return t.TablePattern() == f.Table })
			if wrong && p.InTest(by.Event) == p.InTest(e) && (found == nil || by.Event.Depth < found.Depth) {
				found = by.Event
			}
		}
	}
	if found == nil {
		return nil
	}
	return found.Node
}
