package trace

import (
	"go/types"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// exportTables writes the facts of the exported fields of the package's structs
// that hold one table, whose name is known, in every object that the package
// makes. Where it holds several, or objects without it, nothing is said: other
// packages cannot tell which object they have.
func (p *exporter) exportTables() {
	scope := p.prog.Pass.Pkg.Scope()
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || obj.IsAlias() || p.prog.IsTest(obj.Pos()) {
			continue
		}
		s, ok := obj.Type().Underlying().(*types.Struct)
		if !ok {
			continue
		}
		for f := range s.Fields() {
			if !f.Exported() || !kind.TableLike(f.Type()) {
				continue
			}
			if table := p.onlyTable(f, obj.Type()); table != nil {
				p.prog.Pass.ExportObjectFact(f, &summary.Summary{Holds: []*value.Value{table}})
			}
		}
	}
}

// onlyTable returns the one table that a field holds; nil where it is not known
// or not the only one.
func (p *exporter) onlyTable(f *types.Var, t types.Type) *value.Value {
	var table *value.Value
	only := true
	complete := p.eval.Explore(true, eval.MaxResults, func(q *eval.Path) []*value.Value {
		return []*value.Value{q.Settler.Force(q.Reader.OwnField(f, t), 4)}
	}, func(_ *eval.Path, vs []*value.Value) {
		v := portable(vs[0], nil)
		only = only && opensByName(v) && (table == nil || table.String() == v.String())
		table = v
	})
	if !complete || !only {
		return nil
	}
	return table
}

// opensByName reports whether a value is a table that a client opens under a
// constant name.
func opensByName(v *value.Value) bool {
	name := kind.OpenedName(v)
	if name == nil {
		return false
	}
	_, ok := name.IsStr()
	return ok
}
