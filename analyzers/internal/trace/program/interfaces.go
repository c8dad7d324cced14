package program

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// implementation returns the method that an interface's method must be:
// that of the only type of this package, tests aside, which implements the
// interface; nil when there is none, or more than one.
func (p *Program) implementation(common *ssa.CallCommon) *ssa.Function {
	if fns := p.Implementations(common); len(fns) == 1 {
		return fns[0]
	}
	return nil
}

// Implementations returns the methods of this package's types, tests aside,
// that a call of an interface's method can run.
func (p *Program) Implementations(common *ssa.CallCommon) []*ssa.Function {
	iface, ok := common.Value.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	key := types.TypeString(common.Value.Type(), nil)
	named, ok := p.implementers[key]
	if !ok {
		named = p.ImplementersOf(iface)
		p.implementers[key] = named
	}
	var fns []*ssa.Function
	for _, t := range named {
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, common.Method.Pkg(), common.Method.Name())
		m, ok := obj.(*types.Func)
		if !ok {
			return nil
		}
		fn := p.Pkg.Prog.FuncValue(m)
		if fn == nil || !p.HasBody(Origin(fn)) {
			return nil
		}
		fns = append(fns, Origin(fn))
	}
	return fns
}

func (p *Program) ImplementersOf(iface *types.Interface) []*types.Named {
	var found []*types.Named
	if iface.NumMethods() == 0 {
		return nil
	}
	scope := p.Pass.Pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || p.IsTest(tn.Pos()) {
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
