package exportdata

import (
	"go/token"
	"go/types"
	"strings"
)

// Tags of objects.
const (
	objAlias = iota
	objConst
	objType
	objFunc
	objVar
	objStub
)

// A dict lists the type parameters of an object, and the types of which they
// are part.
type dict struct {
	bounds  []typeInfo
	params  []*types.TypeParam
	derived []int        // as elements
	types   []types.Type // made when they are needed
}

// dict reads the dictionary of an object.
func (f *file) dict(index int) *dict {
	e := f.element(sectionObjDict, index, nil)
	defer e.done()
	if e.len() != 0 {
		panic("an object with implicit type parameters")
	}
	d := &dict{bounds: make([]typeInfo, e.some())}
	for i := range d.bounds {
		d.bounds[i] = e.typeInfo()
	}
	d.derived = make([]int, e.some())
	d.types = make([]types.Type, len(d.derived))
	for i := range d.derived {
		d.derived[i] = e.ref()
	}
	return d
}

// A description is where a defined type is described, and how far it is.
type description struct {
	file  *file
	index int
	dict  *dict

	depth  int // how deep its members are wanted
	queued bool
	done   bool
}

// name reads whose an object is, its name and its tag.
func (f *file) name(index int) (pkg *types.Package, name string, tag int) {
	e := f.element(sectionName, index, nil)
	defer e.done()
	pkg, name = e.ident()
	return pkg, name, e.len()
}

// declared returns an object, which it declares where that has not happened. A
// defined type has no underlying type and no methods before [Importer.describe].
func (f *file) declared(index int) types.Object {
	if obj := f.objs[index]; obj != nil {
		return obj
	}
	pkg, name, tag := f.name(index)
	scope := types.Universe
	if pkg != nil {
		scope = pkg.Scope()
	}
	obj := scope.Lookup(name)
	if obj == nil {
		if tag == objStub || strings.Contains(name, "·") { // local to a function
			panic("an object that is not described: " + name)
		}
		obj = f.declare(index, pkg, name, tag)
	}
	f.objs[index] = obj
	return obj
}

func (f *file) declare(index int, pkg *types.Package, name string, tag int) (obj types.Object) {
	d := f.dict(index)
	e := f.element(sectionObj, index, d)
	defer e.done()
	e.pos()
	switch tag {
	case objAlias:
		params := e.typeParams()
		t := e.typ()
		tn := types.NewTypeName(token.NoPos, pkg, name, nil)
		types.NewAlias(tn, t).SetTypeParams(params)
		obj = tn
	case objConst:
		t := e.typ()
		obj = types.NewConst(token.NoPos, pkg, name, t, e.value())
	case objFunc:
		params := e.typeParams()
		obj = types.NewFunc(token.NoPos, pkg, name, e.signature(nil, nil, params))
	case objVar:
		obj = types.NewVar(token.NoPos, pkg, name, e.typ())
	case objType:
		tn := types.NewTypeName(token.NoPos, pkg, name, nil)
		t := types.NewNamed(tn, nil, nil)
		pkg.Scope().Insert(tn) // before what it refers to
		t.SetTypeParams(e.typeParams())
		f.imp.described[tn] = &description{file: f, index: index, dict: d}
		f.imp.bare = append(f.imp.bare, t)
		return tn
	default:
		panic("an object of an unknown kind")
	}
	if prev := pkg.Scope().Insert(obj); prev != nil {
		return prev // made on the way
	}
	return obj
}

// typeParams reads the names of the type parameters that the dictionary has.
func (e *element) typeParams() []*types.TypeParam {
	if len(e.dict.bounds) == 0 {
		return nil
	}
	params := make([]*types.TypeParam, len(e.dict.bounds))
	for i := range params {
		pkg, name := e.selector()
		params[i] = types.NewTypeParam(types.NewTypeName(token.NoPos, pkg, name, nil), nil)
	}
	e.dict.params = params
	for i, bound := range e.dict.bounds {
		// What is set is complete at the end only.
		e.imp.bounds = append(e.imp.bounds, bounded{params[i], e.file.typ(bound, e.dict)})
	}
	return params
}

// A bounded is a type parameter and its constraint.
type bounded struct {
	param *types.TypeParam
	bound types.Type
}

// describe gives a defined type its underlying type and its methods.
func (imp *Importer) describe(tn *types.TypeName, d *description) {
	t := tn.Type().(*types.Named)
	e := d.file.element(sectionObj, d.index, d.dict)
	defer e.done()
	e.pos()
	for range d.dict.bounds {
		e.selector()
	}
	underlying := e.typ().Underlying()
	if iface, ok := underlying.(*types.Interface); ok && iface.NumExplicitMethods() > 0 {
		underlying = ownMethods(iface, t)
	}
	t.SetUnderlying(underlying)
	for range e.some() {
		t.AddMethod(e.method())
	}
}

// ownMethods returns the interface with methods whose receiver is the type that
// it defines.
func ownMethods(iface *types.Interface, t *types.Named) *types.Interface {
	var methods []*types.Func
	for m := range iface.ExplicitMethods() {
		sig := m.Signature()
		recv := types.NewVar(token.NoPos, m.Pkg(), "", t)
		recv.SetKind(types.RecvVar)
		methods = append(methods, types.NewFunc(token.NoPos, m.Pkg(), m.Name(), types.NewSignatureType(recv, nil, nil, sig.Params(), sig.Results(), sig.Variadic())))
	}
	var embedded []types.Type
	for t := range iface.EmbeddedTypes() {
		embedded = append(embedded, t)
	}
	return types.NewInterfaceType(methods, embedded)
}

func (e *element) method() *types.Func {
	pkg, name := e.selector()
	params := e.typeParams()
	sig := e.signature(e.param(types.RecvVar), params, nil)
	e.pos()
	return types.NewFunc(token.NoPos, pkg, name, sig)
}
