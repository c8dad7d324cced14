package code

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
	"github.com/ttlvet/ttlvet/runtime/strategy/sql"
)

// Calls lists what the calls of a package tell of tables and families.
func Calls(pass *analysis.Pass, tr *trace.Result) []*evidence.Call {
	g := &gatherer{pass: pass, tr: tr, code: &evidence.Code{}}
	for _, e := range tr.Events {
		for _, c := range e.Cases {
			g.call(e, c)
		}
	}
	return g.code.Calls
}

// call notes the table and the families that a case of an event is about, and
// what of it is not known. What no rule looks at is no call.
func (g *gatherer) call(e *trace.Event, c trace.Case) {
	n := &call{g: g, e: e, Call: &evidence.Call{Op: strings.TrimPrefix(e.Op, "bigtable."), Package: g.pass.Pkg.Path(), OnlyTable: e.OnlyTable, Place: g.place(e, c)}}
	if slices.ContainsFunc(c.Args, func(v *value.Value) bool {
		return v.Base().Kind == value.Unknown && v.Base().Name == trace.Contradictory
	}) {
		return // it does not happen
	}
	if e.Fn != nil {
		n.In = e.Fn.Origin().FullName()
	}
	if e.Depth > 0 {
		n.Runs, n.Reaches = runs(e), e.Where
	}
	n.Test = strings.HasSuffix(n.Place.File, "_test.go")
	a := c.Args
	switch e.Op {
	case btapi.Set, btapi.AddIntToCell, btapi.MergeBytesToCell:
		n.written(c, a[1])
		n.gap("timestamp", a[3], instant.OfTimestamp(a[3]).Kind != instant.Unknown || instant.Scaled(a[3]))
	case btapi.DeleteCellsInColumn, btapi.DeleteCellsInFamily, btapi.DeleteTimeRange, btapi.Increment, btapi.AppendValue:
		n.written(c, a[1])
	case btapi.DeleteRow:
		n.table(nil, g.tables(e, c)...)
	case btapi.NewCondMutation:
		n.table(nil, g.refs(e, g.tr.Tables(a[len(a)-1]))...)
		predicate := filter.Of(a[0])
		n.filter(predicate)
		n.gap("filter", a[0], isKnown(predicate))
	case btapi.ReadRow, btapi.ReadRows:
		n.read(c)
	case btapi.Apply, btapi.ApplyBulk, btapi.ApplyReadModifyWrite:
		n.table(a[0], check.Ref(a[0]))
		n.Told = trace.Root(a[3]) != ""
	case btapi.PrepareStatement:
		n.statement(a[2])
	case trace.New + "bigtablepb.Mutation_SetCell", trace.New + "bigtablepb.ReadModifyWriteRule":
		n.table(nil, check.Refs(g.tr.RawTables(e, a[0].Base()))...)
		n.family(a[0].Get("FamilyName"))
	case trace.New + "bigtablepb.ReadRowsRequest", trace.New + "bigtablepb.CheckAndMutateRowRequest":
		name := trace.TableID(a[0].Get("TableName"))
		n.table(name, check.Ref(name))
	default:
		uses := trace.CasePolicies(e, c)
		if len(uses) == 0 {
			return
		}
		for _, u := range uses {
			n.table(u.Table, check.Ref(u.Table))
			n.named(u.Family)
			if u.Policy != nil {
				p := gcpolicy.Of(u.Policy)
				n.gap("policy", u.Policy, p == nil || p.Known())
			}
		}
	}
	n.Loose = n.Loose || len(n.Tables) > 1
	g.code.Calls = append(g.code.Calls, n.Call)
}

// runs names the function that the call of an event runs.
func runs(e *trace.Event) string {
	fn := e.Target.Obj
	if e.Target.Fn != nil {
		fn, _ = e.Target.Fn.Object().(*types.Func)
	}
	if fn == nil {
		return ""
	}
	return fn.Origin().FullName()
}

type call struct {
	*evidence.Call
	g *gatherer
	e *trace.Event
}

// written notes the table and the family of a write.
func (n *call) written(c trace.Case, family *value.Value) {
	n.table(nil, n.g.tables(n.e, c)...)
	n.family(family)
}

func (n *call) read(c trace.Case) {
	table := n.g.tr.TableRead(n.e, c)
	n.table(table, check.Ref(table))
	uses := n.e.RowUses()
	n.Loose = len(n.e.Cases) > 1
	for _, f := range uses.Families {
		n.named(f)
	}
	opts := c.Args[len(c.Args)-1]
	tree, known := filterOf(opts)
	n.filter(tree)
	n.gap("filter", opts, known)
}

// filter notes the families that a filter names.
func (n *call) filter(t *filter.Tree) {
	if t == nil {
		return
	}
	if t.Op == filter.Family || t.Op == filter.ColumnRange {
		n.Filtered = append(n.Filtered, t.Pattern.S)
	}
	for _, s := range t.Sub {
		n.filter(s)
	}
}

func (n *call) statement(text *value.Value) {
	s, isText := text.IsStr()
	q, parsed := sql.Parse(s)
	switch {
	case isText && !parsed:
		n.Gaps = append(n.Gaps, evidence.Gap{What: "statement", Reason: "it is not understood"})
		n.Tables = append(n.Tables, registry.Ref{})
	case parsed:
		n.Tables = append(n.Tables, registry.Ref{Name: q.Table})
	default:
		n.Tables = append(n.Tables, registry.Ref{})
		n.gap("statement", text, false)
	}
}

// table notes what is known of the table. v is its value, where it has one of
// its own: the table of a mutation is that to which it is applied.
func (n *call) table(v *value.Value, refs ...registry.Ref) {
	n.Tables = append(n.Tables, refs...)
	known := false
	for _, r := range refs {
		known = known || r.Says()
	}
	switch {
	case known:
	case v != nil:
		n.gap("table", v, false)
	case len(n.e.Link.Derived) > 0:
		n.Gaps = append(n.Gaps, evidence.Gap{What: "table", Supplied: true})
	default:
		n.Gaps = append(n.Gaps, evidence.Gap{What: "table", Reason: "what applies the mutation is not known",
			Open: n.e.Fn != nil && n.e.Fn.Exported()})
	}
}

func (n *call) family(v *value.Value) {
	name, ok := v.IsStr()
	if ok {
		n.named(name)
	}
	n.gap("family", v, ok)
}

func (n *call) named(family string) {
	if family != "" {
		n.Families = append(n.Families, family)
	}
}

// gap notes a value that is not known.
func (n *call) gap(what string, v *value.Value, known bool) {
	if known || v == nil {
		return
	}
	gap := evidence.Gap{What: what, Reason: reason(v)}
	if v.HasParams() {
		gap.Supplied = len(n.e.Link.Derived) > 0
		gap.Open = n.e.Fn != nil && n.e.Fn.Exported()
	}
	n.Gaps = append(n.Gaps, gap)
}

// isKnown reports whether a filter is known.
func isKnown(t *filter.Tree) bool { return t == nil || t.Op != filter.Any }
