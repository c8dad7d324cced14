package memory

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// OwnField resolves a field of whatever object of the package's type t, by
// everything that the package stores there.
func (p *Reader) OwnField(f *types.Var, t types.Type) *value.Value {
	return p.Field(value.UnknownFor("an object of the package"), f, t)
}

// foreignField resolves a field of another package's type by its fact: the
// table that the package opens for every such object. It returns nil where
// nothing is known, and where this package makes such objects or sets the field
// itself.
func (p *closed) foreignField(f *types.Var, t types.Type) *value.Value {
	if !kind.TableLike(f.Type()) {
		return nil
	}
	if f.Pkg() == nil || f.Pkg() == p.p.Prog.Pass.Pkg || !f.Exported() || p.p.Prog.Pass.ImportObjectFact == nil {
		return nil
	}
	if p.p.Prog.NestedIn[f] || len(p.p.Prog.Addressed[f]) > 0 {
		return nil
	}
	for _, s := range p.p.Prog.Fields[f] {
		if !p.p.Prog.IsTest(s.At.Pos()) {
			return nil
		}
	}
	if name := kind.StructName(kind.Deref(t)); name != nil {
		for _, a := range p.p.Prog.Created[name] {
			if !p.p.Prog.IsTest(a.Pos()) && !p.p.Prog.Copies(a) {
				return nil
			}
		}
	}
	var fact summary.Summary
	if !p.p.Prog.Pass.ImportObjectFact(f, &fact) || len(fact.Holds) != 1 {
		return nil
	}
	return fact.Holds[0]
}

// setInPlace lists what the package's calls set of a struct of another package that a field
// of its own holds, where that is a table: the struct has none where it is made.
func (p *Memory) setInPlace(f *types.Var, owner *types.TypeName) (sets []Touch) {
	if name := kind.StructName(types.NewPointer(f.Type())); name == nil || p.Prog.Owns(name) || len(p.Prog.StoredIn(f, owner)) > 0 {
		return nil
	}
	for _, address := range p.Prog.Addressed[f] {
		if slices.ContainsFunc(*address.Referrers(), func(r ssa.Instruction) bool { _, kept := r.(*ssa.Store); return kept }) {
			return nil // who has it may set the table, too
		}
		for _, t := range p.Objects.Touches(address) {
			part, _ := kind.FieldNamed(f.Type(), t.Field)
			switch {
			case p.Prog.IsTest(t.At.Pos()):
			case t.Set == nil:
				return nil
			case part != nil && kind.TableLike(part.Type()):
				sets = append(sets, t)
			}
		}
	}
	return sets
}
