package memory

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/heap"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A frame is the call of a function of the package in another.
type frame struct {
	call  ssa.CallInstruction
	fn    *ssa.Function
	args  []ssa.Value
	outer *frame // nil in the function that reads
}

// runs reports whether a function is being run.
func (f *frame) runs(fn *ssa.Function) bool {
	return f != nil && (f.fn == fn || f.outer.runs(fn))
}

// given returns what the call supplies for a parameter; nil where v is none of its.
func (f *frame) given(v ssa.Value) ssa.Value {
	param, ok := v.(*ssa.Parameter)
	if f == nil || !ok || param.Parent() != f.fn || kind.ParamIndex(param) >= len(f.args) {
		return nil
	}
	return kind.Stripped(f.args[kind.ParamIndex(param)])
}

// addressIn is [program.Program.Address] in terms of the function that reads, as far as
// calls hand addresses on.
func (p *history) addressIn(f *frame, addr ssa.Value) (root ssa.Value, path kind.PathTo) {
	root, path = p.p.Prog.Address(addr)
	for ; f != nil; f = f.outer {
		given := f.given(root)
		if given == nil {
			break
		}
		var before kind.PathTo
		root, before = p.p.Prog.Address(given)
		path = append(before[:len(before):len(before)], path...)
	}
	return root, path
}

// An effect is what a call does to a part of a variable.
type effect struct {
	a      *ssa.Alloc
	path   kind.PathTo
	place  *heap.Place
	writes map[ssa.Instruction]bool // to the place
	last   []within                 // what may be stored last
	passes bool                     // a way leads through it past all of them
	open   bool                     // something else may be stored
}

// within adds what a call writes, and reports whether nothing that was there before it
// counts.
func (p *history) within(call ssa.CallInstruction, a *ssa.Alloc, path kind.PathTo, place *heap.Place, at ssa.Instruction, w *lastWrites) bool {
	e := &effect{a: a, path: path, place: place, writes: map[ssa.Instruction]bool{}}
	for _, i := range place.Writers() {
		e.writes[i] = true
	}
	p.effectOf(call, nil, at, e)
	switch {
	case e.open:
		w.unknown = writtenByCall
		return true
	case e.passes && len(e.last) == 0:
		return false
	}
	w.within = append(w.within, e.last...)
	return !e.passes
}

// effectOf adds what a call has done, that a frame makes, when control comes to an
// instruction behind it.
func (p *history) effectOf(call ssa.CallInstruction, outer *frame, at ssa.Instruction, e *effect) {
	fn, args := p.callee(call, outer)
	if fn == nil || outer.runs(fn) || !p.completes(call, at) {
		e.open = true
		return
	}
	f := &frame{call, fn, args, outer}
	for _, ret := range kind.ReturnsOf(fn) {
		if p.back(ret, func(instr ssa.Instruction) bool { return p.does(instr, f, ret, e) }) {
			e.passes = true
		}
	}
}

// does adds what an instruction of a callee does, and reports whether nothing before it
// counts.
func (p *history) does(instr ssa.Instruction, f *frame, at ssa.Instruction, e *effect) bool {
	switch instr := instr.(type) {
	case *ssa.Store:
		if !e.writes[instr] {
			return false
		}
		root, rel := p.addressIn(f, instr.Addr)
		is, whole := p.hits(root, rel, e.a, e.path)
		if is == perhaps && f.outer == nil && e.place.Single() && p.p.Prog.Heap().PlaceIn(f.call, instr.Addr).Equals(e.place) {
			is, whole = surely, e.path
		}
		switch is {
		case surely:
			e.last = append(e.last, within{frame: f, store: instr, path: whole})
		case perhaps:
			e.open = true
		}
		return is != never
	case *ssa.RunDefers:
		return p.deferred(f, at, e)
	case *ssa.Defer:
		return false
	case ssa.CallInstruction:
		return p.called(instr, f, at, e)
	}
	e.open = e.open || e.writes[instr]
	return e.writes[instr]
}

// deferred adds what the deferred calls of a function do, the last first.
func (p *history) deferred(f *frame, at ssa.Instruction, e *effect) bool {
	for i := len(f.fn.Blocks) - 1; i >= 0; i-- {
		b := f.fn.Blocks[i]
		for j := len(b.Instrs) - 1; j >= 0; j-- {
			d, ok := b.Instrs[j].(*ssa.Defer)
			if !ok || !e.place.Written(d) {
				continue
			}
			if !control.Always(d) || p.p.Prog.Graphs.Repeats(b) {
				e.open = true
				return true
			}
			if p.called(d, f, at, e) {
				return true
			}
		}
	}
	return false
}

