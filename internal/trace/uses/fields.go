package uses

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// A package may fill structs from rows that others compare: a method Unmarshal, a
// constructor, a helper for all types. Of which fields hold times of cells, one
// package tells the next, whosever the struct is; who has the object that such a
// function filled, or was given by one that reads, follows that field of it.

// HeldIn returns the names of the fields that hold times of cells, as far as the
// package and its imports fill them.
func (p *CellTimes) HeldIn() []string {
	return slices.Sorted(maps.Keys(p.timeFields()))
}

func (p *CellTimes) timeFields() map[string]bool {
	if p.cellTimes != nil {
		return p.cellTimes
	}
	p.cellTimes = map[string]bool{}
	for _, name := range p.Inherited {
		p.cellTimes[name] = true
	}
	w := &timeMarks{fields: p.cellTimes}
	w.forward = newForward(p.prog, w)
	for _, fn := range p.prog.Funcs {
		if p.prog.IsTest(fn.Pos()) {
			continue
		}
		w.timesRead(fn)
		for _, call := range p.prog.Calls[fn] {
			t, ok := p.prog.Target(call.Common())
			if ok && t.Fn == nil && slices.ContainsFunc(t.Args, func(a ssa.Value) bool { return kind.CarriesCells(a.Type()) }) {
				w.results(call, nil) // a time out of view may be one of theirs
			}
		}
	}
	w.run()
	return p.cellTimes
}

// TimeMarks follow all times of cells to the fields that hold them.
type timeMarks struct {
	*forward
	fields map[string]bool
}

func (w *timeMarks) visit(t thing) bool                { return t.field == nil && kind.MayBeTime(t.v.Type()) }
func (w *timeMarks) lost(thing)                        {}
func (w *timeMarks) filled(*ssa.Parameter, *types.Var) {}
func (w *timeMarks) returned(t thing, ret *ssa.Return) { w.toCallers(t, ret) }
func (w *timeMarks) carries(of types.Type, field *types.Var) bool {
	return field == nil && kind.MayBeTime(of)
}

func (w *timeMarks) use(t thing, r ssa.Instruction) bool {
	switch r := r.(type) {
	case *ssa.BinOp:
		w.add(r, nil)
	case *ssa.Store:
		fa, ok := r.Addr.(*ssa.FieldAddr)
		if ok && r.Val == t.v && !w.p.IsTest(r.Pos()) {
			w.fields[kind.FieldKey(kind.FieldOf(fa), fa.X.Type())] = true
		}
		return ok
	}
	return false
}

func (w *timeMarks) call(t thing, call ssa.CallInstruction) {
	target, ok := w.p.Target(call.Common())
	switch {
	case !ok:
	case target.Fn == nil:
		w.results(call, nil)
	default:
		w.enterWith(t, call, target, nil)
	}
}

// timesIn returns the fields of the struct that values of a type are, point to or
// hold which hold times of cells.
func (p *CellTimes) timesIn(t types.Type) []*types.Var {
	return fieldsIn(t, 4, func(f *types.Var, owner types.Type) bool { return p.timeFields()[kind.FieldKey(f, owner)] })
}

// fieldsIn returns those fields that are wanted of the struct that values of a type
// are, point to or hold.
func fieldsIn(t types.Type, depth int, wanted func(f *types.Var, owner types.Type) bool) (out []*types.Var) {
	if depth == 0 || btapi.Type(t) != "" || kind.CarriesRow(t) {
		return nil
	}
	switch u := t.Underlying().(type) {
	case interface{ Elem() types.Type }: // a pointer, list, map or channel
		return fieldsIn(u.Elem(), depth-1, wanted)
	case *types.Signature:
		if yielded := kind.Yielded(u); yielded != nil {
			for v := range yielded.Variables() {
				out = append(out, fieldsIn(v.Type(), depth-1, wanted)...)
			}
		}
	case *types.Struct:
		for f := range u.Fields() {
			if wanted(f, t) {
				out = append(out, f.Origin())
			} else if _, ok := kind.Deref(f.Type()).Underlying().(*types.Struct); ok {
				out = append(out, fieldsIn(f.Type(), depth-1, wanted)...)
			}
		}
	}
	return out
}

// holdsField reports whether a field is one of the struct that values of a type are,
// point to or hold.
func holdsField(t types.Type, field *types.Var) bool {
	return len(fieldsIn(t, 4, func(f *types.Var, _ types.Type) bool { return f.Origin() == field })) > 0
}
