package uses

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// UsesOf finds what is done with the rows of a read.
func (p *Rows) UsesOf(call ssa.CallInstruction, t program.Target) summary.Uses {
	if t.API == btapi.ReadRows && len(argumentsOf(t)) > 3 {
		return p.UsesAt(call, t, summary.Uses{Callback: 4})
	}
	return p.UsesAt(call, t, summary.Uses{Returned: true})
}

// usesIn finds what is done with the rows that a finder is given, in terms of a function.
func (p *Rows) usesIn(fn *ssa.Function, give func(u *useFinder)) summary.Uses {
	u := p.newUseFinder(fn)
	give(u)
	return u.finish()
}

// UsesAt finds what is done, in terms of the function in which a call stands, with the rows
// of which its callee does what uses say.
func (p *Rows) UsesAt(call ssa.CallInstruction, t program.Target, uses summary.Uses) summary.Uses {
	return p.usesIn(call.Parent(), func(u *useFinder) { u.bind(call, t, uses) })
}

// UsesOfParam finds what a function of this package does with a row that it
// is given as its i-th parameter, or finds in a field of that.
func (p *Rows) UsesOfParam(fn *ssa.Function, i int, field *types.Var) summary.Uses {
	key := paramOf{fn, i, field}
	if u, ok := p.paramUses[key]; ok {
		return u
	}
	p.paramUses[key] = summary.Uses{} // recursion adds nothing
	p.paramUses[key] = p.usesIn(fn, func(u *useFinder) {
		u.asked = fn
		u.add(fn.Params[i], field)
	})
	return p.paramUses[key]
}

// A paramOf is a parameter of a function, receiver first.
type paramOf struct {
	fn    *ssa.Function
	index int
	field *types.Var
}

// UsesByCallers finds what the callers of a function do with the rows that it
// returns, or passes to the callback that they give it. Callers in other
// packages may do anything.
func (p *Rows) UsesByCallers(fn *ssa.Function, uses summary.Uses, depth int) summary.Uses {
	if uses.Around && uses.Returned {
		return summary.Uses{All: true}
	}
	if uses.Around {
		fn, uses.Around, uses.Returned = kind.Outermost(fn), false, true
	}
	ofLiteral := func(h summary.Handed) bool { return fn.Parent() != nil && h.To != nil && h.To.Site == any(fn) }
	if uses.Yields != 0 || len(uses.Handed)+len(uses.Kept) > 0 && !slices.ContainsFunc(uses.Handed, ofLiteral) {
		fn = kind.Outermost(fn)
	}
	outside := summary.Uses{Returned: uses.Returned, Callback: uses.Callback, Yields: uses.Yields, Handed: uses.Handed, Kept: uses.Kept}
	callers := p.prog.Callers[kind.Origin(fn)]
	if uses.Returned {
		callers = p.getting(fn)
	}
	if !p.prog.IsTest(fn.Pos()) { // what tests do with rows says nothing of the others that call it
		callers = slices.DeleteFunc(slices.Clone(callers), func(call ssa.CallInstruction) bool { return p.prog.IsTest(call.Pos()) })
	}
	if len(callers) == 0 && !uses.Returned && uses.Callback == 0 && uses.Yields == 0 {
		return p.usesByAny(fn, outside)
	}
	if depth == 0 || len(callers) == 0 {
		return summary.Uses{All: true}
	}
	var u summary.Uses
	for _, call := range callers {
		t, does := program.Target{}, summary.Uses{Returned: uses.Returned} // all that one does which is given the function
		for _, target := range p.eval.Targets(call) {
			if target.Fn == kind.Origin(fn) {
				t, does = target, outside
			}
		}
		v := p.UsesAt(call, t, does)
		if v.Outside() {
			v = v.With(p.UsesByCallers(call.Parent(), v, depth-1)).Inside()
		}
		u = u.With(v)
	}
	return u
}

// getting returns the calls that get what a function returns: those of it, or, of one that
// nobody calls, those that are given it.
func (p *Rows) getting(fn *ssa.Function) []ssa.CallInstruction {
	if calls := p.prog.Callers[kind.Origin(fn)]; len(calls) > 0 {
		return calls
	}
	return p.givenTo(fn)
}

// givenTo returns the calls by which what a function returns may come out of what it
// is given to: retry(func() (bigtable.Row, error) { … }), and the methods of a cache of
// rows that is made with it.
func (p *Rows) givenTo(fn *ssa.Function) []ssa.CallInstruction {
	var out []ssa.CallInstruction
	for _, user := range p.prog.Funcs {
		for _, call := range p.prog.Calls[user] {
			v, ok := call.(*ssa.Call)
			if !ok || !slices.ContainsFunc(v.Call.Args, func(a ssa.Value) bool { return functionOf(p.prog, a) == kind.Origin(fn) }) {
				continue
			}
			if returnsRow(v.Type()) {
				out = append(out, v)
			} else if t, ok := p.prog.Target(&v.Call); ok && t.Obj != nil && p.prog.Analysed(t.Obj) && opaque(t.Obj) {
				out = append(out, p.outOf(v)...)
			}
		}
	}
	return out
}

// outOf returns the calls of an object's methods that return rows.
func (p *Rows) outOf(object ssa.Value) []ssa.CallInstruction {
	var out []ssa.CallInstruction
	place := p.prog.Heap().Place(object)
	for _, user := range p.prog.Funcs {
		for _, call := range p.prog.Calls[user] {
			t, ok := p.prog.Target(call.Common())
			if ok && call.Value() != nil && returnsRow(call.Value().Type()) && len(t.Args) > 0 && types.Identical(t.Args[0].Type(), object.Type()) && p.prog.Heap().Place(t.Args[0]).Meets(place) {
				out = append(out, call)
			}
		}
	}
	return out
}

func returnsRow(t types.Type) bool {
	if tuple, ok := t.(*types.Tuple); ok {
		for i := range tuple.Len() {
			if kind.CarriesRow(tuple.At(i).Type()) {
				return true
			}
		}
		return false
	}
	return kind.CarriesRow(t)
}

// Rows finds what a program does with rows.
type Rows struct {
	prog  *program.Program
	eval  *eval.Evaluator
	Times *CellTimes

	paramUses map[paramOf]summary.Uses // what functions do with rows that they are given
}

// NewRows returns a finder for a program.
func NewRows(e *eval.Evaluator) *Rows {
	return &Rows{prog: e.Prog, eval: e, Times: NewCellTimes(e), paramUses: map[paramOf]summary.Uses{}}
}

// Outwards returns the uses of the rows of a read in a function literal in the
// terms of the declared function around it: what is done there with the rows
// that the literal returns, by way of whoever runs it (a retry).
func (p *Rows) Outwards(fn *ssa.Function, uses summary.Uses) summary.Uses {
	if uses.Around {
		uses.All, uses.Around, uses.Returned = uses.All || uses.Returned, false, true
		return uses
	}
	for depth := 4; fn.Parent() != nil && uses.Returned; depth-- {
		calls := p.getting(fn)
		if len(calls) != 1 || depth == 0 {
			uses.All, uses.Returned = true, false
			return uses
		}
		uses = uses.With(p.usesIn(calls[0].Parent(), func(u *useFinder) { u.result(calls[0]) }))
		fn = calls[0].Parent()
	}
	return uses
}
