package program

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A Target is what a call runs.
type Target struct {
	API  string        // the name in btapi of a call whose meaning is known
	Fn   *ssa.Function // a function with a body in this package
	Obj  *types.Func   // a function of another package
	Args []ssa.Value   // the arguments, receiver first
	Recv *value.Value  // instead of args[0], where the receiver was resolved
}

// Signature returns the type of a function of the program.
func (t Target) Signature() *types.Signature {
	if t.Fn != nil {
		return t.Fn.Signature
	}
	return t.Obj.Signature()
}

// Generic reports whether what is given as the i-th argument, the receiver among them,
// supplies a type parameter: what is in an interface that the function makes of it has
// the type that is given.
func (t Target) Generic(i int) bool {
	if t.Fn == nil && t.Obj == nil {
		return false
	}
	sig := t.Signature()
	if sig.Recv() != nil {
		i--
	}
	if i < 0 || i >= sig.Params().Len() {
		return false
	}
	_, ok := types.Unalias(sig.Params().At(i).Type()).(*types.TypeParam)
	return ok
}

// Target finds what a call runs as far as its instruction tells; false when
// only values can tell.
func (p *Program) Target(common *ssa.CallCommon) (Target, bool) {
	if common.IsInvoke() {
		args := append([]ssa.Value{common.Value}, common.Args...)
		if name := btapi.ShapeOf(common.Method); name != "" {
			return Target{API: name, Args: args}, true
		}
		if name := btapi.Func(common.Method); name != "" {
			return Target{API: name, Args: args}, true
		}
		if t, generic := types.Unalias(common.Value.Type()).(*types.TypeParam); generic && !p.constrains(t) {
			return Target{Args: args}, false // the caller says of which type it is
		}
		if fn := p.implementation(common); fn != nil {
			return p.FunctionTarget(fn, args), true
		}
		if p.importedMethod(common) {
			return Target{Obj: common.Method, Args: args}, true
		}
		if name := p.opener(common); name != "" {
			return Target{API: name, Args: args}, true
		}
		return Target{Args: args}, false
	}
	args := common.Args
	callee := common.StaticCallee()
	if callee == nil {
		return Target{Args: args}, false
	}
	if mc, ok := common.Value.(*ssa.MakeClosure); ok && kind.IsBound(callee) {
		args = append(append([]ssa.Value{}, mc.Bindings...), args...)
	}
	return p.FunctionTarget(callee, args), true
}

// FunctionTarget finds what a function is: one of the client's, one of this
// package, or another.
func (p *Program) FunctionTarget(fn *ssa.Function, args []ssa.Value) Target {
	obj := kind.Object(fn)
	if name := p.apiName(obj); name != "" {
		return Target{API: name, Args: args}
	}
	if fn.Synthetic != "" && obj != nil {
		// A bound method, a thunk or an instance: what it stands for.
		if decl := p.Pkg.Prog.FuncValue(obj); decl != nil {
			fn = decl
		}
	}
	fn = kind.Origin(fn)
	if p.HasBody(fn) {
		return Target{Fn: fn, Args: args}
	}
	return Target{Obj: obj, Args: args}
}

// MethodTarget finds what a method is, of this package or another.
func (p *Program) MethodTarget(m *types.Func, args []ssa.Value) Target {
	if fn := p.Pkg.Prog.FuncValue(m); fn != nil {
		return p.FunctionTarget(fn, args)
	}
	if name := p.apiName(m.Origin()); name != "" {
		return Target{API: name, Args: args}
	}
	return Target{Obj: m.Origin(), Args: args}
}

// apiName returns the name in btapi of one of the client's functions; "" of
// others.
func (p *Program) apiName(obj *types.Func) string {
	name, ok := p.apiNames[obj]
	if !ok {
		if name = btapi.Func(obj); name != "" {
			name = kind.Canonical(name, obj)
		} else if kind.OfInterface(obj) {
			name = btapi.ShapeOf(obj) // the value of an interface's method
		}
		p.apiNames[obj] = name
	}
	return name
}

