package program

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// implementation returns the method that an interface's method must be:
// that of the only type of this package, tests aside, which implements the
// interface; nil when there is none, or more than one, or when the package leaves
// it to others to use that type as one.
func (p *Program) implementation(common *ssa.CallCommon) *ssa.Function {
	fns := p.Implementations(common)
	if len(fns) != 1 || !p.Used(common) {
		return nil
	}
	return fns[0]
}

// Used reports whether this package itself makes an interface, whose method is called, of
// one of its types: those that it leaves to others are not all that may be given.
func (p *Program) Used(common *ssa.CallCommon) bool {
	return slices.ContainsFunc(p.implementersOf(common.Value.Type()), func(t *types.Named) bool { return p.converted[t.Obj()] })
}

// Implementations returns the methods of this package's types, tests aside,
// that a call of an interface's method can run: none where another package
// declares the interface, since that is for types which this one cannot see.
func (p *Program) Implementations(common *ssa.CallCommon) []*ssa.Function {
	if p.Foreign(common) {
		return nil
	}
	fns, complete := p.LocalMethods(common)
	if !complete {
		return nil
	}
	return fns
}

// importedMethod reports whether it is known of the package that declares the
// interface what its method does, and no type of this package does anything
// else.
func (p *Program) importedMethod(common *ssa.CallCommon) bool {
	if s := p.Imported(common.Method); s == nil || s.Empty() {
		return false
	}
	fns, complete := p.LocalMethods(common)
	return len(fns) == 0 && complete
}

// Foreign reports whether the interface whose method is called is declared by
// another package.
func (p *Program) Foreign(common *ssa.CallCommon) bool {
	switch t := types.Unalias(common.Value.Type()).(type) {
	case *types.Named:
		return t.Obj().Pkg() != p.Pass.Pkg
	case *types.TypeParam:
		return !p.constrains(t)
	}
	return false
}

// LocalMethods returns the methods of this package's types, tests aside, that
// have the shape of the interface's method which is called; complete reports
// whether the code of all of them stands here. A type that embeds the interface
// adds nothing to it.
func (p *Program) LocalMethods(common *ssa.CallCommon) (fns []*ssa.Function, complete bool) {
	complete = true
	for _, t := range p.implementersOf(common.Value.Type()) {
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, common.Method.Pkg(), common.Method.Name())
		m, ok := obj.(*types.Func)
		if ok && types.IsInterface(m.Signature().Recv().Type()) {
			continue
		}
		if fn := p.Pkg.Prog.FuncValue(m); fn != nil && p.HasBody(kind.Origin(fn)) {
			fns = append(fns, kind.Origin(fn))
		} else {
			complete = false
		}
	}
	return fns, complete
}

// implementersOf returns this package's types, tests aside, that implement an interface.
func (p *Program) implementersOf(t types.Type) []*types.Named {
	iface, ok := t.Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	key := types.TypeString(t, nil)
	named, ok := p.implementers[key]
	if !ok {
		named = p.ImplementersOf(iface)
		p.implementers[key] = named
	}
	return named
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
