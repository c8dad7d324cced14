package uses

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// Outwards returns the uses of the rows of a read in a function literal in the
// terms of the declared function around it: what is done there with the rows
// that the literal returns, by way of whoever runs it (a retry).
func (p *Rows) Outwards(fn *ssa.Function, uses summary.Uses) summary.Uses {
	if uses.Around {
		uses.All, uses.Around, uses.Returned = uses.All || uses.Returned, false, true
		return uses
	}
	for depth := 4; fn.Parent() != nil && uses.Returned && depth > 0; depth-- {
		calls := p.prog.Callers[kind.Origin(fn)]
		if len(calls) == 0 {
			calls = p.givenTo(fn)
		}
		if len(calls) != 1 {
			uses.All, uses.Returned = true, false
			return uses
		}
		v := p.usesOfResult(calls[0])
		uses.Returned = false
		uses = uses.With(v)
		fn = calls[0].Parent()
	}
	if fn.Parent() != nil && uses.Returned {
		uses.All, uses.Returned = true, false
	}
	return uses
}
