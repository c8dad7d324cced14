package uses

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// maxSteady bounds how deep in an expression is looked.
const maxSteady = 20

// Steady reports whether a value is certainly the same in every turn.
func (t *Turn) Steady(v ssa.Value) bool { return t.steady(v, maxSteady) }

func (t *Turn) steady(v ssa.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const, *ssa.Global, *ssa.Function, *ssa.Builtin:
		return true
	case *ssa.Parameter:
		if a, ok := t.given[v]; ok {
			return t.steady(a, depth-1)
		}
		if v.Parent() == t.fn {
			return t.header != nil
		}
		return !kind.Within(v.Parent(), t.fn)
	case *ssa.FreeVar:
		b := t.p.Binding(v)
		return b != nil && t.steady(b, depth-1)
	}
	instr, ok := v.(ssa.Instruction)
	if !ok {
		return false
	}
	if !t.inside(instr) {
		return true
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			return t.steadyLoad(v.X, depth-1)
		case token.ARROW:
			return false
		}
	case *ssa.Call:
		return t.steadyCall(v, depth-1)
	case *ssa.Lookup:
		if t.updatesMaps() {
			return false
		}
	case *ssa.BinOp, *ssa.Convert, *ssa.MultiConvert, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.Field, *ssa.FieldAddr,
		*ssa.Index, *ssa.IndexAddr, *ssa.Extract, *ssa.TypeAssert, *ssa.Slice:
	default:
		return false
	}
	for _, op := range instr.Operands(nil) {
		if *op != nil && !t.steady(*op, depth-1) {
			return false
		}
	}
	return true
}

// updatesMaps reports whether an element of a map is set in the turn.
func (t *Turn) updatesMaps() bool {
	for _, b := range t.fn.Blocks {
		for _, instr := range b.Instrs {
			if u, ok := instr.(*ssa.MapUpdate); ok && t.inside(u) {
				return true
			}
		}
	}
	return false
}

// steadyLoad reports whether what is stored at an address stays.
func (t *Turn) steadyLoad(addr ssa.Value, depth int) bool {
	if !t.steady(addr, depth) {
		return false
	}
	root, path := t.p.Address(addr)
	for _, s := range t.p.Stores[root] {
		if t.inside(s.At) && (s.Path.HasPrefix(path) || path.HasPrefix(s.Path)) {
			return false
		}
	}
	for _, touch := range t.p.Touches(root) {
		if t.inside(touch.At) && (touch.Field == value.AnyField || len(path) == 0 || touch.Field == t.fieldName(root, path)) {
			return false
		}
	}
	for _, call := range t.callsInside() {
		if _, stops := t.p.SetsPart(call, root, path); stops {
			return false
		}
	}
	if g, ok := root.(*ssa.Global); ok {
		return !t.setInside(t.p.Stores[g])
	}
	if fa, ok := addr.(*ssa.FieldAddr); ok {
		if _, local := root.(*ssa.Alloc); !local {
			return t.steadyField(kind.FieldKey(kind.FieldOf(fa), fa.X.Type()))
		}
	}
	return true
}

func (t *Turn) fieldName(root ssa.Value, path kind.PathTo) string {
	if f := kind.StructField(kind.Deref(root.Type()), path[0]); f != nil {
		return f.Name()
	}
	return value.AnyField
}

// setInside reports whether one of the stores happens in the turn, or in a
// function that is run in it.
func (t *Turn) setInside(stores []program.Store) bool {
	for _, s := range stores {
		if t.inside(s.At) || t.running()[kind.Origin(kind.Outermost(s.At.Parent()))] {
			return true
		}
	}
	return false
}

// steadyField reports whether nothing that is run in the turn sets a field, of
// whatever object.
func (t *Turn) steadyField(key string) bool {
	for f, stores := range t.p.Fields {
		if !strings.HasSuffix(key, "."+f.Name()) {
			continue
		}
		for _, s := range stores {
			if t.inside(s.At) || t.running()[kind.Origin(kind.Outermost(s.Fn))] {
				return false
			}
		}
	}
	name := value.FieldName(key)
	for _, call := range t.callsInside() {
		target, _ := t.p.Target(call.Common())
		if s := t.p.Imported(target.Obj); s != nil {
			for _, set := range s.Sets {
				if set.Field == name || set.Field == value.AnyField {
					return false
				}
			}
		}
	}
	return true
}

// callsInside lists the calls of a turn.
func (t *Turn) callsInside() []ssa.CallInstruction {
	if t.within != nil {
		return t.within
	}
	out := []ssa.CallInstruction{}
	for _, fn := range t.p.Funcs {
		if fn != t.fn && !kind.Within(fn, t.fn) {
			continue
		}
		for _, call := range t.p.Calls[fn] {
			if t.inside(call) {
				out = append(out, call)
			}
		}
	}
	t.within = out
	return out
}