// called adds what a call in a callee does.
func (p *history) called(call ssa.CallInstruction, f *frame, at ssa.Instruction, e *effect) bool {
	if e.writes[call] { // copy, append, clear
		e.open = true
		return true
	}
	if !e.place.Written(call) {
		return false
	}
	nested := &effect{a: e.a, path: e.path, place: e.place, writes: e.writes}
	p.effectOf(call, f, at, nested)
	e.last, e.open = append(e.last, nested.last...), e.open || nested.open
	return nested.open || !nested.passes
}

// completes reports whether a call has run when control comes to an instruction behind
// it. A goroutine has where a call between them waits for it.
func (p *history) completes(call ssa.CallInstruction, at ssa.Instruction) bool {
	if _, concurrent := call.(*ssa.Go); !concurrent {
		return true
	}
	fn := literal(call.Common().Value)
	if fn == nil {
		return false
	}
	before := p.p.Prog.Graphs.Before
	for _, wait := range p.p.Prog.Calls[call.Parent()] {
		if group := groupOf(wait, "Wait"); group != nil && before(call, wait) && before(wait, at) {
			of, _ := p.p.Prog.Address(group)
			for _, done := range p.p.Prog.Calls[fn] {
				if g := groupOf(done, "Done"); g != nil && control.Always(done) {
					if root, _ := p.p.Prog.Address(g); root == of {
						return true
					}
				}
			}
		}
	}
	return false
}

// groupOf returns the sync.WaitGroup of which a call runs a method.
func groupOf(call ssa.CallInstruction, method string) ssa.Value {
	callee := call.Common().StaticCallee()
	if callee == nil || kind.Object(callee) == nil || kind.FuncKey(kind.Object(callee)) != "sync.WaitGroup."+method {
		return nil
	}
	return call.Common().Args[0]
}

// callee returns the only function of the package that a call runs, and its arguments.
func (p *history) callee(call ssa.CallInstruction, outer *frame) (*ssa.Function, []ssa.Value) {
	common := call.Common()
	if common.IsInvoke() {
		part := p.target(common.Value)
		if part == nil {
			return nil, nil
		}
		m := p.p.Prog.Names.MethodOf(&value.Value{Kind: value.Struct, Site: part}, common.Method)
		if m == nil {
			return nil, nil
		}
		fn := p.p.Prog.Pkg.Prog.FuncValue(m)
		if fn == nil || !p.p.Prog.HasBody(kind.Origin(fn)) {
			return nil, nil
		}
		return kind.Origin(fn), append([]ssa.Value{common.Value}, common.Args...)
	}
	if callee := common.StaticCallee(); callee != nil && !p.p.Prog.HasBody(kind.Origin(callee)) {
		if run := runsOnce(callee, common.Args); run != nil {
			return run, nil
		}
		return nil, nil // which may run what it is given, or not
	}
	if fn := literal(outer.given(common.Value)); fn != nil {
		return fn, common.Args
	}
	fns := p.p.Prog.Heap().Calls(call)
	if len(fns) != 1 || common.StaticCallee() == nil && !p.p.Prog.Heap().Place(common.Value).Inside() {
		return nil, nil
	}
	return fns[0], common.Args
}

// runsOnce returns the function literal that a call of a new sync.Once runs.
func runsOnce(callee *ssa.Function, args []ssa.Value) *ssa.Function {
	if obj := kind.Object(callee); obj == nil || kind.FuncKey(obj) != "sync.Once.Do" || len(args) != 2 {
		return nil
	}
	once, ok := args[0].(*ssa.Alloc)
	if !ok {
		return nil
	}
	for _, r := range *once.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Call:
			if r.Call.StaticCallee() != callee || r.Block() != once.Block() {
				return nil
			}
		default:
			return nil
		}
	}
	return literal(args[1])
}

// literal returns the function that a value is.
func literal(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.MakeClosure:
		return v.Fn.(*ssa.Function)
	case *ssa.Function:
		return v
	}
	return nil
}

// storedWithin resolves what a store of a callee stores, with the arguments of the calls
// that lead to it, or one in a turn of a loop.
func (p *closed) storedWithin(c within) *value.Value {
	if c.frame == nil {
		return p.Way.InTurn(c.loop, c.turn, func() *value.Value { return p.Way.Eval(c.store.Val, c.store) })
	}
	v := p.Way.Eval(c.store.Val, c.store)
	for f := c.frame; f != nil; f = f.outer {
		t := program.Target{Fn: kind.Origin(f.fn), Args: f.args}
		v = p.p.Prog.Sites.Resited(v, f.call, f.fn).Subst(p.r.Arguments(t, f.call).Binder(kind.Origin(f.fn)))
	}
	return v
}
