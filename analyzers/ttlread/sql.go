package ttlread

import (
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/runtime/strategy/sql"
)

// statement judges a GoogleSQL statement that is given as a constant.
func statement(p *check.Pass, e *trace.Event, c trace.Case) []check.Finding {
	text, ok := c.Args[2].IsStr()
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
			if arg := e.Arg(c, 2); arg != nil {
				finding.At = arg
			}
			out = append(out, finding)
		}
	}
	return out
}
