package exportdata

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
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
	receiver, own typeParams   // of a method that has some: those of its receiver and its own
	derived       []int        // as elements
	types         []types.Type // made when they are needed
}

type typeParams struct {
	bounds []typeInfo
	params []*types.TypeParam
}

// dict reads the dictionary of an object.
func (f *file) dict(index int) *dict {
	e := f.element(sectionObjDict, index, nil)
	defer e.done()
	if e.len() != 0 {
		panic("an object with implicit type parameters")
	}
	d := new(dict)
	if f.version >= genericMethods {
		d.receiver.bounds = make([]typeInfo, e.some())
	}
	d.own.bounds = make([]typeInfo, e.some())
	for i := range d.receiver.bounds {
		d.receiver.bounds[i] = e.typeInfo()
	}
	for i := range d.own.bounds {
		d.own.bounds[i] = e.typeInfo()
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

	depth   int // how deep its members are wanted
	queued  bool
	done    bool
	methods []*method
}

// A name says whose an object is, what it is called and what it is.
type name struct{ pkg, text, tag int } // as elements; the tag as it is

// name reads the name of an object.
func (f *file) name(index int) name {
	e := element{file: f, rest: f.bytes(sectionName, index)}
	if e.len() != 2 {
		panic("a name that is not of a package")
	}
	var refs [2]int
	for i := range refs {
		e.uint() // the section
		refs[i] = e.len()
	}
	return name{refs[e.len()], refs[e.len()], e.len()}
}

// declared returns an object, which it declares where that has not happened. A
// defined type has no underlying type and no methods before [Importer.describe].
func (f *file) declared(index int) types.Object {
	if obj := f.objs[index]; obj != nil {
		return obj
	}
	n := f.name(index)
	pkg, name := f.pkg(n.pkg), f.bytes(sectionString, n.text)
	scope := types.Universe
	if pkg != nil {
		scope = pkg.Scope()
	}
	obj := scope.Lookup(name)
	if obj == nil {
		if n.tag == objStub || !packageLevel(name) {
			panic("an object that is not described: " + name)
		}
		obj = f.declare(index, pkg, name, n.tag)
	}
	f.objs[index] = obj
	return obj
}

// packageLevel reports whether that is the name of an object of a package, and
// not of a type in a function or a method with type parameters.
func packageLevel(name string) bool { return !strings.ContainsAny(name, "·.") }

func (f *file) declare(index int, pkg *types.Package, name string, tag int) (obj types.Object) {
	d := f.dict(index)
	e := f.element(sectionObj, index, d)
	defer e.done()
	e.pos()
	switch tag {
	case objAlias:
		params := e.typeParams(&d.own)
		t := e.typ()
		tn := types.NewTypeName(token.NoPos, pkg, name, nil)
		types.NewAlias(tn, t).SetTypeParams(params)
		obj = tn
	case objConst:
		t := e.typ()
		obj = types.NewConst(token.NoPos, pkg, name, t, e.value())
	case objFunc:
		if f.version >= genericMethods && e.bool() {
			panic("a method among functions")
		}
		params := e.typeParams(&d.own)
		obj = types.NewFunc(token.NoPos, pkg, name, e.signature(nil, nil, params))
	case objVar:
		obj = types.NewVar(token.NoPos, pkg, name, e.typ())
	case objType:
		tn := types.NewTypeName(token.NoPos, pkg, name, nil)
		t := types.NewNamed(tn, nil, nil)
		pkg.Scope().Insert(tn) // before what it refers to
		t.SetTypeParams(e.typeParams(&d.own))
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

// typeParams reads the names of type parameters that the dictionary has.
func (e *element) typeParams(of *typeParams) []*types.TypeParam {
	if len(of.bounds) == 0 {
		return nil
	}
	params := make([]*types.TypeParam, len(of.bounds))
	for i := range params {
		pkg, name := e.selector()
		params[i] = types.NewTypeParam(types.NewTypeName(token.NoPos, pkg, name, nil), nil)
	}
	of.params = params
	for i, bound := range of.bounds {
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

// describe gives a defined type its underlying type, and finds its methods.
func (imp *Importer) describe(tn *types.TypeName, d *description) {
	t := tn.Type().(*types.Named)
	e := d.file.element(sectionObj, d.index, d.dict)
	defer e.done()
	e.pos()
	for range d.dict.own.bounds {
		e.selector()
	}
	underlying := e.typ().Underlying()
	if iface, ok := underlying.(*types.Interface); ok && iface.NumExplicitMethods() > 0 {
		underlying = ownMethods(iface, t)
	}
	t.SetUnderlying(underlying)
	for range e.some() {
		d.methods = append(d.methods, e.method())
	}
	if e.version >= genericMethods {
		for range e.some() {
			d.methods = append(d.methods, e.genericMethod(e.ref()))
		}
		slices.SortStableFunc(d.methods, func(a, b *method) int { return cmp.Compare(a.order, b.order) })
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
