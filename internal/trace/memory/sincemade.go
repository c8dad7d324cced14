package memory

import (
	"go/types"
	"maps"
	"slices"

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
	set := map[string]bool{}
	for _, load := range p.p.Prog.FieldLoads[field] {
		for _, r := range *load.Referrers() {
			if call, ok := r.(ssa.CallInstruction); ok {
				for _, t := range p.p.Objects.touchesByCall(load, call) {
					set[t.Field] = true
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		v = value.With(v, name, value.UnknownFor(value.Unsupplied))
	}
	return v
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
