package program

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
)

// opener returns the client's call that a call of an interface's method stands
// for which opens tables as *bigtable.Client does; "" where it is another, and
// where a type of this package, or of one that it imports, says under which name
// it opens them.
func (p *Program) opener(common *ssa.CallCommon) string {
	name := btapi.OpenerOf(common.Method)
	if name == "" {
		return ""
	}
	if fns, complete := p.Behind.LocalMethods(common); len(fns) > 0 || !complete {
		return ""
	}
	iface, ok := common.Value.Type().Underlying().(*types.Interface)
	if !ok {
		return ""
	}
	elsewhere, known := p.opened[iface]
	if !known {
		elsewhere = opensElsewhere(p.Pass.Pkg, iface, map[*types.Package]bool{p.Pass.Pkg: true})
		p.opened[iface] = elsewhere
	}
	if elsewhere {
		return ""
	}
	return name
}

// opensElsewhere reports whether a package that pkg imports, directly or not, and
// that imports the client, has a type that opens tables for the interface.
func opensElsewhere(pkg *types.Package, iface *types.Interface, seen map[*types.Package]bool) bool {
	for _, dep := range pkg.Imports() {
		if seen[dep] || btapi.IsRoot(dep.Path()) {
			continue
		}
		seen[dep] = true
		if slices.ContainsFunc(dep.Imports(), func(i *types.Package) bool { return btapi.IsRoot(i.Path()) }) && opens(dep.Scope(), iface) {
			return true
		}
		if opensElsewhere(dep, iface, seen) {
			return true
		}
	}
	return false
}

// opens reports whether a type of a package implements the interface.
func opens(scope *types.Scope, iface *types.Interface) bool {
	return slices.ContainsFunc(scope.Names(), func(name string) bool {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) {
			return false
		}
		return types.Implements(types.NewPointer(tn.Type()), iface)
	})
}
