package trace

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// implementation returns the method that an interface's method must be:
// that of the only type of this package, tests aside, which implements the
// interface; nil when there is none, or more than one.
func (p *program) implementation(common *ssa.CallCommon) *ssa.Function {
	if fns := p.implementations(common); len(fns) == 1 {
		return fns[0]
	}
	return nil
}

// implementations returns the methods of this package's types, tests aside,
// that a call of an interface's method can run.
func (p *program) implementations(common *ssa.CallCommon) []*ssa.Function {
	iface, ok := common.Value.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	key := types.TypeString(common.Value.Type(), nil)
	named, ok := p.implementers[key]
	if !ok {
		named = p.implementersOf(iface)
		p.implementers[key] = named
	}
	var fns []*ssa.Function
	for _, t := range named {
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, common.Method.Pkg(), common.Method.Name())
		m, ok := obj.(*types.Func)
		if !ok {
			return nil
		}
		fn := p.pkg.Prog.FuncValue(m)
		if fn == nil || !p.hasBody(origin(fn)) {
			return nil
		}
		fns = append(fns, origin(fn))
	}
	return fns
}

// agreedResult resolves the call of an interface's method that several types
// implement, where all of them return the same; nil where they do not.
func (p *path) agreedResult(v *ssa.Call) *value.Value {
	if !v.Call.IsInvoke() {
		return nil
	}
	fns := p.p.implementations(&v.Call)
	if len(fns) < 2 {
		return nil
	}
	want := ""
	for i, fn := range fns {
		s := ""
		for _, c := range p.p.resultsOf(fn) {
			s += guardString(c.Guards) + argString(c.Values)
		}
		if s == "" || i > 0 && s != want {
			return nil
		}
		want = s
	}
	args := append([]ssa.Value{v.Call.Value}, v.Call.Args...)
	return p.result(target{fn: fns[0], args: args}, v)
}

// agree reports whether all the types that a call of an interface's method
// can run have the effect: what they do is then known without knowing which
// of them it is.
func (p *program) agree(fns []*ssa.Function, e Effect) bool {
	key := effectKey(e, false)
	for _, fn := range fns {
		if !p.effectKeys[fn][key] {
			return false
		}
	}
	return true
}

func (p *program) implementersOf(iface *types.Interface) []*types.Named {
	var found []*types.Named
	if iface.NumMethods() == 0 {
		return nil
	}
	scope := p.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || p.isTest(tn.Pos()) {
			continue
		}
		named, ok := tn.Type().(*types.Named)
		if !ok || types.IsInterface(named) || named.TypeParams().Len() > 0 {
			continue
		}
		if types.Implements(types.NewPointer(named), iface) {
			found = append(found, named)
		}
	}
	return found
}
