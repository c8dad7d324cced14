package memory

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Functional options: functions, or values with one method, that a
// constructor runs on what it makes. A field that they may set is
// [value.Optioned] until the list of options is known, which is where the
// constructor is called.

// OptionType returns the struct that options of a type change, or nil when
// values of the type cannot be options: func(*T), func(*T) error, and
// interfaces with one such method.
func OptionType(t types.Type) *types.TypeName {
	sig, ok := t.Underlying().(*types.Signature)
	if iface, isInterface := t.Underlying().(*types.Interface); isInterface && iface.NumMethods() == 1 {
		sig, ok = iface.Method(0).Signature(), true
	}
	if !ok || sig.Params().Len() != 1 || sig.Results().Len() > 1 || !kind.IsPointer(sig.Params().At(0).Type()) {
		return nil
	}
	if sig.Results().Len() == 1 && !kind.IsError(sig.Results().At(0).Type()) {
		return nil
	}
	if to, generic := types.Unalias(kind.Deref(sig.Params().At(0).Type())).(*types.TypeParam); generic {
		return to.Obj()
	}
	return kind.StructName(sig.Params().At(0).Type())
}

// Setter returns what a function with a body sets on its last parameter, or
// nil when it cannot be an option.
func (p *Objects) Setter(fn *ssa.Function) *value.Value {
	s, ok := p.setters[fn]
	if !ok {
		p.setters[fn] = nil // of one that makes itself, nothing is known
		s = p.newSetter(fn)
		p.setters[fn] = s
	}
	return s
}

func (p *Objects) newSetter(fn *ssa.Function) *value.Value {
	sig := types.NewSignatureType(nil, nil, nil, fn.Signature.Params(), fn.Signature.Results(), false)
	if !p.sets(OptionType(sig)) || !p.Prog.HasBody(fn) || len(fn.Params) == 0 {
		return nil
	}
	f := &value.Value{Kind: value.Func, Name: fn.Name(), Site: fn}
	return SetterOf(f, p.Sets(fn), len(fn.Params)-1, fn)
}

// SetterOf returns a function as a setter of its last parameter. site is the
// function, nil for one of another package.
func SetterOf(f *value.Value, sets []summary.FieldSet, last int, site any) *value.Value {
	var fields []string
	var values []*value.Value
	for _, s := range sets {
		if s.Param != last {
			continue
		}
		v := value.UnknownFor(value.SetSometimes)
		if asked, ok := given(s.Guards); s.Value != nil && ok {
			v = s.Value
			if asked != nil {
				v = value.Apply(value.Given, asked, v, value.Before)
			}
			v = v.Subst(func(leaf *value.Value) *value.Value {
				if leaf.Kind != value.Param || int(leaf.Num) != last || leaf.Site != site {
					return nil
				}
				return &value.Value{Kind: value.Struct, Lazy: func(name string) *value.Value {
					if name == s.Field {
						return value.Before
					}
					return value.UnknownFor("another field of what an option is given")
				}}
			})
		}
		field := s.Field
		if field == whole {
			field = value.AnyField
		}
		fields = append(fields, field)
		values = append(values, v)
	}
	return value.Setter(f, fields, values)
}

// given returns the value that conditions ask for, where they ask no more than
// whether one is there: if f != nil. ok reports whether that is all they ask.
func given(guards []summary.Guard) (v *value.Value, ok bool) {
	if len(guards) == 0 {
		return nil, true
	}
	cond := guards[0].Cond
	if len(guards) > 1 || !(cond.Is(value.Neq) && guards[0].Want || cond.Is(value.Eql) && !guards[0].Want) {
		return nil, false
	}
	v, zero := cond.Args[0], cond.Args[1].Base()
	return v, v.Base().Kind == value.Param && (zero.Kind == value.Nil || zero.Is(value.Zero))
}

// SetsOf returns what a function, of another package too, sets of what it is given.
func (p *Objects) SetsOf(t program.Target) []summary.FieldSet {
	if t.Fn != nil {
		return p.Sets(t.Fn)
	}
	if s := p.Prog.Imported(t.Obj); s != nil {
		return s.Sets
	}
	return nil
}

// Always reports whether an instruction runs whenever its function succeeds.
func Always(at ssa.Instruction) bool {
	return !slices.ContainsFunc(kind.ReturnsOf(at.Parent()), func(ret *ssa.Return) bool {
		n := len(ret.Results)
		return !at.Block().Dominates(ret.Block()) && (n == 0 || kind.IsConst(ret.Results[n-1]) && ret.Results[n-1].(*ssa.Const).IsNil())
	})
}

