package uses

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// Repeats finds the turns of a program's instructions.
type Repeats struct {
	prog *program.Program
	eval *eval.Evaluator
}

// NewRepeats returns a finder for a program.
func NewRepeats(e *eval.Evaluator) *Repeats {
	return &Repeats{e.Prog, e}
}

// A Turn is one loop, or one function literal that is run again and again, in
// which an instruction stands.
type Turn struct {
	p       *Repeats
	fn      *ssa.Function
	header  *ssa.BasicBlock              // of the loop; nil when the whole literal is run again
	at      ssa.Instruction              // in fn: what leads to the instruction
	given   map[*ssa.Parameter]ssa.Value // what the literals between are given
	singled bool                         // a literal between does it under a condition that few turns meet
	known   map[ssa.Value]bool           // what is the same in every turn
	within  []ssa.CallInstruction        // its calls; nil before they are asked for
}

// maxLiterals bounds the function literals in each other that are followed.
const maxLiterals = 4

// Turns returns the turns of an instruction, the innermost first.
func (p *Repeats) Turns(at ssa.Instruction) []*Turn {
	var out []*Turn
	var outward func(at ssa.Instruction, given map[*ssa.Parameter]ssa.Value, singled bool, depth int)
	outward = func(at ssa.Instruction, given map[*ssa.Parameter]ssa.Value, singled bool, depth int) {
		fn := at.Parent()
		turn := func(header *ssa.BasicBlock) {
			out = append(out, &Turn{p: p, fn: fn, header: header, at: at, given: given, singled: singled, known: map[ssa.Value]bool{}})
		}
		for h := at.Block(); h != nil; h = h.Idom() {
			if control.IsHeader(h) && p.prog.Graphs.InLoop(at.Block(), h) {
				turn(h)
			}
		}
		if fn.Parent() == nil || depth == 0 {
			return
		}
		singled = singled || p.singles(fn.Blocks[0], at.Block(), nil)
		for _, r := range p.runsOf(fn) {
			if r.again {
				turn(nil)
			}
			outer := map[*ssa.Parameter]ssa.Value{}
			for k, v := range given {
				outer[k] = v
			}
			for i, a := range r.args {
				if i < len(fn.Params) {
					outer[fn.Params[i]] = a
				}
			}
			outward(r.call, outer, singled, depth-1)
		}
	}
	outward(at, map[*ssa.Parameter]ssa.Value{}, false, maxLiterals)
	return out
}

// A run is a call, in the function in which a literal stands, that runs it.
type run struct {
	call  ssa.CallInstruction
	args  []ssa.Value // what it is given, where the call says so
	again bool        // more than once
}

// runsOf lists the calls that run a function literal.
func (p *Repeats) runsOf(fn *ssa.Function) []run {
	var out []run
	for _, call := range p.prog.Calls[fn.Parent()] {
		common := call.Common()
		if functionOf(p.prog, common.Value) == fn {
			out = append(out, run{call: call, args: common.Args})
			continue
		}
		for _, a := range common.Args {
			if functionOf(p.prog, a) == fn {
				out = append(out, run{call: call, again: p.runsAgain(call, a, fn)})
				break
			}
		}
	}
	return out
}

// runsAgain reports whether a call runs a function that it is given more than
// once: the body of a range over a function, the callback of a read, what the
// callee calls in a loop.
func (p *Repeats) runsAgain(call ssa.CallInstruction, given ssa.Value, fn *ssa.Function) bool {
	if kind.IsRangeBody(fn) {
		return true
	}
	t, ok := p.prog.Target(call.Common())
	switch {
	case !ok:
		return false
	case t.API != "":
		return t.API == btapi.ReadRows
	case t.Obj != nil:
		return kind.FuncKey(t.Obj) == "sync.Map.Range"
	case t.Fn == nil:
		return false
	}
	for i, a := range t.Args {
		if a != given || i >= len(t.Fn.Params) {
			continue
		}
		for _, r := range *t.Fn.Params[i].Referrers() {
			if c, ok := r.(ssa.CallInstruction); ok && c.Common().Value == ssa.Value(t.Fn.Params[i]) && p.prog.Graphs.Repeats(c.Block()) {
				return true
			}
		}
	}
	return false
}

// inside reports whether an instruction is run in each turn.
func (t *Turn) inside(instr ssa.Instruction) bool {
	if instr.Parent() == t.fn {
		return t.header == nil || t.p.prog.Graphs.InLoop(instr.Block(), t.header)
	}
	return kind.Within(instr.Parent(), t.fn)
}

