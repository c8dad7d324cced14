// Package ttlwrite finds writes whose cell timestamps contradict the strategy
// of their column family.
package ttlwrite

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

const doc = `find cell timestamps that contradict the strategy of their column family

A write with the server's timestamp into a family with one-second expiration
is deleted at the next compaction; a clock reading in a family of sequential
numbers outranks every later number. The strategies of families are declared
in ttlvet.yaml or with the runtime package, or inferred from policies.`

// Analyzer finds writes whose timestamps contradict the strategy of their
// column family, with the default rules.
var Analyzer = New(&check.Config{})

// New returns the analyzer with a choice of rules.
func New(config *check.Config) *analysis.Analyzer {
	return check.New("ttlwrite", doc, config, run)
}

func run(p *check.Pass) {
	ms := mutationsOf(p)
	for _, e := range p.Events {
		switch e.Op {
		case btapi.Set:
			p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding { return set(p, ms, e, c) })
		case btapi.AddIntToCell, btapi.MergeBytesToCell:
			p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding { return aggregate(p, ms, e, c) })
		case btapi.Increment, btapi.AppendValue:
			p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding { return readModifyWrite(p, e, c) })
		case trace.New + "bigtablepb.Mutation_SetCell":
			p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding { return setCell(p, ms, e, c) })
		case trace.New + "bigtablepb.ReadModifyWriteRule":
			p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding { return rawRule(p, e, c) })
		}
	}
	sequences(p, ms)
}

// set judges Mutation.Set(family, column, timestamp, value).
func set(p *check.Pass, ms mutations, e *trace.Event, c trace.Case) []check.Finding {
	var out []check.Finding
	for _, t := range p.Writes(e, c, c.Args[1]) {
		w := write{p: p, mutations: ms, e: e, c: c, target: t, ts: c.Args[3], arg: 3}
		f := w.judge()
		if f == nil && p.On("wrong-base") {
			f = w.wrongBase()
		}
		if f == nil && p.On("stale-survivor") {
			f = w.staleSurvivor()
		}
		if f != nil && f.At == nil && c.At == nil {
			f.At = element(p, e, c)
		}
		if f != nil {
			out = append(out, *f)
		}
	}
	return out
}

// element returns the timestamp, or the family, of a write in one of several
// literals that a call is given, or nil.
func element(p *check.Pass, e *trace.Event, c trace.Case) ast.Node {
	for _, v := range []*value.Value{c.Args[3], c.Args[1]} {
		if at := p.Element(e, v.Expr); at != nil {
			return at
		}
	}
	return nil
}

// setCell judges a raw google.bigtable.v2.Mutation.SetCell.
func setCell(p *check.Pass, ms mutations, e *trace.Event, c trace.Case) []check.Finding {
	m := c.Args[0].Base()
	if m.Kind != value.Struct {
		return nil
	}
	name, ok := value.FieldOf(m, m.Name+".FamilyName", value.NoClass).IsStr()
	if !ok || name == "" {
		return nil
	}
	ts := value.FieldOf(m, m.Name+".TimestampMicros", value.Timestamp)
	unset := ts.Kind == value.Int && ts.Num == 0 && ts.Expr == nil
	var out []check.Finding
	for _, t := range p.Targets(p.Trace.RawTables(e, m), name) {
		w := write{p: p, mutations: ms, e: e, c: c, target: t, ts: ts, arg: -1}
		w.raw, _ = e.Node.(*ast.CompositeLit)
		f := w.judge()
		if unset && t.Family.Strategy.NeedsFilter() {
			f = w.unset()
		}
		if f != nil {
			out = append(out, *f)
		}
	}
	return out
}

// aggregate judges AddIntToCell and MergeBytesToCell.
func aggregate(p *check.Pass, ms mutations, e *trace.Event, c trace.Case) []check.Finding {
	family, ok := c.Args[1].IsStr()
	if n, isInt := c.Args[3].IsInt(); isInt && n == -1 {
		name := "a family"
		if ok {
			name = "family " + quote(family)
		}
		return []check.Finding{{
			Category: "aggregate-server-time", Family: family,
			Message: "aggregate cell of " + name + " is written with the server timestamp: the service rejects the mutation; give the start of the period that the cell counts",
		}}
	}
	return set(p, ms, e, c)
}

// readModifyWrite judges Increment and AppendValue.
func readModifyWrite(p *check.Pass, e *trace.Event, c trace.Case) []check.Finding {
	op := "Increment"
	if e.Op == btapi.AppendValue {
		op = "AppendValue"
	}
	var out []check.Finding
	for _, t := range p.Writes(e, c, c.Args[1]) {
		out = append(out, rmw(op, t)...)
	}
	return out
}

// rawRule judges a raw google.bigtable.v2.ReadModifyWriteRule.
func rawRule(p *check.Pass, e *trace.Event, c trace.Case) []check.Finding {
	m := c.Args[0].Base()
	if m.Kind != value.Struct {
		return nil
	}
	name, _ := value.FieldOf(m, m.Name+".FamilyName", value.NoClass).IsStr()
	var out []check.Finding
	for _, t := range p.Targets(p.Trace.RawTables(e, m), name) {
		out = append(out, rmw("read-modify-write", t)...)
	}
	return out
}
