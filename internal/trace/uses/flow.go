package uses

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// Flows finds what the containers of a program may hold. All that can carry a mutation
// is followed once; what a value may hold is found by the way back.
type Flows struct {
	prog *program.Program
	eval *eval.Evaluator

	graph   *forward
	of      map[ssa.Value][]thing            // the things at a value
	inField map[*types.Var][]thing           // what is put in a field, of whatever object
	puts    map[*types.Var]given             // what stands for what a call puts in its argument
	flowing map[*ssa.Function][]summary.Flow // what functions put in their parameters
	holds   map[resultOf]Contents            // what functions return
}

// NewFlows returns the flows of a program.
func NewFlows(e *eval.Evaluator) *Flows {
	return &Flows{prog: e.Prog, eval: e, puts: map[*types.Var]given{}, flowing: map[*ssa.Function][]summary.Flow{}, holds: map[resultOf]Contents{}}
}

// A resultOf is one of a function's results.
type resultOf struct {
	fn    *ssa.Function
	index int
}

// A given is an object that a call is given, as argument number index.
type given struct {
	call  ssa.CallInstruction
	index int
}

// Carriers are the rules for what can carry mutations.
type carriers struct {
	*forward
	p *Flows
}

// interesting reports whether values of a type can carry a mutation; in the body of a
// generic function those of its type parameters, and what holds them, can.
func interesting(t types.Type) bool { return kind.Interesting(t, 4) || ofTypeParam(t, 4) }

// ofTypeParam reports whether a type is a type parameter, or one of what holds it, down
// to depth: types may hold themselves.
func ofTypeParam(t types.Type, depth int) bool {
	if _, is := types.Unalias(t).(*types.TypeParam); is || depth == 0 {
		return is
	}
	switch t := t.(type) {
	case *types.Slice:
		return ofTypeParam(t.Elem(), depth-1)
	case *types.Array:
		return ofTypeParam(t.Elem(), depth-1)
	case *types.Map:
		return ofTypeParam(t.Elem(), depth-1)
	case *types.Pointer:
		return ofTypeParam(t.Elem(), depth-1)
	}
	return false
}

// follow follows all that can carry a mutation.
func (p *Flows) follow() {
	if p.graph != nil {
		return
	}
	c := &carriers{p: p}
	c.forward = newForward(p.prog, c)
	c.from = map[thing][]thing{}
	p.graph, p.of, p.inField = c.forward, map[ssa.Value][]thing{}, map[*types.Var][]thing{}
	for _, fn := range p.prog.Funcs {
		c.at = thing{}
		for _, param := range fn.Params {
			c.add(param, nil)
		}
		for _, call := range p.prog.Calls[fn] {
			for _, t := range p.eval.Targets(call) {
				for i, a := range t.Args {
					if t.API == "" && kind.IsPointer(a.Type()) && interesting(a.Type()) {
						c.putIn(a, given{call, i})
					}
				}
			}
		}
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if v, ok := instr.(ssa.Value); ok && interesting(v.Type()) {
					c.begin(v)
				}
			}
		}
	}
	c.run()
	for _, t := range c.all {
		p.of[t.v] = append(p.of[t.v], t)
		if t.field != nil {
			p.inField[t.field] = append(p.inField[t.field], t)
		}
	}
}

// begin adds a value of the program, and that it may be read from a package variable.
func (c *carriers) begin(v ssa.Value) {
	c.at = thing{}
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		root, path := c.forward.p.Address(load.X)
		if _, global := root.(*ssa.Global); global {
			c.at = thing{v: root}
			c.add(v, nil)
			c.at = thing{v: root, field: lastField(root.Type(), path)}
		}
	}
	c.add(v, nil)
}

// putIn adds what a call puts in one of its arguments.
func (c *carriers) putIn(arg ssa.Value, g given) {
	stands := types.NewVar(token.NoPos, nil, strconv.Itoa(g.index), arg.Type())
	c.p.puts[stands] = g
	c.at = thing{field: stands}
	c.kept(arg, nil)
}

func (c *carriers) visit(t thing) bool                { return t.field != nil || interesting(t.v.Type()) }
func (c *carriers) lost(thing)                        {}
func (c *carriers) filled(*ssa.Parameter, *types.Var) {}
func (c *carriers) returned(thing, *ssa.Return)       {}
func (c *carriers) call(thing, ssa.CallInstruction)   {}
func (c *carriers) carries(of types.Type, field *types.Var) bool {
	return field == nil && interesting(of) || field != nil && holdsField(of, field)
}

func (c *carriers) use(t thing, r ssa.Instruction) bool {
	switch r := r.(type) {
	case *ssa.Send:
		return true // what comes out of a channel, [back] knows
	case *ssa.Select:
		return slices.ContainsFunc(r.States, func(s *ssa.SelectState) bool { return s.Send == t.v })
	case *ssa.FieldAddr, *ssa.Field:
		part := r.(ssa.Value)
		if t.field == nil && interesting(part.Type()) && kind.ChanKey(part) == "" {
			c.add(part, nil)
		}
		return t.field == nil
	}
	return false
}

// What functions hold and put in what they are given, for [back].

// flowsInto returns what a target puts in one of its arguments.
func (p *Flows) flowsInto(t program.Target, to int) []summary.Flow {
	var all []summary.Flow
	switch {
	case t.Fn != nil:
		all = p.Of(t.Fn)
	case t.Obj != nil:
		if s := p.prog.Imported(t.Obj); s != nil {
			all = s.Flows
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(fl summary.Flow) bool { return fl.To != to })
}

// Of returns what a function of this package puts in its parameters.
func (p *Flows) Of(fn *ssa.Function) []summary.Flow {
	if flows, ok := p.flowing[fn]; ok {
		return flows
	}
	p.flowing[fn] = nil // recursion adds nothing
	var out []summary.Flow
	for to, param := range fn.Params {
		if _, isPtr := param.Type().Underlying().(*types.Pointer); !isPtr || !kind.Interesting(param.Type(), 4) {
			continue
		}
		b := p.back()
		for _, put := range p.of[param] {
			b.add(p.graph.from[put]...)
		}
		into := b.run()
		for _, from := range into.Of(fn) {
			if from != to {
				out = append(out, summary.Flow{From: from, To: to})
			}
		}
		for _, id := range into.SortedSites() {
			out = append(out, summary.Flow{From: -1, Site: id, To: to})
		}
	}
	p.flowing[fn] = out
	return out
}
