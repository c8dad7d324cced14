package uses

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// A thing is what is followed: what a value is, points to or holds as an element; or,
// with a field, that field of it.
type thing struct {
	v     ssa.Value
	field *types.Var
	in    *frame // the call by which it came
	left  bool   // of a time: it is how far that is from a moment
}

// cellTime stands for the field of a cell that holds its time.
var cellTime = types.NewField(0, nil, "Timestamp", types.Typ[types.Int64], false)

// Rules say for one question what ends or changes a thing on its way: its transfer
// functions. Where values go by themselves, [forward] knows.
type rules interface {
	// visit is told of each thing once, and says whether it is followed from there.
	visit(t thing) bool
	// use says whether the rules know all of what an instruction does with a thing.
	use(t thing, r ssa.Instruction) bool
	// call is asked what a call does with a thing that it is given.
	call(t thing, call ssa.CallInstruction)
	// returned is told what a function returns.
	returned(t thing, ret *ssa.Return)
	// filled is told that callers which are not known give what holds a thing then.
	filled(param *ssa.Parameter, field *types.Var)
	// lost is told that a thing goes where it is not followed.
	lost(t thing)
	// carries reports whether what is followed may be in values of a type.
	carries(of types.Type, field *types.Var) bool
}

// Forward follows things through a program.
type forward struct {
	p      *program.Program
	rules  rules
	seen   map[thing]bool
	frames map[entry]*frame
	put    map[thing]bool // what holds a thing since after it was made
	work   []thing
	done   bool // nothing more is asked
	at     thing
	from   map[thing][]thing // where things come from, if that is asked
	all    []thing           // those that were added, then
}

func newForward(p *program.Program, r rules) *forward {
	return &forward{p: p, rules: r, seen: map[thing]bool{}, frames: map[entry]*frame{}, put: map[thing]bool{}}
}

// add follows a value, or a field of it, that what is followed now has become.
func (w *forward) add(v ssa.Value, field *types.Var) {
	t := w.here(v, field)
	if w.from != nil && w.at != (thing{}) {
		w.from[t] = append(w.from[t], w.at)
	}
	if !w.seen[t] {
		if w.from != nil {
			w.all = append(w.all, t)
		}
		w.seen[t] = true
		w.work = append(w.work, t)
	}
}

// here returns what is followed now as another value.
func (w *forward) here(v ssa.Value, field *types.Var) thing {
	return thing{v, field, w.at.in.of(v), w.at.left}
}

// within adds what stands in a frame.
func (w *forward) within(in *frame, add func()) {
	defer func(at *frame) { w.at.in = at }(w.at.in)
	w.at.in = in
	add()
}

// run follows all that was added.
func (w *forward) run() {
	for len(w.work) > 0 && !w.done {
		t := w.work[len(w.work)-1]
		w.work = w.work[:len(w.work)-1]
		if w.at = t; !w.rules.visit(t) {
			continue
		}
		refs := t.v.Referrers()
		if refs == nil {
			w.rules.lost(t)
			continue
		}
		for _, r := range *refs {
			if !w.done && !w.rules.use(t, r) {
				w.step(t, r)
			}
		}
	}
}

// step follows a thing through one use of it.
func (w *forward) step(t thing, r ssa.Instruction) {
	switch r := r.(type) {
	case *ssa.DebugRef, *ssa.If, *ssa.BinOp:
	case *ssa.Phi:
		w.add(r, t.field)
	case *ssa.ChangeType, *ssa.ChangeInterface, *ssa.Convert, *ssa.MultiConvert, *ssa.MakeInterface, *ssa.Slice, *ssa.IndexAddr, *ssa.Index:
		if *r.Operands(nil)[0] == t.v {
			w.add(r.(ssa.Value), t.field)
		}
	case *ssa.FieldAddr:
		w.part(t, r, kind.Deref(r.X.Type()), r.Field)
	case *ssa.Field:
		w.part(t, r, r.X.Type(), r.Field)
	case *ssa.UnOp:
		w.result(r, 0, r.CommaOk, t.field)
	case *ssa.TypeAssert:
		w.result(r, 0, r.CommaOk, t.field)
	case *ssa.Lookup:
		if r.X == t.v {
			w.result(r, 0, r.CommaOk, t.field)
		}
	case *ssa.Range:
		for _, next := range *r.Referrers() {
			if next, ok := next.(*ssa.Next); ok {
				w.result(next, 2, true, t.field)
			}
		}
	case *ssa.Extract:
		if w.rules.carries(r.Type(), t.field) {
			w.add(r, t.field)
		}
	case *ssa.Store:
		if r.Val == t.v {
			w.stored(t, r.Addr)
		}
	case *ssa.MapUpdate:
		if r.Value == t.v {
			w.kept(r.Map, t.field)
		}
	case *ssa.Send:
		if r.X == t.v {
			w.kept(r.Chan, t.field)
		}
	case *ssa.Select:
		w.selected(t, r)
	case *ssa.MakeClosure:
		for i, b := range r.Bindings {
			if b == t.v {
				w.add(r.Fn.(*ssa.Function).FreeVars[i], t.field)
			}
		}
	case *ssa.Return:
		w.rules.returned(t, r)
	case ssa.CallInstruction:
		w.called(t, r)
	default:
		w.rules.lost(t)
	}
}

