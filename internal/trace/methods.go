package trace

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Constructors return interfaces, and the types behind them are often not
// exported: other packages cannot look their methods up. What these return is
// carried with the object.

// maxMethods bounds the methods that are carried with an object.
const maxMethods = 8

// hides reports whether a result of that type is an interface of a package that
// is traced, behind which an object may stand whose methods tell something or
// call the client.
func (p *returns) hides(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	iface, isInterface := t.Underlying().(*types.Interface)
	if !ok || !isInterface || kind.IsError(t) || iface.NumMethods() > maxMethods {
		return false
	}
	if pkg := named.Obj().Pkg(); pkg == nil || pkg != p.prog.Pass.Pkg && !p.prog.Traced(pkg) {
		return false
	}
	for m := range iface.Methods() {
		if answers(m) {
			return true
		}
	}
	return slices.ContainsFunc(p.prog.Behind.ImplementersOf(iface), func(impl *types.Named) bool {
		for m := range iface.Methods() {
			obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(impl), true, m.Pkg(), m.Name())
			method, ok := obj.(*types.Func)
			if !ok {
				continue
			}
			if fn := p.prog.Pkg.Prog.FuncValue(method); fn != nil && p.acts[method.Origin()] {
				return true
			}
		}
		return false
	})
}

// answers reports whether what a method returns can tell a rule anything.
func answers(m *types.Func) bool {
	res := m.Signature().Results()
	return res.Len() > 0 && memory.Meaningful(res.At(0).Type(), 3)
}

// withMethods returns an object that is given to other packages as an interface
// with what its methods return, where its type is one that they cannot name.
func (p *returns) withMethods(v *value.Value, t types.Type) *value.Value {
	iface, ok := t.Underlying().(*types.Interface)
	made := v.Base()
	if !ok || made.Kind != value.Struct || made.Lazy != nil {
		return v
	}
	typ := p.prog.Names.TypeOf(made)
	if typ == nil {
		return v
	}
	name := kind.StructName(kind.Deref(typ))
	if name == nil || name.Exported() || name.Pkg() != p.prog.Pass.Pkg {
		return v
	}
	c := *made
	c.Keys, c.Args = slices.Clip(c.Keys), slices.Clip(c.Args)
	for m := range iface.Methods() {
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(name.Type()), true, m.Pkg(), m.Name())
		impl, ok := obj.(*types.Func)
		if !ok || !answers(m) {
			continue
		}
		fn := p.prog.Pkg.Prog.FuncValue(impl)
		if fn == nil || !p.prog.HasBody(kind.Origin(fn)) {
			continue
		}
		if f := p.carried(kind.Origin(fn), made); f != nil {
			c.Keys, c.Args = append(c.Keys, value.MethodKey(m.Name())), append(c.Args, f)
		}
	}
	return &c
}

// carried returns a method of an object as a function that is known by what it
// returns; nil where that is not known.
func (p *returns) carried(fn *ssa.Function, recv *value.Value) *value.Value {
	f := &value.Value{Kind: value.Func, Name: kind.FuncKey(kind.Object(fn))}
	var results []*value.Value
	for _, c := range p.eval.ResultsOf(fn) {
		if len(c.Guards) > 0 || len(c.Values) == 0 || len(results) == maxMethods {
			return nil
		}
		v := c.Values[0].Subst(func(leaf *value.Value) *value.Value {
			switch {
			case leaf.Kind != value.Param || leaf.Site != any(fn):
				return nil
			case leaf.Num == 0:
				return recv
			}
			return value.ArgumentOf(f.Name, int(leaf.Num)-1, leaf.Class)
		})
		if v.Base().Kind == value.Unknown || kind.Root(v) != "" {
			return nil
		}
		results = append(results, v)
	}
	if len(results) == 0 {
		return nil
	}
	return value.Literal(f, results)
}