// constrains reports whether a type parameter is constrained by an interface
// of this package.
func (p *Program) constrains(t *types.TypeParam) bool {
	named, ok := types.Unalias(t.Constraint()).(*types.Named)
	return ok && named.Obj().Pkg() == p.Pass.Pkg
}

// MethodOf returns the method of a struct that was made in view, or by a
// constructor of another package.
func (p *Program) MethodOf(recv *value.Value, method *types.Func) *types.Func {
	if recv.Kind != value.Struct {
		return nil
	}
	return p.methodOf(recv, method.Pkg(), method.Name())
}

// MethodNamed is like MethodOf for a method of which the name is known.
func (p *Program) MethodNamed(recv *value.Value, name string) *types.Func {
	if recv.Kind != value.Struct {
		return nil
	}
	return p.methodOf(recv, p.Pass.Pkg, name)
}

func (p *Program) methodOf(recv *value.Value, pkg *types.Package, name string) *types.Func {
	t := p.TypeOf(recv)
	if t == nil {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, pkg, name)
	m, ok := obj.(*types.Func)
	if !ok || types.IsInterface(m.Signature().Recv().Type()) {
		return nil
	}
	return m
}

// Promoted finds the method of that name of a struct: the embedded structs that
// lead to it, by their fields' names, and the method, nil where there is none. It
// reports whether that is known.
func (p *Program) Promoted(recv *value.Value, name string) (through []string, m *types.Func, known bool) {
	t := p.TypeOf(recv)
	if t == nil {
		return nil, nil, false
	}
	obj, path, _ := types.LookupFieldOrMethod(t, true, p.Pass.Pkg, name)
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
func (p *Program) TypeOf(v *value.Value) types.Type {
	if made, ok := v.Site.(ssa.Value); ok {
		return made.Type()
	}
	return p.typeNamed(v.Name)
}

// typeNamed returns the type of a package that values name "path.Type", or nil
// when the package is not imported.
func (p *Program) typeNamed(name string) types.Type {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return nil
	}
	pkg := p.packageNamed(name[:dot])
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
func (p *Program) Dynamic(name string) types.Type {
	if elem, ok := strings.CutPrefix(name, "*"); ok {
		if t := p.Dynamic(elem); t != nil {
			return types.NewPointer(t)
		}
		return nil
	}
	if basic, ok := types.Universe.Lookup(name).(*types.TypeName); ok {
		return basic.Type()
	}
	return p.typeNamed(name)
}

// FieldNamed returns the field that values name "path.Type.field", and its struct's
// type; nil where the package is not imported.
func (p *Program) FieldNamed(key string) (*types.Var, types.Type) {
	dot := strings.LastIndexByte(key, '.')
	if dot < 0 {
		return nil, nil
	}
	t := p.typeNamed(key[:dot])
	if t == nil {
		return nil, nil
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil, nil
	}
	for f := range s.Fields() {
		if f.Name() == key[dot+1:] {
			return f, t
		}
	}
	return nil, nil
}

// packageNamed returns this package, or the one of that path among those that it
// imports, by way of others too; nil where there is none.
func (p *Program) packageNamed(path string) *types.Package {
	if p.packages == nil {
		p.packages = map[string]*types.Package{}
		var add func(pkg *types.Package)
		add = func(pkg *types.Package) {
			if p.packages[pkg.Path()] != nil {
				return
			}
			p.packages[pkg.Path()] = pkg
			for _, imp := range pkg.Imports() {
				add(imp)
			}
		}
		add(p.Pass.Pkg)
	}
	return p.packages[path]
}

// FuncNamed returns the function or method of a package that this one imports
// that values name "path.name" or "path.Type.name"; nil where there is none.
func (p *Program) FuncNamed(name string) *types.Func {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return nil
	}
	if pkg := p.packageNamed(name[:dot]); pkg != nil && pkg != p.Pass.Pkg {
		fn, _ := pkg.Scope().Lookup(name[dot+1:]).(*types.Func)
		return fn
	}
	t := p.typeNamed(name[:dot])
	if t == nil {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, p.Pass.Pkg, name[dot+1:])
	m, _ := obj.(*types.Func)
	return m
}
