package event

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// bulkOf returns the one call of a function that applies, among others, the
// mutation of a write in one of its literals: what a callback collects goes to
// one table. It is nil where the mutation may go elsewhere, too.
func (p *Tracer) bulkOf(t program.Target) *application {
	if !IsWrite(t.API) || t.Recv != nil || len(t.Args) != WriteArgs {
		return nil
	}
	if made, ok := t.Args[0].(*ssa.Call); !ok || made.Parent().Parent() == nil {
		return nil
	}
	return p.collected(t.Args[0])
}

// collected returns the one call of a function, or of a literal in it, that applies, among
// others, a mutation that it makes; nil where that may go elsewhere, too.
func (p *Tracer) collected(mut ssa.Value) *application {
	made, ok := mut.(*ssa.Call)
	if !ok {
		return nil
	}
	if m, ok := p.Prog.Target(made.Common()); !ok || m.API != "bigtable.NewMutation" {
		return nil
	}
	site := p.Prog.Sites.Site(made)
	outer := kind.Outermost(made.Parent())
	var found *application
	for _, fn := range p.Prog.Funcs {
		if kind.Outermost(fn) != outer {
			continue
		}
		for _, call := range p.Prog.Calls[fn] {
			a, ok := p.Prog.Target(call.Common())
			if !ok || !Applies(a.API) || len(a.Args) < 4 {
				continue
			}
			for _, id := range p.Flows.ContentsOf(a.Args[3]).SortedSites() {
				if id != site {
					continue
				}
				if found != nil {
					return nil
				}
				found = &application{call: call, args: a.Args}
			}
		}
	}
	return found
}
