package program

import (
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// Interfaces tells which types of a package are behind interfaces.
type Interfaces struct {
	p            *Program
	implementers map[string][]*types.Named // by interface
	converted    map[*types.TypeName]bool  // types that are put into an interface, tests aside
	sealed       map[*types.Func]bool      // see [Interfaces.Sealed]; nil until somebody asks
}

// implementation returns the method that an interface's method must be:
// that of the only type of this package, tests aside, which implements the
// interface; nil when there is none, or more than one, or when the package leaves
// it to others to use that type as one.
func (i *Interfaces) implementation(common *ssa.CallCommon) *ssa.Function {
	fns := i.Implementations(common)
	if len(fns) != 1 || !i.Used(common) {
		return nil
	}
	return fns[0]
}

// Used reports whether this package itself makes an interface, whose method is called, of
// one of its types: those that it leaves to others are not all that may be given.
func (i *Interfaces) Used(common *ssa.CallCommon) bool {
	return slices.ContainsFunc(i.implementersOf(common.Value.Type()), func(t *types.Named) bool { return i.converted[t.Obj()] })
}

// Implementations returns the methods of this package's types, tests aside,
// that a call of an interface's method can run: none where another package
// declares the interface, since that is for types which this one cannot see.
func (i *Interfaces) Implementations(common *ssa.CallCommon) []*ssa.Function {
	if i.Foreign(common) {
		return nil
	}
	fns, complete := i.LocalMethods(common)
	if !complete {
		return nil
	}
	return fns
}

// importedMethod reports whether it is known of the package that declares the
// interface what its method does, and no type of this package does anything
// else.
func (i *Interfaces) importedMethod(common *ssa.CallCommon) bool {
	if s := i.p.Imported(common.Method); s == nil || s.Empty() {
		return false
	}
	fns, complete := i.LocalMethods(common)
	return len(fns) == 0 && complete
}

// Foreign reports whether the interface whose method is called is declared by
// another package.
func (i *Interfaces) Foreign(common *ssa.CallCommon) bool {
	switch t := types.Unalias(common.Value.Type()).(type) {
	case *types.Named:
		return t.Obj().Pkg() != i.p.Pass.Pkg
	case *types.TypeParam:
		return !i.p.constrains(t)
	}
	return false
}

// LocalMethods returns the methods of this package's types, tests aside, that
// have the shape of the interface's method which is called; complete reports
// whether the code of all of them stands here. A type that embeds the interface
// adds nothing to it.
func (i *Interfaces) LocalMethods(common *ssa.CallCommon) (fns []*ssa.Function, complete bool) {
	if !common.IsInvoke() {
		return nil, true
	}
	complete = true
	for _, m := range i.MethodsOf(common.Value.Type(), common.Method.Name()) {
		if kind.OfInterface(m) {
			continue
		}
		if fn := i.p.Pkg.Prog.FuncValue(m); fn != nil && i.p.HasBody(kind.Origin(fn)) {
			fns = append(fns, kind.Origin(fn))
		} else {
			complete = false
		}
	}
	return fns, complete
}

// Sealed reports whether a method is one that only this package can name and that an
// interface of its own has: it calls it of what others give.
func (i *Interfaces) Sealed(m *types.Func) bool {
	if i.sealed == nil {
		i.sealed = map[*types.Func]bool{}
		scope := i.p.Pass.Pkg.Scope()
		for _, name := range scope.Names() {
			tn, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || !types.IsInterface(tn.Type()) {
				continue
			}
			for asked := range tn.Type().Underlying().(*types.Interface).Methods() {
				if asked.Exported() {
					continue
				}
				for _, m := range i.MethodsOf(tn.Type(), asked.Name()) {
					i.sealed[m.Origin()] = true
				}
			}
		}
	}
	return i.sealed[m]
}

// MethodsOf lists this package's types, tests aside, that implement an interface, each with
// its method of a name.
func (i *Interfaces) MethodsOf(iface types.Type, name string) iter.Seq2[*types.Named, *types.Func] {
	return func(yield func(*types.Named, *types.Func) bool) {
		for _, t := range i.implementersOf(iface) {
			obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, i.p.Pass.Pkg, name)
			if m, ok := obj.(*types.Func); ok && !yield(t, m) {
				return
			}
		}
	}
}

// implementersOf returns this package's types, tests aside, that implement an interface.
func (i *Interfaces) implementersOf(t types.Type) []*types.Named {
	iface, ok := t.Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	key := types.TypeString(t, nil)
	named, ok := i.implementers[key]
	if !ok {
		named = i.ImplementersOf(iface)
		i.implementers[key] = named
	}
	return named
}

func (i *Interfaces) ImplementersOf(iface *types.Interface) []*types.Named {
	var found []*types.Named
	if iface.NumMethods() == 0 {
		return nil
	}
	scope := i.p.Pass.Pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || i.p.IsTest(tn.Pos()) {
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
