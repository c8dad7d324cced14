package memory

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// sinceMade returns the object that a field points to, of an object that is not known, as
// whoever gets it finds it: what its maker has put there holds only for fields that no
// other function sets.
func (p *closed) sinceMade(v, pointer *value.Value, field *types.Var) *value.Value {
	if v.Kind != value.Struct || !kind.IsPointer(field.Type()) {
		return v
	}
	a, own := v.Site.(*ssa.Alloc)
	if own && v.Lazy != nil {
		return p.sinceMadeHere(v, pointer, a)
	}
	for _, name := range p.p.Objects.setBehind(field) {
		v = value.With(v, name, value.UnknownFor(value.Unsupplied))
	}
	return v
}

// setBehind lists the fields that are set, anywhere in the package, of the objects that a
// field points to.
func (p *Objects) setBehind(field *types.Var) []string {
	if names, known := p.setFrom[field]; known {
		return names
	}
	set := map[string]bool{}
	for _, v := range p.Prog.FieldLoads[field] {
		load, ok := v.(*ssa.UnOp)
		if !ok {
			continue
		}
		for _, t := range p.behind(load.X.(*ssa.FieldAddr), load) {
			_, inner, part := strings.Cut(t.Field, ".")
			if !part {
				inner = value.AnyField
			}
			set[inner] = true
		}
	}
	p.setFrom[field] = slices.Sorted(maps.Keys(set))
	return p.setFrom[field]
}

// sinceMadeHere is sinceMade for an object of this package.
func (p *closed) sinceMadeHere(v, pointer *value.Value, a *ssa.Alloc) *value.Value {
	t := kind.Deref(a.Type())
	c := *v
	c.Lazy = func(name string) *value.Value {
		f, i := kind.FieldNamed(t, name)
		if f == nil {
			return v.Lazy(name)
		}
		place := p.p.Prog.Heap().At(a, kind.PathTo{i})
		if !slices.ContainsFunc(place.Writers(), func(w ssa.Instruction) bool { return kind.Outermost(w.Parent()) != kind.Outermost(a.Parent()) }) {
			return v.Lazy(name)
		}
		near, in := p.near, p.nearAt
		p.near, p.nearAt = place, nil
		defer func() { p.near, p.nearAt = near, in }()
		field := &value.Value{Kind: value.Field, Name: kind.FieldKey(f, t), Class: kind.ClassOf(f.Type()), Args: []*value.Value{pointer}}
		if r := p.closeField(field, f, t); r != nil {
			return r
		}
		return kind.UnknownOf(f.Type(), perhapsBefore)
	}
	return &c
}