// running returns the functions of the package that are run in the turn.
func (t *Turn) running() map[*ssa.Function]bool {
	if t.calls != nil {
		return t.calls
	}
	t.calls = map[*ssa.Function]bool{}
	for _, call := range t.callsInside() {
		for _, target := range t.p.Targets(call) {
			if target.Fn != nil {
				fn := kind.Origin(kind.Outermost(target.Fn))
				t.calls[fn] = true
				for callee := range t.p.running(fn) {
					t.calls[callee] = true
				}
			}
		}
	}
	return t.calls
}

// running returns the functions that a function leads to.
func (p *Repeats) running(fn *ssa.Function) map[*ssa.Function]bool {
	if seen, ok := p.runs[fn]; ok {
		return seen
	}
	seen := map[*ssa.Function]bool{}
	p.runs[fn] = seen
	work := []*ssa.Function{fn}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		work = append(work, at.AnonFuncs...)
		for _, call := range p.Calls[at] {
			for _, t := range p.Targets(call) {
				if t.Fn == nil {
					continue
				}
				if callee := kind.Origin(kind.Outermost(t.Fn)); !seen[callee] {
					seen[callee] = true
					work = append(work, callee)
				}
			}
		}
	}
	return seen
}

// Varies reports whether a call may run another function in each turn: what one of them
// does then happens once.
func (t *Turn) Varies(at ssa.Instruction) bool {
	call, ok := at.(ssa.CallInstruction)
	return ok && len(t.p.Targets(call)) > 1 && !t.Steady(call.Common().Value)
}

// steadyCall reports whether a call returns the same in every turn: it is
// given the same, and its result hangs on nothing else.
func (t *Turn) steadyCall(v *ssa.Call, depth int) bool {
	for _, op := range v.Operands(nil) {
		if *op != nil && !t.steady(*op, depth) {
			return false
		}
	}
	if b, ok := v.Call.Value.(*ssa.Builtin); ok {
		return kind.IsExtreme(b) || b.Name() == "len"
	}
	for _, target := range t.p.Targets(v) {
		var results []summary.ResultCase
		var callee *ssa.Function
		switch {
		case target.API != "":
			if !btapi.Pure(target.API) {
				return false
			}
			continue
		case target.Fn != nil:
			results, callee = t.p.ResultsOf(target.Fn), target.Fn
		case t.p.Imported(target.Obj) != nil:
			results = t.p.Imported(target.Obj).Results
		}
		if len(results) == 0 {
			return false
		}
		for _, r := range results {
			for _, g := range r.Guards {
				if !t.SteadyValue(g.Cond, callee, target.Args) {
					return false
				}
			}
			for _, w := range r.Values {
				if !t.SteadyValue(w, callee, target.Args) {
					return false
				}
			}
		}
	}
	return len(t.p.Targets(v)) > 0
}

// SteadyValue reports whether a value over a callee's parameters is the same
// in every turn. callee is nil for a function of another package; args are
// those of the call.
func (t *Turn) SteadyValue(v *value.Value, callee *ssa.Function, args []ssa.Value) bool {
	switch v.Kind {
	case value.Unknown, value.Global:
		return false
	case value.Param:
		if callee == nil && v.Site == nil || callee != nil && isParam(v, callee) {
			return int(v.Num) < len(args) && t.Steady(args[v.Num])
		}
		fn, ok := v.Site.(*ssa.Function)
		return ok && fn != t.fn && !kind.Within(fn, t.fn)
	case value.Field:
		if !t.steadyField(v.Name) {
			return false
		}
	case value.Func:
		return true
	case value.Struct:
		return v.Lazy == nil && v.Name == ""
	case value.Call:
		if kind.Makers[v.Name] {
			site, ok := v.Site.(ssa.Instruction)
			return ok && callee != nil && kind.Within(callee, site.Parent()) && !t.inside(site)
		}
		if !folds[v.Name] && !btapi.Pure(v.Name) {
			return false
		}
	}
	for _, a := range v.Args {
		if !t.SteadyValue(a, callee, args) {
			return false
		}
	}
	return true
}

// folds are the operations of Go that return the same whenever they are given
// the same.
var folds = map[string]bool{
	value.Add: true, value.Sub: true, value.Mul: true, value.Quo: true, value.Rem: true, value.Shl: true, value.Shr: true,
	value.Eql: true, value.Neq: true, value.Lss: true, value.Leq: true, value.Gtr: true, value.Geq: true,
	value.Not: true, value.Or: true, value.Len: true, value.Zero: true, value.ZeroTime: true, value.Index: true, value.Has: true, value.Is: true,
}