// selected follows what one of several sends or receives hands over.
func (w *forward) selected(t thing, s *ssa.Select) {
	received := 2 // after the state and whether it was received
	for _, state := range s.States {
		if state.Dir == types.SendOnly {
			if state.Send == t.v {
				w.kept(state.Chan, t.field)
			}
			continue
		}
		if state.Chan == t.v {
			w.result(s, received, true, t.field)
		}
		received++
	}
}

// part follows a thing into a field of what holds it.
func (w *forward) part(t thing, part ssa.Value, of types.Type, i int) {
	switch f := fieldAt(of, i); {
	case t.field == nil:
	case f == t.field:
		w.add(part, nil)
	case w.rules.carries(part.Type(), t.field):
		w.add(part, t.field)
	}
}

// fieldAt returns the i-th field of a struct.
func fieldAt(t types.Type, i int) *types.Var {
	if kind.IsCellTimestamp(t, i) {
		return cellTime
	}
	return kind.StructField(t, i)
}

// timesRead follows the times that a function reads from cells.
func (w *forward) timesRead(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.FieldAddr:
				w.part(w.here(instr.X, cellTime), instr, kind.Deref(instr.X.Type()), instr.Field)
			case *ssa.Field:
				w.part(w.here(instr.X, cellTime), instr, instr.X.Type(), instr.Field)
			}
		}
	}
}

// stored follows what is stored at an address to what is read from there.
func (w *forward) stored(t thing, addr ssa.Value) {
	root, path := w.p.Address(addr)
	field := t.field
	if field == nil {
		field = lastField(root.Type(), path)
	}
	switch root := root.(type) {
	case *ssa.Alloc, *ssa.Global:
		w.add(root, field)
	case *ssa.IndexAddr:
		w.kept(root.X, field)
	default:
		w.kept(root, field)
	}
}

// lastField returns the innermost field on a path.
func lastField(t types.Type, path kind.PathTo) (f *types.Var) {
	for i, step := range path {
		if of := kind.TypeAt(t, path[:i]); step >= 0 {
			f = fieldAt(kind.Deref(of), step)
		}
	}
	return f
}

// kept follows what holds a thing since after it was made — a list, a map, a channel,
// what a pointer points to — wherever it comes from.
func (w *forward) kept(v ssa.Value, field *types.Var) {
	w.add(v, field)
	t := w.here(v, field)
	if w.put[t] {
		return
	}
	w.put[t] = true
	defer func(at thing) { w.at = at }(w.at)
	w.at = t
	switch v := v.(type) {
	case *ssa.MakeInterface:
		w.kept(v.X, field)
	case *ssa.ChangeType:
		w.kept(v.X, field)
	case *ssa.Slice:
		w.kept(v.X, field)
	case *ssa.Phi:
		for _, e := range v.Edges {
			w.kept(e, field)
		}
	case *ssa.FreeVar:
		if b := w.p.Binding(v); b != nil {
			w.kept(b, field)
		} else {
			w.rules.lost(t)
		}
	case *ssa.MakeChan:
	case *ssa.UnOp: // held by a variable
		w.stored(t, v.X)
		if root, path := w.p.Address(v.X); len(path) > 0 && isChan(v) {
			w.rules.lost(t) // who receives has it from elsewhere
		} else if len(path) == 0 {
			for _, s := range w.p.Stores[root] {
				if len(s.Path) == 0 {
					w.kept(s.Val, field)
				}
			}
		}
	case *ssa.FieldAddr, *ssa.IndexAddr: // a part of something
		w.stored(t, v)
	case *ssa.Parameter:
		if a, in := w.at.in.argument(v); a != nil {
			w.within(in, func() { w.kept(a, field) })
		} else {
			w.rules.filled(v, field)
		}
	default:
		if isChan(v) {
			w.rules.lost(t)
		}
	}
}

func isChan(v ssa.Value) bool {
	_, ok := v.Type().Underlying().(*types.Chan)
	return ok
}
