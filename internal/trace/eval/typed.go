package eval

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// An interface that a struct is converted to hides its type, which decides
// what its methods run. Of a struct that is not known, such as the receiver
// that hands itself on, the type is known all the same.

// boxed returns what is made an interface, with the type that it has there.
func (p *Path) boxed(mi *ssa.MakeInterface, at ssa.Instruction) *value.Value {
	if x := p.generic(mi.X, at); x != nil {
		return x
	}
	return adapter(mi, p.typed(mi, p.Way.Eval(mi.X, at))).OfType(kind.DynamicKey(mi.X.Type()))
}

// generic returns what is made an interface of a type parameter's type, which has the
// type that a call supplies; nil of other values.
func (p *Path) generic(x ssa.Value, at ssa.Instruction) *value.Value {
	tp, ok := types.Unalias(x.Type()).(*types.TypeParam)
	if !ok {
		return nil
	}
	v := p.Way.Eval(x, at)
	if v.Is(value.Zero) {
		return p.p.Prog.TypeParam(tp) // any(zero), to ask for its type
	}
	return v
}

// asserted returns what is taken out of an interface, and whether it is of that type
// where that is asked.
func (p *Path) asserted(v *ssa.TypeAssert, at ssa.Instruction) *value.Value {
	x := p.Way.Eval(v.X, at)
	if !v.CommaOk {
		return x
	}
	holds := value.UnknownFor("whether a type assertion holds")
	if iface, ok := v.AssertedType.Underlying().(*types.Interface); ok {
		if ask := methodsOf(iface); ask != nil {
			holds = p.Settler.offers(value.Apply(value.Offers, append([]*value.Value{x}, ask...)...))
		}
	} else {
		holds = value.Apply(value.Holds, x, value.StrOf(kind.DynamicKey(v.AssertedType)))
		if !asks(v) {
			x = value.Apply(value.If, holds, x, kind.ZeroOf(v.AssertedType))
		}
	}
	return &value.Value{Kind: value.Tuple, Args: []*value.Value{x, holds}}
}

// methodsOf names the methods of an interface; nil where it has none, or some that only
// its own package can name.
func methodsOf(iface *types.Interface) (names []*value.Value) {
	for m := range iface.Methods() {
		if !m.Exported() {
			return nil
		}
		names = append(names, value.StrOf(m.Name()))
	}
	return names
}

// offers resolves whether what an interface holds has methods of those names: then it
// has those that are asked for.
func (p *Settler) offers(v *value.Value) *value.Value {
	if !v.Is(value.Offers) {
		return v // of nil it is known
	}
	name, ok := v.Args[0].InInterface()
	if !ok {
		return v
	}
	t := p.p.Prog.Names.Dynamic(name)
	if t == nil {
		return value.UnknownFor("which methods a type has")
	}
	for _, ask := range v.Args[1:] {
		if obj, _, _ := types.LookupFieldOrMethod(t, false, nil, ask.Name); obj == nil {
			return value.BoolOf(false)
		} else if _, is := obj.(*types.Func); !is {
			return value.BoolOf(false)
		}
	}
	return value.BoolOf(true)
}

// asks reports whether it is asked if an assertion holds.
func asks(v *ssa.TypeAssert) bool {
	for _, r := range *v.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && e.Index == 1 && len(*e.Referrers()) > 0 {
			return true
		}
	}
	return false
}

// typed returns what is made an interface, of which only the type is known, as
// a struct of that type with the fields of x, where one holds its table. What else
// is made an interface stays whole: a time is one under another name, too.
func (p *Path) typed(mi *ssa.MakeInterface, x *value.Value) *value.Value {
	if b := x.Base(); b.Kind != value.Param && b.Kind != value.Field && !b.Is(value.Elem) && !b.Is(value.Index) {
		return x
	}
	t := kind.Deref(mi.X.Type())
	named, ok := types.Unalias(t).(*types.Named)
	u, isStruct := t.Underlying().(*types.Struct)
	if !ok || !isStruct || named.TypeArgs().Len() > 0 || btapi.Type(t) != "" || !wraps(u) {
		return x
	}
	fields := map[string]*types.Var{}
	for f := range u.Fields() {
		fields[f.Name()] = f.Origin()
	}
	return &value.Value{Kind: value.Struct, Name: kind.TypeKey(t), Keys: kind.StructKeys(u), Expr: x.Expr, Lazy: func(name string) *value.Value {
		f := fields[name]
		if f == nil {
			return nil
		}
		return p.Reader.Field(x, f, t)
	}}
}

// wraps reports whether a struct holds a table: otherwise nothing is known of
// where it reads and writes.
func wraps(u *types.Struct) bool {
	for f := range u.Fields() {
		if kind.TableLike(f.Type()) || f.Embedded() && types.IsInterface(f.Type()) {
			return true
		}
	}
	return false
}