// fieldPath joins the names of the fields along path by dots; "" for the
// whole, and for a path through an array.
func fieldPath(t types.Type, path kind.PathTo) string {
	names := ""
	for i, step := range path {
		f := (*types.Var)(nil)
		if step >= 0 {
			f = kind.StructField(kind.Deref(t).Underlying(), step)
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

// An OptionCall is a call of functions that are not known where it stands,
// on an object.
type OptionCall struct {
	Call  ssa.CallInstruction
	Field string          // the field that is asked for, as the functions name it
	Past  ssa.Instruction // what asks for it, where a way leads there past the call; nil where none does
	At    ssa.Instruction // which asks, where that is in a turn of the loop that runs them; nil otherwise
}

// runsOption reports whether a call runs what may be an option.
func runsOption(common *ssa.CallCommon) bool {
	return common.StaticCallee() == nil && len(common.Args) == 1 && OptionType(common.Signature()) != nil
}

// onOption reports whether a call runs an option on a struct that this package can fill.
func (p *Objects) onOption(common *ssa.CallCommon) bool {
	return runsOption(common) && p.sets(OptionType(common.Signature()))
}

// sets reports whether this package can set a field of a struct: if it is its own, or
// has one that is exported.
func (p *Objects) sets(name *types.TypeName) bool {
	if name == nil || p.Prog.Owns(name) {
		return name != nil
	}
	s, ok := name.Type().Underlying().(*types.Struct)
	for i := 0; ok && i < s.NumFields(); i++ {
		if s.Field(i).Exported() {
			return true
		}
	}
	return false
}

// OptionsOn reports whether options are run on the part at path of a, or on a
// part of that.
func (p *Objects) OptionsOn(a *ssa.Alloc, path kind.PathTo) bool {
	if !p.TakesOptions(a) {
		return false
	}
	for _, call := range p.Prog.Calls[a.Parent()] {
		if common := call.Common(); p.onOption(common) {
			if r, prefix := p.Prog.Address(kind.Stripped(common.Args[0])); r == ssa.Value(a) && prefix.HasPrefix(path) {
				return true
			}
		}
	}
	return false
}

// optionCall reports whether instr may set the part at path of what root
// denotes, as functional options do.
func (p *Objects) optionCall(instr ssa.Instruction, root ssa.Value, path kind.PathTo) (OptionCall, bool) {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return OptionCall{}, false
	}
	common := call.Common()
	if !runsOption(common) {
		return OptionCall{}, false
	}
	r, prefix := p.Prog.Address(kind.Stripped(common.Args[0]))
	if r != root || !path.HasPrefix(prefix) || len(path) == len(prefix) {
		return OptionCall{}, false
	}
	f := kind.StructField(kind.Deref(common.Args[0].Type()), path[len(prefix)])
	if f == nil || !f.Exported() && f.Pkg() == p.Prog.Pass.Pkg && !p.setByOptions(f, common) {
		return OptionCall{}, false
	}
	return OptionCall{Call: call, Field: fieldPath(common.Args[0].Type(), path[len(prefix):])}, true
}

// setByOptions reports whether a function of this package that the call may
// run sets the field.
func (p *Objects) setByOptions(f *types.Var, common *ssa.CallCommon) bool {
	name := OptionType(common.Signature()) // one, whatever its type arguments
	for _, s := range p.Prog.Fields[f] {
		if common.IsInvoke() && s.Fn.Name() == common.Method.Name() || name != nil && OptionType(s.Fn.Signature) == name {
			return true
		}
	}
	return false
}

// OptionCalls lists the calls of options on a that may set the part at path
// before the instruction at; all of them where at is nil.
func (p *Objects) OptionCalls(a *ssa.Alloc, path kind.PathTo, at ssa.Instruction) []OptionCall {
	if !p.TakesOptions(a) {
		return nil
	}
	var out []OptionCall
	for _, call := range p.Prog.Calls[a.Parent()] {
		c, ok := p.optionCall(call, a, path)
		if !ok {
			continue
		}
		_, turns := optionLoop(call.Common())
		switch {
		case at == nil:
		case turns != nil && p.Prog.Graphs.InLoop(at.Block(), turns.Block()):
			c.At = at
		case !p.Prog.Graphs.Precedes(call, at):
			continue
		case at.Parent() == a.Parent() && !OptionLoop(call).Block().Dominates(at.Block()):
			c.Past = at
		}
		out = append(out, c)
	}
	return out
}

// optionLoop returns the list over which a loop runs that calls each of its functions, and
// what counts the turns; nil of other calls.
func optionLoop(common *ssa.CallCommon) (list *ssa.IndexAddr, turns *ssa.Phi) {
	if load, ok := common.Value.(*ssa.UnOp); ok && load.Op == token.MUL {
		if ia, ok := load.X.(*ssa.IndexAddr); ok {
			return ia, kind.LoopVariable(ia.Index)
		}
	}
	return nil, nil
}

// OptionLoop returns where the loop begins that runs the options of a list, or where one
// is run.
func OptionLoop(call ssa.Instruction) ssa.Instruction {
	if _, turns := optionLoop(call.(ssa.CallInstruction).Common()); turns != nil {
		return turns
	}
	return call
}

// TakesOptions reports whether a local object is handed to functions that
// are not known.
func (p *Objects) TakesOptions(a *ssa.Alloc) bool {
	takes, ok := p.optioned[a]
	if !ok {
		for _, call := range p.Prog.Calls[a.Parent()] {
			if runsOption(call.Common()) {
				r, _ := p.Prog.Address(kind.Stripped(call.Common().Args[0]))
				takes = takes || r == ssa.Value(a)
			}
		}
		p.optioned[a] = takes
	}
	return takes
}

// ByOption reports whether a store to a field is that of a functional option
// which the places that make its objects run.
func (p *Objects) ByOption(s program.FieldStore, allocs []*ssa.Alloc) bool {
	if p.Setter(s.Fn) == nil {
		return false
	}
	for _, a := range allocs {
		if p.TakesOptions(a) {
			return true
		}
	}
	return false
}