// Again reports whether control comes, from where the turn's instruction
// stands, to it once more while v, what it is about, is still the same object,
// and without passing a call that ends it. v is nil where the instruction
// stands in a literal.
func (t *Turn) Again(v ssa.Value, ends func(ssa.CallInstruction) bool) bool {
	return t.AgainFrom(t.at, v, v, ends)
}

// AgainFrom is [Turn.Again] from another instruction of the turn, at which given is the
// object.
func (t *Turn) AgainFrom(from ssa.Instruction, given, v ssa.Value, ends func(ssa.CallInstruction) bool) bool {
	given, known := t.held(given)
	v, ok := t.held(v)
	if !known || !ok || (given == nil) != (v == nil) {
		return false
	}
	if t.header == nil {
		return v == nil && t.goesOn(from, ends)
	}
	return t.walk(from, given, ends, func(instr ssa.Instruction, cur ssa.Value) (again, over bool) {
		made, ok := instr.(ssa.Value)
		return instr == t.at && cur == v, instr == t.at || ok && made == cur && !isPhi(made) // a new one
	})
}

// Joins reports whether a turn may run both the turn's instruction and another: they are no
// alternatives of which each turn takes one.
func (t *Turn) Joins(other ssa.Instruction) bool {
	leads := func(from, to ssa.Instruction) bool {
		return t.walk(from, nil, func(ssa.CallInstruction) bool { return false }, func(instr ssa.Instruction, _ ssa.Value) (there, over bool) {
			return instr == to, instr == to || t.header != nil && instr == t.header.Instrs[0]
		})
	}
	return other == t.at || leads(t.at, other) || leads(other, t.at)
}

// walk goes on in a turn from an instruction at which cur holds an object, and reports
// whether that comes where at says so, without a call that ends it: at says whether control
// has come there, and whether it is over.
func (t *Turn) walk(from ssa.Instruction, cur ssa.Value, ends func(ssa.CallInstruction) bool, at func(instr ssa.Instruction, cur ssa.Value) (again, over bool)) bool {
	type state struct {
		block *ssa.BasicBlock
		v     ssa.Value
	}
	seen := map[state]bool{}
	var walk func(b *ssa.BasicBlock, from int, v ssa.Value) bool
	walk = func(b *ssa.BasicBlock, from int, cur ssa.Value) bool {
		for _, instr := range b.Instrs[from:] {
			if again, over := at(instr, cur); over {
				return again
			}
			if call, ok := instr.(ssa.CallInstruction); ok && ends(call) {
				return false
			}
		}
		for _, next := range b.Succs {
			if t.header != nil && !t.p.prog.Graphs.InLoop(next, t.header) {
				continue
			}
			held, ok := t.p.entering(b, next, cur)
			if s := (state{next, held}); ok && !seen[s] {
				seen[s] = true
				if walk(next, 0, held) {
					return true
				}
			}
		}
		return false
	}
	return walk(from.Block(), control.Index(from)+1, cur)
}

// held returns what holds an object, nil where it is the same in every turn; false where
// that is not known.
func (t *Turn) held(v ssa.Value) (ssa.Value, bool) {
	switch {
	case v == nil || t.Steady(v):
		return nil, true
	case v.Parent() != t.fn:
		return nil, false
	}
	return t.p.eval.Source(v), true
}

// Holds reports whether an instruction of the turn's function is run in each turn, or in
// some.
func (t *Turn) Holds(instr ssa.Instruction) bool { return instr.Parent() == t.fn && t.inside(instr) }

func isPhi(v ssa.Value) bool {
	_, ok := v.(*ssa.Phi)
	return ok
}

// entering returns the variable that holds, after a step from one block to the
// next, what cur held before; false when none does.
func (p *Repeats) entering(from, to *ssa.BasicBlock, cur ssa.Value) (ssa.Value, bool) {
	if cur == nil {
		return nil, true
	}
	edge := -1
	for i, pred := range to.Preds {
		if pred == from {
			edge = i
		}
	}
	for _, instr := range to.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		if p.eval.Source(phi.Edges[edge]) == cur {
			return phi, true
		}
	}
	if phi, ok := cur.(*ssa.Phi); ok && phi.Block() == to {
		return nil, false // it holds something else now
	}
	return cur, true
}

// goesOn reports whether a literal that is run again asks, after the turn's
// instruction, for more.
func (t *Turn) goesOn(from ssa.Instruction, ends func(ssa.CallInstruction) bool) bool {
	return t.walk(from, nil, ends, func(instr ssa.Instruction, _ ssa.Value) (again, over bool) {
		ret, ok := instr.(*ssa.Return)
		if !ok || len(ret.Results) == 0 {
			return ok, ok
		}
		c, ok := ret.Results[0].(*ssa.Const)
		return !ok || kind.IsBool(c.Type()) && c.Value != nil && c.Value.String() == "true", true
	})
}
