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
	name := kind.StructName(kind.Deref(t))
	if name == nil || p.p.Owns(name) || !f.Exported() || !kind.TableLike(f.Type()) || p.p.Pass.ImportObjectFact == nil {
		return nil
	}
	if len(p.p.Fields[f]) > 0 || p.p.NestedIn[f] || p.p.Addressed[f] {
		return nil
	}
	for _, a := range p.p.Created[name] {
		if !p.p.IsTest(a.Pos()) && !p.p.Copies(a) {
			return nil
		}
	}
	var fact summary.Variable
	if !p.p.Pass.ImportObjectFact(f, &fact) || len(fact.Values) != 1 {
		return nil
	}
	return fact.Values[0]
}
