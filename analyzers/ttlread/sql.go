package ttlread

import (
	"go/ast"

	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
	"github.com/ttlvet/ttlvet/runtime/strategy/sql"
)

// statements judges a GoogleSQL statement that is given as a constant, or each of those
// among which one is looked up.
func statements(p *check.Pass, e *trace.Event, c trace.Case) (out []check.Finding) {
	among := value.Among(c.Args[2])
	if among == nil {
		return statement(p, c.Args[2], e.Arg(c, 2))
	}
	for _, one := range among {
		at := e.Arg(c, 2)
		if one.Expr != nil {
			at = one.Expr
		}
		out = append(out, statement(p, one, at)...)
	}
	return out
}

// statement judges one that stands at an expression, nil where that is not known.
func statement(p *check.Pass, v *value.Value, at ast.Expr) []check.Finding {
	text, ok := v.IsStr()
	if !ok {
		return nil
	}
	q, ok := sql.Parse(text)
	if !ok || q.Explicit {
		return nil
	}
	table, _ := p.Model.Table(registry.Ref{Name: q.Table})
	if table == nil {
		return nil
	}
	var out []check.Finding
	for _, f := range table.Families {
		if !q.Reads(f.Name) {
			continue
		}
		if what := q.Judge(f.Agreement()); what != "" {
			t := check.Target{Family: f, Table: table}
			finding := check.Finding{Category: "sql", Family: f.Name, Message: "statement reads " + t.Name() + " " + what}
			if at != nil {
				finding.At = at
			}
			out = append(out, finding)
		}
	}
	return out
}
