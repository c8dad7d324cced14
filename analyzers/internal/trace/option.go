package trace

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// Functional options: functions, or values with one method, that a
// constructor runs on what it makes. A field that they may set is
// [value.Optioned] until the list of options is known, which is where the
// constructor is called.

// optionType returns the struct that options of a type change, or nil when
// values of the type cannot be options: func(*T), func(*T) error, and
// interfaces with one such method.
func optionType(t types.Type) *types.TypeName {
	sig, ok := t.Underlying().(*types.Signature)
	if iface, isInterface := t.Underlying().(*types.Interface); isInterface && iface.NumMethods() == 1 {
		sig, ok = iface.Method(0).Signature(), true
	}
	if !ok || sig.Params().Len() != 1 || sig.Results().Len() > 1 || !isPointer(sig.Params().At(0).Type()) {
		return nil
	}
	if sig.Results().Len() == 1 && !isError(sig.Results().At(0).Type()) {
		return nil
	}
	return structName(sig.Params().At(0).Type())
}

// setter returns what a function with a body sets on its last parameter, or
// nil when it cannot be an option.
func (p *program) setter(fn *ssa.Function) *value.Value {
	s, ok := p.setters[fn]
	if !ok {
		p.setters[fn] = nil // of one that makes itself, nothing is known
		s = p.newSetter(fn)
		p.setters[fn] = s
	}
	return s
}

func (p *program) newSetter(fn *ssa.Function) *value.Value {
	sig := types.NewSignatureType(nil, nil, nil, fn.Signature.Params(), fn.Signature.Results(), false)
	name := optionType(sig)
	if name == nil || !p.owns(name) || !p.hasBody(fn) || len(fn.Params) == 0 {
		return nil
	}
	f := &value.Value{Kind: value.Func, Name: fn.Name(), Site: fn}
	return setterOf(f, p.sets(fn), len(fn.Params)-1, fn)
}

// setterOf returns a function as a setter of its last parameter. site is the
// function, nil for one of another package.
func setterOf(f *value.Value, sets []FieldSet, last int, site any) *value.Value {
	var fields []string
	var values []*value.Value
	for _, s := range sets {
		if s.Param != last {
			continue
		}
		v := unknown("a field that an option sets on some condition")
		if s.Value != nil && len(s.Guards) == 0 {
			v = s.Value.Subst(func(leaf *value.Value) *value.Value {
				if leaf.Kind != value.Param || int(leaf.Num) != last || leaf.Site != site {
					return nil
				}
				return &value.Value{Kind: value.Struct, Lazy: func(name string) *value.Value {
					if name == s.Field {
						return value.Before
					}
					return unknown("another field of what an option is given")
				}}
			})
		}
		fields = append(fields, s.Field)
		values = append(values, v)
	}
	return value.Setter(f, fields, values)
}

// importedSets returns what a function of another package sets.
func (p *program) importedSets(obj *types.Func) []FieldSet {
	if s := p.imported(obj); s != nil {
		return s.Sets
	}
	return nil
}

// always reports whether an instruction runs whenever its function succeeds.
func always(at ssa.Instruction) bool {
	for _, b := range at.Parent().Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || b == at.Parent().Recover || at.Block().Dominates(b) {
			continue
		}
		if n := len(ret.Results); n == 0 || isConst(ret.Results[n-1]) && ret.Results[n-1].(*ssa.Const).IsNil() {
			return false
		}
	}
	return true
}

// fieldPath joins the names of the fields along path by dots; "" for the
// whole, and for a path through an array.
func fieldPath(t types.Type, path pathTo) string {
	names := ""
	for i, step := range path {
		f := (*types.Var)(nil)
		if step >= 0 {
			f = structField(deref(t).Underlying(), step)
		}
		if f == nil {
			return ""
		}
		if i > 0 {
			names += "."
		}
		names += f.Name()
		t = f.Type()
	}
	return names
}

// An optionCall is a call of functions that are not known where it stands,
// on an object.
type optionCall struct {
	call  ssa.CallInstruction
	field string // the field that is asked for, as the functions name it
}

// runsOption reports whether a call runs what may be an option.
func runsOption(common *ssa.CallCommon) bool {
	return common.StaticCallee() == nil && len(common.Args) == 1 && optionType(common.Signature()) != nil
}

