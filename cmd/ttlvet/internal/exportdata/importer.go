package exportdata

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// An Importer imports packages from export data.
type Importer struct {
	use      Use
	usages   map[*types.Package]usage
	context  *types.Context
	packages map[string]*types.Package // all that were heard of
	imported map[string]bool

	described map[*types.TypeName]*description
	queue     []*types.TypeName  // types that are to be described
	wanted    map[types.Type]int // how deep parts of a type are wanted
	bare      []*types.Named     // declared, in their order
	bounds    []bounded
	bounded   int // how many of the bounds are wanted already
	// interfaces are to be completed when all is described. Of the first so many the
	// names of methods are known.
	interfaces []*types.Interface
	asked      int
	methods    map[string]bool

	refs []int // of the elements that are being read
}

// New reads the packages whose files of export data are given by their paths, as far
// as they are used.
func New(files map[string]string, use Use) (imp *Importer, err error) {
	defer func() {
		if r := recover(); r != nil {
			imp, err = nil, fmt.Errorf("export data that is not as expected: %v", r)
		}
	}()
	imp = &Importer{
		use:       use,
		usages:    map[*types.Package]usage{},
		context:   types.NewContext(),
		packages:  map[string]*types.Package{},
		imported:  map[string]bool{},
		described: map[*types.TypeName]*description{},
		wanted:    map[types.Type]int{},
		methods:   map[string]bool{"Error": true},
	}
	opened := map[*types.Package]*file{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if path == "unsafe" {
			continue
		}
		f, err := imp.open(path, files[path])
		if err != nil {
			return nil, err
		}
		opened[imp.declareAll(f)] = f
		imp.imported[path] = true
	}
	imp.describeAll()
	for imp.implementing() {
		imp.describeAll()
	}
	for _, b := range imp.bounds {
		b.param.SetConstraint(b.bound)
	}
	for _, t := range imp.bare {
		d := imp.described[t.Obj()]
		if !d.done {
			t.SetUnderlying(types.NewStruct(nil, nil)) // nothing leads to what it is
		}
		for _, m := range d.methods {
			t.AddMethod(m.described())
		}
	}
	for _, t := range imp.interfaces {
		t.Complete()
	}
	for pkg, f := range opened {
		var others []*types.Package
		for _, p := range f.pkgs {
			if p != nil && p != pkg {
				others = append(others, p)
			}
		}
		slices.SortFunc(others, func(a, b *types.Package) int { return strings.Compare(a.Path(), b.Path()) })
		pkg.SetImports(others)
		pkg.MarkComplete()
	}
	return imp, nil
}

// declareAll declares the package's objects that are used.
func (imp *Importer) declareAll(f *file) *types.Package {
	e := f.element(sectionMeta, publicRoot, nil)
	defer e.done()
	self := e.ref()
	pkg := e.pkg(self)
	for range e.some() {
		index := e.ref()
		if e.len() != 0 {
			panic("an instance among the objects of a package")
		}
		// The list has what other packages declare too, as far as this one's
		// declarations lead to it.
		n := f.name(index)
		if n.pkg != self && !imp.usage(f.pkg(n.pkg)).whole || n.tag == objStub {
			continue
		}
		if name := f.bytes(sectionString, n.text); imp.uses(f.pkg(n.pkg), name) && packageLevel(name) {
			imp.want(f.declared(index).Type(), depth)
		}
	}
	return pkg
}

// Import returns the package of that path.
func (imp *Importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if !imp.imported[path] {
		return nil, fmt.Errorf("no export data for %q", path)
	}
	return imp.packages[path], nil
}
