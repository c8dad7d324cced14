package memory

import (
	"go/types"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
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
func (p *Reader) foreignField(f *types.Var, t types.Type) *value.Value {
	if !kind.TableLike(f.Type()) {
		return nil
	}
	return p.filledElsewhere(f, t)
}

// layoutName resolves a field that is text, of another package's type which says
// how tables are laid out, by its fact: the one name which that package puts
// there. It returns nil like [Reader.foreignField].
func (p *Reader) layoutName(f *types.Var, t types.Type) *value.Value {
	if b, ok := f.Type().Underlying().(*types.Basic); !ok || b.Kind() != types.String {
		return nil
	}
	return p.filledElsewhere(f, t)
}

func (p *Reader) filledElsewhere(f *types.Var, t types.Type) *value.Value {
	if f.Pkg() == nil || f.Pkg() == p.p.Pass.Pkg || !f.Exported() || p.p.Pass.ImportObjectFact == nil {
		return nil
	}
	if p.p.NestedIn[f] || p.p.Addressed[f] {
		return nil
	}
	for _, s := range p.p.Fields[f] {
		if !p.p.IsTest(s.At.Pos()) {
			return nil
		}
	}
	if name := kind.StructName(kind.Deref(t)); name != nil {
		for _, a := range p.p.Created[name] {
			if !p.p.IsTest(a.Pos()) && !p.p.Copies(a) {
				return nil
			}
		}
	}
	var fact summary.Variable
	if !p.p.Pass.ImportObjectFact(f, &fact) || len(fact.Values) != 1 {
		return nil
	}
	return fact.Values[0]
}