// optionCall reports whether instr may set the part at path of what root
// denotes, as functional options do.
func (p *program) optionCall(instr ssa.Instruction, root ssa.Value, path pathTo) (optionCall, bool) {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return optionCall{}, false
	}
	common := call.Common()
	if !runsOption(common) {
		return optionCall{}, false
	}
	r, prefix := p.address(stripped(common.Args[0]))
	if r != root || !path.hasPrefix(prefix) || len(path) == len(prefix) {
		return optionCall{}, false
	}
	f := structField(deref(common.Args[0].Type()), path[len(prefix)])
	if f == nil || !f.Exported() && !p.setByOptions(f, common) {
		return optionCall{}, false
	}
	return optionCall{call, fieldPath(common.Args[0].Type(), path[len(prefix):])}, true
}

// setByOptions reports whether a function of this package that the call may
// run sets the field.
func (p *program) setByOptions(f *types.Var, common *ssa.CallCommon) bool {
	params := common.Signature().Params()
	for _, s := range p.fields[f] {
		if common.IsInvoke() && s.fn.Name() == common.Method.Name() || types.Identical(params, s.fn.Signature.Params()) {
			return true
		}
	}
	return false
}

// optionCalls lists the calls of options on a that may set the part at path
// before the instruction at; all of them where at is nil.
func (p *program) optionCalls(a *ssa.Alloc, path pathTo, at ssa.Instruction) []optionCall {
	if !p.takesOptions(a) {
		return nil
	}
	var out []optionCall
	for _, call := range p.calls[a.Parent()] {
		if c, ok := p.optionCall(call, a, path); ok && (at == nil || p.precedes(call, at)) {
			out = append(out, c)
		}
	}
	return out
}

// takesOptions reports whether a local object is handed to functions that
// are not known.
func (p *program) takesOptions(a *ssa.Alloc) bool {
	takes, ok := p.optioned[a]
	if !ok {
		for _, call := range p.calls[a.Parent()] {
			if runsOption(call.Common()) {
				r, _ := p.address(stripped(call.Common().Args[0]))
				takes = takes || r == ssa.Value(a)
			}
		}
		p.optioned[a] = takes
	}
	return takes
}

// byOption reports whether a store to a field is that of a functional option
// which the places that make its objects run.
func (p *program) byOption(s fieldStore, allocs []*ssa.Alloc) bool {
	if p.setter(s.fn) == nil {
		return false
	}
	for _, a := range allocs {
		if p.takesOptions(a) {
			return true
		}
	}
	return false
}

// withOptions returns a field as it is after options that came later than
// the instruction from.
func (p *path) withOptions(v *value.Value, calls []optionCall, from ssa.Instruction) *value.Value {
	for _, c := range calls {
		if from == nil || p.p.precedes(from, c.call) {
			v = value.Apply(value.Optioned, v, p.options(c.call), value.StrOf(c.field))
		}
	}
	return v
}

// options returns the list of the functions that a call runs on its object:
// those over which a loop runs, or one.
func (p *path) options(call ssa.CallInstruction) *value.Value {
	if load, ok := call.Common().Value.(*ssa.UnOp); ok && load.Op == token.MUL {
		if ia, ok := load.X.(*ssa.IndexAddr); ok && loopVariable(ia.Index) != nil {
			return p.eval(ia.X, ia)
		}
	}
	return value.ListOf(p.eval(call.Common().Value, call))
}

// chosen returns the option that a value becomes where it is made an
// interface with one method, or x when it is none.
func (p *path) chosen(mi *ssa.MakeInterface, x *value.Value) *value.Value {
	iface := mi.Type().Underlying().(*types.Interface)
	if name := optionType(mi.Type()); name == nil || !p.p.owns(name) {
		return x
	}
	m := iface.Method(0)
	obj, _, _ := types.LookupFieldOrMethod(mi.X.Type(), true, m.Pkg(), m.Name())
	method, ok := obj.(*types.Func)
	if !ok {
		return x
	}
	fn := p.p.pkg.Prog.FuncValue(method)
	if fn == nil || !p.p.hasBody(fn) || len(fn.Params) != 2 {
		return x
	}
	if runsReceiver(fn) {
		return x
	}
	if s := p.p.setter(fn); s != nil && len(s.Keys) > 0 {
		return s.Subst(binder([]*value.Value{x}, fn))
	}
	return x
}

// runsReceiver reports whether a method of a function type does nothing but
// run its receiver.
func runsReceiver(fn *ssa.Function) bool {
	for _, r := range *fn.Params[0].Referrers() {
		if call, ok := r.(*ssa.Call); ok && call.Call.Value == ssa.Value(fn.Params[0]) && len(fn.Blocks) == 1 {
			return len(call.Call.Args) == 1 && call.Call.Args[0] == ssa.Value(fn.Params[1])
		}
	}
	return false
}
