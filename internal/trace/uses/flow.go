package uses

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
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

// Contents is what a value may hold.
type Contents struct {
	sites  map[string]bool
	params map[*ssa.Parameter]bool
	calls  map[*ssa.Parameter]bool // what these functions return
}

// Of returns which parameters of fn are in the contents.
func (c Contents) Of(fn *ssa.Function) []int {
	var out []int
	for i, param := range fn.Params {
		if c.params[param] {
			out = append(out, i)
		}
	}
	return out
}

func (c Contents) SortedSites() []string {
	return slices.Sorted(maps.Keys(c.sites))
}

// A back finds what things may hold by the way back.
type back struct {
	p    *Flows
	out  Contents
	seen map[thing]bool
	work []thing
}

func (p *Flows) back() *back {
	p.follow()
	return &back{p: p, out: Contents{map[string]bool{}, map[*ssa.Parameter]bool{}, map[*ssa.Parameter]bool{}}, seen: map[thing]bool{}}
}

// ContentsOf returns what a value may hold.
func (p *Flows) ContentsOf(v ssa.Value) Contents {
	b := p.back()
	b.value(v)
	return b.run()
}

func (b *back) value(v ssa.Value) { b.add(b.p.of[v]...) }

func (b *back) add(ts ...thing) {
	for _, t := range ts {
		if !b.seen[t] {
			b.seen[t] = true
			b.work = append(b.work, t)
		}
	}
}

func (b *back) run() Contents {
	for len(b.work) > 0 {
		t := b.work[len(b.work)-1]
		b.work = b.work[:len(b.work)-1]
		if t.v == nil {
			b.given(b.p.puts[t.field])
		} else if b.origin(t) {
			b.add(b.p.graph.from[t]...)
		}
	}
	return b.out
}

// origin records what a thing is by itself, and says whether it comes from others too.
func (b *back) origin(t thing) bool {
	if t.field != nil {
		return true
	}
	switch v := t.v.(type) {
	case *ssa.Alloc:
		if btapi.Type(kind.Deref(v.Type())) == "bigtable.Mutation" {
			b.out.sites[b.p.prog.Sites.Site(v)] = true
		}
	case *ssa.Parameter:
		b.parameter(v)
	case *ssa.Call:
		b.call(v, 0)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			b.call(call, v.Index)
		}
	case *ssa.FieldAddr:
		b.ofField(kind.Deref(v.X.Type()), v.Field)
	case *ssa.Field:
		b.ofField(v.X.Type(), v.Field)
	}
	if kind.ChanKey(t.v) == "" {
		return true
	}
	param, isParam := t.v.(*ssa.Parameter)
	if isParam && len(b.p.prog.Callers[param.Parent()]) > 0 {
		return true // they say what that is
	}
	for _, sent := range b.p.eval.Memory.Chans.SentOn(t.v) {
		b.value(sent.Value)
	}
	return isParam
}

// ofField adds what the package puts in a field of objects of a type of its own.
func (b *back) ofField(of types.Type, i int) {
	if name, f := kind.StructName(types.NewPointer(of)), kind.StructField(of, i); name != nil && f != nil && b.p.prog.Owns(name) {
		b.add(b.p.inField[f]...)
	}
}

// parameter adds a parameter: of a literal what the calls in view give.
func (b *back) parameter(v *ssa.Parameter) {
	b.out.params[v] = true
	fn := v.Parent()
	if fn.Parent() == nil {
		return
	}
	for _, call := range b.p.prog.Callers[fn] {
		args := call.Common().Args
		if i := len(args) - len(fn.Params) + kind.ParamIndex(v); i >= 0 && i < len(args) {
			b.value(args[i])
		}
	}
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

// held returns what a result of a function may hold.
func (p *Flows) held(r resultOf) Contents {
	if c, ok := p.holds[r]; ok {
		return c
	}
	p.holds[r] = Contents{}
	b := p.back()
	for _, ret := range kind.ReturnsOf(r.fn) {
		b.value(ret.Results[r.index])
	}
	p.holds[r] = b.run()
	return p.holds[r]
}

// given follows what a call puts in its argument.
func (b *back) given(g given) {
	for _, t := range b.p.eval.Targets(g.call) {
		if t.Recv != nil || g.index >= len(t.Args) {
			continue
		}
		for _, fl := range b.p.flowsInto(t, g.index) {
			switch {
			case fl.From < 0:
				b.out.sites[b.p.prog.Sites.Site(program.CallSite{Call: g.call, ID: fl.Site, Foreign: t.Fn == nil})] = true
			case fl.From < len(t.Args):
				b.value(t.Args[fl.From])
			}
		}
	}
}

// call follows one of the results of a call.
func (b *back) call(v *ssa.Call, index int) {
	if _, ok := v.Call.Value.(*ssa.Builtin); ok {
		return
	}
	if param, ok := v.Call.Value.(*ssa.Parameter); ok && !v.Call.IsInvoke() && param.Parent().Parent() == nil && len(b.p.prog.Callers[param.Parent()]) > 0 {
		b.out.calls[param] = true
		return // its callers say which function that is
	}
	targets := b.p.eval.Targets(v)
	if len(targets) == 0 {
		for _, fn := range b.p.prog.Heap().Calls(v) {
			targets = append(targets, b.p.prog.FunctionTarget(fn, v.Call.Args))
		}
	}
	for _, t := range targets {
		switch {
		case t.API != "":
			if kind.Makers[t.API] {
				b.out.sites[b.p.prog.Sites.Site(v)] = true
			}
		case t.Fn != nil:
			b.returned(v, t, b.p.held(resultOf{t.Fn, index}))
		case t.Obj != nil:
			if s := b.p.prog.Imported(t.Obj); s != nil {
				b.imported(v, t, s, index)
			}
		}
	}
}

// returned adds what a function of this package returns.
func (b *back) returned(v *ssa.Call, t program.Target, c Contents) {
	for id := range c.sites {
		b.out.sites[b.p.prog.Sites.Site(program.CallSite{Call: v, ID: id, Foreign: false})] = true
	}
	for i, param := range t.Fn.Params {
		switch {
		case t.Recv != nil || i >= len(t.Args):
		case c.params[param]:
			b.value(t.Args[i])
		case c.calls[param]:
			b.returnedBy(v, t.Args[i])
		}
	}
}

// returnedBy adds what a function returns that a call is given.
func (b *back) returnedBy(v *ssa.Call, given ssa.Value) {
	fn := functionOf(b.p.prog, given)
	if fn == nil {
		return
	}
	for i := range fn.Signature.Results().Len() {
		if interesting(fn.Signature.Results().At(i).Type()) {
			b.returned(v, b.p.prog.FunctionTarget(fn, nil), b.p.held(resultOf{fn, i}))
		}
	}
}

// imported adds what a function of another package returns; of a generic one, what the
// literals return that it is given.
func (b *back) imported(v *ssa.Call, t program.Target, s *summary.Summary, index int) {
	if t.Obj.Signature().TypeParams() != nil {
		for _, a := range t.Args {
			b.returnedBy(v, a)
		}
	}
	for _, c := range s.Results.Cases() {
		if index >= len(c.Values) {
			continue
		}
		c.Values[index].Walk(func(w *value.Value) {
			if id := kind.Root(w); id != "" {
				b.out.sites[b.p.prog.Sites.Site(program.CallSite{Call: v, ID: id, Foreign: true})] = true
			}
			if w.Kind == value.Param && int(w.Num) < len(t.Args) {
				b.value(t.Args[w.Num])
			}
		})
	}
}
