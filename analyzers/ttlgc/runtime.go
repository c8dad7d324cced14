package ttlgc

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
)

// declaredConf is the fix that creates a table with the configuration of its
// declaration, where a variable in view declares the table and the
// configuration at the call says nothing but its name and the declared
// families.
func (g *given) declaredConf() *analysis.SuggestedFix {
	b, ok := Conf(g.p, g.e, g.c, g.target.Table)
	if !ok {
		return nil
	}
	return b.Done("Create the table as it is declared")
}

// Conf puts the configuration of a table's declaration in the place of the one
// that is written at a call of CreateTableFromConf. It reports false where the
// package sees no variable that declares the table, or the call's
// configuration says anything else.
func Conf(p *check.Pass, e *trace.Event, c trace.Case, table *registry.Table) (*fix.Builder, bool) {
	v := p.TableVar(table)
	if v == nil || e.Op != btapi.CreateTableFromConf || e.Depth > 0 || e.Call == nil || len(e.Call.Args) != 2 || len(e.Cases) != 1 {
		return nil, false
	}
	ref, ok := ast.Unparen(e.Call.Args[1]).(*ast.UnaryExpr)
	if !ok {
		return nil, false
	}
	lit, ok := ref.X.(*ast.CompositeLit)
	if !ok {
		return nil, false
	}
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			return nil, false
		}
		if key, ok := kv.Key.(*ast.Ident); !ok || key.Name != "TableID" && key.Name != "ColumnFamilies" && key.Name != "Families" {
			return nil, false
		}
	}
	written := map[string]bool{}
	for _, use := range trace.CasePolicies(e, c) {
		if name := check.Ref(use.Table).Name; use.Family == "" || name != table.Pattern {
			return nil, false
		}
		written[use.Family] = true
	}
	for _, f := range table.Families {
		if !written[f.Name] {
			return nil, false
		}
	}
	b := fix.New(p.Pass, e.Call)
	if b == nil || len(written) != len(table.Families) {
		return nil, false
	}
	return b.Replace(e.Call.Args[1], b.Object(v, lit.Pos())+".Conf()"), true
}
