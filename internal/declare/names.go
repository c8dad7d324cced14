package declare

import (
	"fmt"
	"go/constant"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/rule"
)

// misnames returns what is wrong with the handles and the wrappers of a
// registry file that name something of the package: what they name does not
// exist, or cannot be what they say.
func misnames(pkg *types.Package, file *registry.File) registry.Errors {
	path, _, _ := strings.Cut(pkg.Path(), " ") // without " [p.test]"
	var list registry.Errors
	add := func(pos registry.Position, format string, args ...any) {
		list = append(list, &registry.ParseError{Pos: pos, Msg: fmt.Sprintf(format, args...)})
	}
	for _, t := range file.Tables {
		for _, h := range t.Handles {
			name, ok := registry.InPackage(h, path)
			if !ok {
				continue
			}
			if obj, owner := resolve(pkg, name); obj == nil {
				add(file.Handles[h], "handle %q names nothing%s", h, similar(pkg, path, name, holds))
			} else if owner != "" {
				add(file.Handles[h], "handle %q names what is declared elsewhere: write %q", h, owner)
			} else if !holds(obj) {
				add(file.Handles[h], "handle %q is %s, which holds no table: name a field, variable, constant or function that holds one, or its name", h, kind(obj))
			}
		}
	}
	for _, w := range file.Wrappers {
		name, ok := registry.InPackage(w.Func, path)
		if !ok {
			continue
		}
		obj, owner := resolve(pkg, name)
		fn, isFunc := obj.(*types.Func)
		switch {
		case obj == nil:
			add(w.Pos, "wrapper %q names nothing%s", w.Func, similar(pkg, path, name, func(o types.Object) bool { _, ok := o.(*types.Func); return ok }))
		case !isFunc:
			add(w.Pos, "wrapper %q is %s, not a function", w.Func, kind(obj))
		case owner != "":
			add(w.Pos, "wrapper %q names what is declared elsewhere: write %q", w.Func, owner)
		default:
			for _, arg := range slices.Sorted(maps.Keys(w.Args)) {
				if n := fn.Signature().Params().Len(); w.Args[arg].Param >= n {
					add(w.Pos, "wrapper %q takes its %s from position %d, but has %s", w.Func, arg, w.Args[arg].Param, positions(n))
				}
			}
		}
	}
	return list
}

func positions(n int) string {
	switch n {
	case 0:
		return "no parameters"
	case 1:
		return "one parameter, position 0"
	}
	return fmt.Sprintf("%d parameters, positions 0 to %d", n, n-1)
}

// resolve returns what a name such as "Ledger.tbl" stands for in the package.
// owner is the name by which values bear it, where that is another: of what is
// promoted from an embedded field.
func resolve(pkg *types.Package, name string) (obj types.Object, owner string) {
	first, member, isMember := strings.Cut(name, ".")
	obj = pkg.Scope().Lookup(first)
	if obj == nil || !isMember {
		return obj, ""
	}
	tn, ok := obj.(*types.TypeName)
	if !ok {
		return nil, ""
	}
	obj, index, _ := types.LookupFieldOrMethod(tn.Type(), true, pkg, member)
	if obj != nil && len(index) > 1 && obj.Pkg() != nil {
		owner = declaredAs(tn.Type(), index[:len(index)-1], member)
	}
	return obj, owner
}

// declaredAs names a promoted member by the type that declares it.
func declaredAs(t types.Type, index []int, member string) string {
	for _, i := range index {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return ""
		}
		t = s.Field(i).Type()
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return ""
	}
	path, _, _ := strings.Cut(n.Obj().Pkg().Path(), " ")
	return path + "." + n.Obj().Name() + "." + member
}

// similar suggests the nearest name of the package that is of use.
func similar(pkg *types.Package, path, name string, useful func(types.Object) bool) string {
	var names []string
	for _, n := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(n)
		if useful(obj) {
			names = append(names, n)
		}
		tn, ok := obj.(*types.TypeName)
		if !ok {
			continue
		}
		if s, ok := tn.Type().Underlying().(*types.Struct); ok {
			for f := range s.Fields() {
				if useful(f) {
					names = append(names, n+"."+f.Name())
				}
			}
		}
		ms := types.NewMethodSet(types.NewPointer(tn.Type()))
		if types.IsInterface(tn.Type()) {
			ms = types.NewMethodSet(tn.Type())
		}
		for m := range ms.Methods() {
			if len(m.Index()) == 1 && useful(m.Obj()) {
				names = append(names, n+"."+m.Obj().Name())
			}
		}
	}
	if near := rule.Nearest(name, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", path+"."+near)
	}
	return " in the package"
}

// holds reports whether an object may hold a table, or the name of one. It errs
// towards yes.
func holds(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Var, *types.Const:
		return mayHold(obj.Type())
	case *types.Func:
		results := obj.Signature().Results()
		return results.Len() > 0 && mayHold(results.At(0).Type())
	}
	return false
}

func mayHold(t types.Type) bool {
	if b, ok := t.Underlying().(*types.Basic); ok {
		return b.Info()&types.IsString != 0
	}
	if sig, ok := t.Underlying().(*types.Signature); ok {
		return sig.Results().Len() > 0 && mayHold(sig.Results().At(0).Type())
	}
	return true
}

// kind says what an object is.
func kind(obj types.Object) string {
	switch obj := obj.(type) {
	case *types.TypeName:
		return "a type"
	case *types.Func:
		if obj.Signature().Results().Len() == 0 {
			return "a function without results"
		}
		return "a function that returns " + obj.Signature().Results().At(0).Type().String()
	case *types.Var:
		if obj.IsField() {
			return "a field of type " + obj.Type().String()
		}
		return "a variable of type " + obj.Type().String()
	}
	return "a constant of type " + obj.Type().String()
}

// nameConstants gives the tables of a model the values of the constants that
// their handles name, as far as the package sees them.
func nameConstants(model *registry.Model, pkg *types.Package) {
	seen := map[*types.Package]bool{}
	var visit func(*types.Package)
	visit = func(p *types.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		path, _, _ := strings.Cut(p.Path(), " ")
		for _, t := range model.Tables {
			for _, h := range t.Handles {
				name, ok := registry.InPackage(h, path)
				if !ok {
					continue
				}
				if c, ok := p.Scope().Lookup(name).(*types.Const); ok && c.Val().Kind() == constant.String {
					t.Names = append(t.Names, registry.TableID(constant.StringVal(c.Val())))
				}
			}
		}
		for _, imp := range p.Imports() {
			visit(imp)
		}
	}
	for _, t := range model.Tables {
		if len(t.Handles) > 0 {
			visit(pkg)
			return
		}
	}
}
