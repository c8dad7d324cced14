package program

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Names are what the names of types, functions and fields in values mean: in the
// package, or in what it imports.
type Names struct {
	pass     *analysis.Pass
	packages map[string]*types.Package // by their paths
}

// MethodOf returns the method of a struct that was made in view, or by a
// constructor of another package, or of what is in an interface with a type that is known.
func (n *Names) MethodOf(recv *value.Value, method *types.Func) *types.Func {
	return n.methodOf(recv, method.Pkg(), method.Name())
}

// MethodNamed is like MethodOf for a method of which the name is known.
func (n *Names) MethodNamed(recv *value.Value, name string) *types.Func {
	return n.methodOf(recv, nil, name)
}

func (n *Names) methodOf(recv *value.Value, pkg *types.Package, name string) *types.Func {
	var t types.Type
	if b := recv.Base(); b.Kind == value.Struct {
		t = n.TypeOf(b)
	} else if in, ok := recv.InInterface(); ok {
		t = n.Dynamic(in)
	}
	if t == nil {
		return nil
	}
	if pkg == nil {
		pkg = whoNames(t, name)
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, pkg, name)
	m, ok := obj.(*types.Func)
	if !ok || types.IsInterface(m.Signature().Recv().Type()) {
		return nil
	}
	return m
}

// whoNames returns the package that can name a method of a type: that which declares it,
// of a type that may be embedded there. It is nil of no method, and of several.
func whoNames(t types.Type, method string) (pkg *types.Package) {
	if token.IsExported(method) {
		return nil // everybody
	}
	methods := types.NewMethodSet(types.NewPointer(kind.Deref(t)))
	for i := range methods.Len() {
		if m := methods.At(i).Obj(); m.Name() == method {
			if pkg != nil {
				return nil
			}
			pkg = m.Pkg()
		}
	}
	return pkg
}

// Promoted finds the method of that name of a struct: the embedded structs that
// lead to it, by their fields' names, and the method, nil where there is none. It
// reports whether that is known.
func (n *Names) Promoted(recv *value.Value, name string) (through []string, m *types.Func, known bool) {
	t := n.TypeOf(recv)
	if t == nil {
		return nil, nil, false
	}
	obj, path, _ := types.LookupFieldOrMethod(t, true, n.pass.Pkg, name)
	if m, known = obj.(*types.Func); !known || types.IsInterface(m.Signature().Recv().Type()) {
		return nil, nil, obj == nil && token.IsExported(name)
	}
	t = kind.Deref(t)
	for _, i := range path[:len(path)-1] {
		f := kind.StructField(t, i)
		if f == nil {
			return nil, nil, false
		}
		through, t = append(through, f.Name()), kind.Deref(f.Type())
	}
	return through, m, true
}

// TypeOf returns the type of a struct that was made in view, or by a
// constructor of another package; nil when it is not known.
func (n *Names) TypeOf(v *value.Value) types.Type {
	if made, ok := v.Site.(ssa.Value); ok {
		return made.Type()
	}
	return n.typeNamed(v.Name)
}

// typeNamed returns the type of a package that values name "path.Type", or nil
// when the package is not imported.
func (n *Names) typeNamed(name string) types.Type {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return nil
	}
	pkg := n.packageNamed(name[:dot])
	if pkg == nil {
		return nil
	}
	if tn, ok := pkg.Scope().Lookup(name[dot+1:]).(*types.TypeName); ok {
		return tn.Type()
	}
	return nil
}

// Dynamic returns the type of what is in an interface by its name; nil where it is not
// known.
func (n *Names) Dynamic(name string) types.Type {
	if elem, ok := strings.CutPrefix(name, "*"); ok {
		if t := n.Dynamic(elem); t != nil {
			return types.NewPointer(t)
		}
		return nil
	}
	if basic, ok := types.Universe.Lookup(name).(*types.TypeName); ok {
		return basic.Type()
	}
	return n.typeNamed(name)
}

// FieldNamed returns the field that values name "path.Type.field", and its struct's
// type; nil where the package is not imported.
func (n *Names) FieldNamed(key string) (*types.Var, types.Type) {
	dot := strings.LastIndexByte(key, '.')
	if dot < 0 {
		return nil, nil
	}
	t := n.typeNamed(key[:dot])
	if t == nil {
		return nil, nil
	}
	if f, _ := kind.FieldNamed(t, key[dot+1:]); f != nil {
		return f, t
	}
	return nil, nil
}

// packageNamed returns this package, or the one of that path among those that it
// imports, by way of others too; nil where there is none.
func (n *Names) packageNamed(path string) *types.Package {
	if n.packages == nil {
		n.packages = map[string]*types.Package{}
		var add func(pkg *types.Package)
		add = func(pkg *types.Package) {
			if n.packages[pkg.Path()] != nil {
				return
			}
			n.packages[pkg.Path()] = pkg
			for _, imp := range pkg.Imports() {
				add(imp)
			}
		}
		add(n.pass.Pkg)
	}
	return n.packages[path]
}

// FuncNamed returns the function or method of a package that this one imports
// that values name "path.name" or "path.Type.name"; nil where there is none.
func (n *Names) FuncNamed(name string) *types.Func {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return nil
	}
	if pkg := n.packageNamed(name[:dot]); pkg != nil && pkg != n.pass.Pkg {
		fn, _ := pkg.Scope().Lookup(name[dot+1:]).(*types.Func)
		return fn
	}
	t := n.typeNamed(name[:dot])
	if t == nil {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, whoNames(t, name[dot+1:]), name[dot+1:])
	m, _ := obj.(*types.Func)
	return m
}
