package exportdata

import (
	"go/token"
	"go/types"
)

// A Use says what of packages is used.
type Use struct {
	Names map[string]bool        // that occur in the source
	Whole func(path string) bool // whether a package is used whole
	// ByName says of a package that its types are known by their names: nobody asks
	// what is in them but under names that occur in the source.
	ByName func(path string) bool
}

// A usage is what a [Use] says of a package.
type usage struct{ whole, byName bool }

func (imp *Importer) usage(pkg *types.Package) usage {
	if pkg == nil {
		return usage{}
	}
	u, ok := imp.usages[pkg]
	if !ok {
		u = usage{imp.use.Whole(pkg.Path()), imp.use.ByName(pkg.Path())}
		imp.usages[pkg] = u
	}
	return u
}

// uses reports whether what the package calls by a name is used.
func (imp *Importer) uses(pkg *types.Package, name string) bool {
	return token.IsExported(name) && imp.use.Names[name] || imp.usage(pkg).whole
}

// depth is how many types deep members are described whose names do not occur:
// whoever asks what a type may hold looks some three structs deep.
const depth = 3

// want has the types described to which expressions of a type lead, and those to
// which members lead whose names do not occur, so many types deep.
func (imp *Importer) want(t types.Type, depth int) {
	switch t := t.(type) {
	case *types.Basic, *types.TypeParam, nil: // of a type parameter, see bounds
		return
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			imp.want(arg, depth)
		}
		imp.wantObject(t.Origin().Obj(), depth)
		return
	}
	if imp.wanted[t] >= depth {
		return
	}
	imp.wanted[t] = depth
	switch t := t.(type) {
	case *types.Alias:
		for arg := range t.TypeArgs().Types() {
			imp.want(arg, depth)
		}
		imp.want(t.Rhs(), depth)
	case *types.Pointer:
		imp.want(t.Elem(), depth)
	case *types.Slice:
		imp.want(t.Elem(), depth)
	case *types.Array:
		imp.want(t.Elem(), depth)
	case *types.Chan:
		imp.want(t.Elem(), depth)
	case *types.Map:
		imp.want(t.Key(), depth)
		imp.want(t.Elem(), depth)
	case *types.Signature:
		imp.wantParams(t.Params(), depth)
		imp.wantTuple(t.Results(), depth)
	case *types.Struct:
		for f := range t.Fields() {
			if f.Embedded() { // used under the names of its members
				imp.want(f.Type(), depth)
			} else {
				imp.wantMember(f, depth)
			}
		}
	case *types.Interface:
		imp.interfaces = append(imp.interfaces, t)
		for m := range t.ExplicitMethods() {
			imp.wantMember(m, depth)
		}
		for e := range t.EmbeddedTypes() {
			imp.want(e, depth)
		}
	case *types.Union:
		for term := range t.Terms() {
			imp.want(term.Type(), depth)
		}
	}
}

// wantParams wants what parameters are, and not what is in them: an expression that
// is given as one leads there by itself, through its own type. What a parameter
// that is a function is given, a range statement gets.
func (imp *Importer) wantParams(params *types.Tuple, depth int) {
	for v := range params.Variables() {
		if f, ok := v.Type().(*types.Signature); ok {
			imp.wantTuple(f.Params(), depth)
		}
		imp.want(v.Type(), 1)
	}
}

func (imp *Importer) wantTuple(t *types.Tuple, depth int) {
	for v := range t.Variables() {
		imp.want(v.Type(), depth)
	}
}

// wantMember wants the type of a field, or of an interface's method.
func (imp *Importer) wantMember(m types.Object, left int) {
	switch {
	case imp.uses(m.Pkg(), m.Name()):
		imp.want(m.Type(), depth)
	case left > 1 && !imp.usage(m.Pkg()).byName:
		imp.want(m.Type(), left-1)
	}
}

// wantObject has a defined type described, in its turn.
func (imp *Importer) wantObject(tn *types.TypeName, depth int) {
	d := imp.described[tn]
	if d == nil || d.depth >= depth {
		return
	}
	d.depth = depth
	if !d.queued {
		d.queued = true
		imp.queue = append(imp.queue, tn)
	}
}

// describeAll describes what is wanted, and what that leads to.
func (imp *Importer) describeAll() {
	for len(imp.queue) > 0 || len(imp.bounds) > imp.bounded {
		for len(imp.queue) > 0 {
			tn := imp.queue[len(imp.queue)-1]
			imp.queue = imp.queue[:len(imp.queue)-1]
			imp.describeOne(tn, imp.described[tn])
		}
		for ; imp.bounded < len(imp.bounds); imp.bounded++ {
			imp.want(imp.bounds[imp.bounded].bound, depth)
		}
	}
}

// describeOne describes a type, or looks deeper into one that is described.
func (imp *Importer) describeOne(tn *types.TypeName, d *description) {
	d.queued = false
	if !d.done {
		d.done = true
		imp.describe(tn, d)
	}
	t := tn.Type().(*types.Named)
	imp.want(t.Underlying(), d.depth)
	for _, m := range d.methods {
		if imp.uses(m.pkg, m.name) {
			imp.want(m.fn.Type(), depth)
		}
	}
}
