package exportdata

import (
	"go/token"
	"go/types"
	"slices"
)

// A method is one of a defined type. Of most methods only the name counts, since
// neither the source nor an interface has it: what their parameters are is not read.
type method struct {
	order int // among the type's methods, where the version has it
	pkg   *types.Package
	name  string
	recv  types.Type
	rest  string      // of the type's element, from the method on
	fn    *types.Func // nil where it is not described
}

func (e *element) methodOrder() int {
	if e.version < methodOrder {
		return 0
	}
	return e.len()
}

// method finds a method, which it describes where it is used.
func (e *element) method() *method {
	m := &method{rest: e.rest}
	m.order = e.methodOrder()
	m.pkg, m.name = e.selector()
	if len(e.dict.own.bounds) > 0 || e.imp.uses(m.pkg, m.name) {
		e.describeMethod(m)
		return m
	}
	e.selector()
	m.recv = e.typ()
	e.skipParams()
	e.skipParams()
	e.bool()
	e.pos()
	return m
}

// describeMethod reads what a method is.
func (e *element) describeMethod(m *method) {
	e.rest = m.rest
	e.methodOrder()
	e.selector()
	params := e.typeParams(&e.dict.own)
	recv := e.param(types.RecvVar)
	m.fn = types.NewFunc(token.NoPos, m.pkg, m.name, e.signature(recv, params, nil))
	e.pos()
}

// described returns the method, without parameters where they do not count.
func (m *method) described() *types.Func {
	if m.fn == nil {
		recv := types.NewParam(token.NoPos, m.pkg, "", m.recv)
		recv.SetKind(types.RecvVar)
		m.fn = types.NewFunc(token.NoPos, m.pkg, m.name, types.NewSignatureType(recv, nil, nil, nil, nil, false))
	}
	return m.fn
}

func (e *element) skipParams() {
	for range e.some() {
		e.pos()
		e.ref() // package
		e.ref() // name
		e.typeInfo()
	}
}

// genericMethod reads a method with type parameters of its own, which is an object
// with a dictionary.
func (f *file) genericMethod(index int) *method {
	e := f.element(sectionObj, index, f.dict(index))
	defer e.done()
	e.pos()
	if !e.bool() {
		panic("a function among methods")
	}
	pkg, name := e.ident()
	recvParams := e.typeParams(&e.dict.receiver)
	recv := e.param(types.RecvVar)
	order := e.methodOrder()
	params := e.typeParams(&e.dict.own)
	return &method{order: order, pkg: pkg, name: name, fn: types.NewFunc(token.NoPos, pkg, name, e.signature(recv, recvParams, params))}
}

// implementing describes the methods that have the name of an interface's, since
// they count when it is asked who implements it. It reports whether there were
// some.
func (imp *Importer) implementing() (more bool) {
	for ; imp.asked < len(imp.interfaces); imp.asked++ {
		for m := range imp.interfaces[imp.asked].ExplicitMethods() {
			imp.methods[m.Name()] = true
		}
	}
	for _, t := range imp.bare {
		more = imp.described[t.Obj()].describe(imp.methods) || more
	}
	return more
}

// describe describes methods of these names, and reports whether there are some.
func (d *description) describe(names map[string]bool) bool {
	asked := func(m *method) bool { return m.fn == nil && names[m.name] }
	if !slices.ContainsFunc(d.methods, asked) {
		return false
	}
	e := d.file.element(sectionObj, d.index, d.dict)
	defer e.done()
	for _, m := range d.methods {
		if asked(m) {
			e.describeMethod(m)
		}
	}
	return true
}
