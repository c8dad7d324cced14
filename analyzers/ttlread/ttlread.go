// Package ttlread finds reads that let cells past which garbage collection
// may already have removed.
package ttlread

import (
	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/analyzers/ttlwrite"
	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

const doc = `find reads that return cells which garbage collection may already have removed

Garbage collection can take up to a week. Until then a read without a filter
returns expired cells and superseded versions. The filter that a column family
needs follows from its strategy, which is declared in ttlvet.yaml or with the
runtime package, or inferred from policies.`

// Analyzer finds reads that return dead cells, with the default rules.
var Analyzer = New(&check.Config{}, ttlwrite.Analyzer)

// New returns the analyzer with a choice of rules. writes is the analyzer of
// writes, beside whose fixes those of reads must stand.
func New(config *check.Config, writes *analysis.Analyzer) *analysis.Analyzer {
	return check.New("ttlread", doc, config, run, writes)
}

func run(p *check.Pass) {
	for _, e := range p.Events {
		switch e.Op {
		case btapi.ReadRow, btapi.ReadRows:
			p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding {
				if len(c.Args) == 0 || p.Overruled(e, c.Args[0]) {
					return nil
				}
				tables := p.Undeclared(e, c)
				if tables == nil {
					tables = append(tables, p.Trace.TableRead(e, c))
				}
				r := &read{p: p, e: e, c: c, refs: check.Refs(tables), uses: e.RowUses()}
				r.options(c.Args[len(c.Args)-1])
				return r.judge()
			})
		case trace.New + "bigtablepb.ReadRowsRequest":
			p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding { return request(p, e, c) })
		case btapi.NewCondMutation:
			p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding {
				tables := p.Trace.Tables(c.Args[len(c.Args)-1])
				if e.OnlyTable {
					tables = p.Trace.EventTables(e, c)
				}
				return predicate(p, e, c, c.Args[0], tables)
			})
		case btapi.PrepareStatement:
			p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding { return statements(p, e, c) })
		case trace.New + "bigtablepb.CheckAndMutateRowRequest":
			p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding { return rawPredicate(p, e, c) })
		}
	}
}

// request judges a raw google.bigtable.v2.ReadRowsRequest.
func request(p *check.Pass, e *trace.Event, c trace.Case) []check.Finding {
	m := c.Args[0].Base()
	if m.Kind != value.Struct {
		return nil
	}
	r := &read{p: p, e: e, c: c, raw: true, uses: trace.Uses{All: true}, known: true}
	r.refs = check.Refs([]*value.Value{trace.TableID(value.FieldOf(m, m.Name+".TableName", value.NoClass))})
	f := value.FieldOf(m, m.Name+".Filter", value.NoClass)
	if !f.Is(value.Zero) {
		r.tree = filter.Of(f)
		r.filters = 1
	}
	return r.judge()
}
