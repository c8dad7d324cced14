// Package code gathers from Go code, by tracing it, what it does with column
// families: the policies that it sets, its writes and its reads.
package code

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/declare"
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Analyzer gathers from one package. Its result is a *[Result].
var Analyzer = &analysis.Analyzer{
	Name:       "ttlvetcode",
	Doc:        "gather what code does with column families; reports nothing by itself",
	URL:        "https://github.com/ttlvet/ttlvet/blob/main/docs/init.md",
	Requires:   []*analysis.Analyzer{trace.Analyzer, declare.Analyzer},
	ResultType: reflect.TypeFor[*Result](),
	Run:        run,
}

// A Result is what one package does, and what is declared for it.
type Result struct {
	Code     *evidence.Code
	Declared *declare.Result
}

func run(pass *analysis.Pass) (any, error) {
	g := &gatherer{pass: pass, tr: pass.ResultOf[trace.Analyzer].(*trace.Result), code: &evidence.Code{}}
	r := &Result{g.code, pass.ResultOf[declare.Analyzer].(*declare.Result)}
	defer func() {
		if err := recover(); err != nil && !trace.DebuggingPanics() {
			trace.Failed("what package %s does is incomplete: %v", pass.Pkg.Path(), err)
		}
	}()
	for _, e := range g.tr.Events {
		if e.OnlyTable {
			continue // what the methods do stands where they are
		}
		for _, c := range e.Cases {
			g.event(e, c)
		}
	}
	g.code.Calls = Calls(pass, g.tr)
	return r, nil
}

type gatherer struct {
	pass *analysis.Pass
	tr   *trace.Result
	code *evidence.Code
}

// place returns where the values of a case are supplied.
func (g *gatherer) place(e *trace.Event, c trace.Case) evidence.Place {
	var n ast.Node = e.Node
	if c.At != nil {
		n = c.At
	}
	pos := e.Pos()
	if n != nil {
		pos = n.Pos()
	}
	p := g.pass.Fset.Position(pos)
	return evidence.At(p.Filename, p.Line, p.Column)
}

// open reports whether callers in view supply what is not known here.
func open(e *trace.Event, vs ...*value.Value) bool {
	for _, v := range vs {
		if v.HasParams() && (len(e.Link.Derived) > 0 || e.Fn != nil && e.Fn.Exported()) {
			return true
		}
	}
	return false
}

func (g *gatherer) event(e *trace.Event, c trace.Case) {
	a := c.Args
	switch e.Op {
	case btapi.Set:
		if !open(e, a[1]) && (!a[3].HasParams() || len(e.Link.Derived) == 0) {
			g.write(e, c, a[1], a[3])
		}
	case btapi.Increment, btapi.AppendValue:
		if !open(e, a[1]) {
			g.increment(e, c, a[1])
		}
	case btapi.ReadRow, btapi.ReadRows:
		if opts := a[len(a)-1]; !opts.HasParams() || len(e.Link.Derived) == 0 {
			g.read(e, c, a[0], opts)
		}
	default:
		for _, u := range trace.CasePolicies(e, c) {
			g.policy(e, c, u)
		}
	}
}

// tables returns what is known of the tables of a write.
func (g *gatherer) tables(e *trace.Event, c trace.Case) []registry.Ref {
	tables := g.tr.EventTables(e, c)
	if !check.KnownTables(tables) {
		if possible := g.tr.PossibleTables(e, c); len(possible) == 1 {
			tables = possible
		}
	}
	return g.refs(e, tables)
}

// refs are the references of the tables of an event: of one that tests alone give, what
// holds it.
func (g *gatherer) refs(e *trace.Event, tables []*value.Value) []registry.Ref {
	refs := check.Refs(tables)
	for i, ref := range refs {
		if len(tables) == len(refs) && len(ref.Handles) > 0 && g.tr.OfTests(e, tables[i]) {
			refs[i].Name = ""
		}
	}
	return refs
}

func (g *gatherer) write(e *trace.Event, c trace.Case, family, ts *value.Value) {
	name := nameOf(family)
	for _, ref := range g.tables(e, c) {
		w := &evidence.Write{Table: ref, Family: name, Place: g.place(e, c), Text: g.text(e, 3, ts)}
		w.Kind, w.Lifetime = kindOf(ts)
		if w.Kind == evidence.UnknownWrite {
			w.Reason = reason(ts)
			w.Open = ts.HasParams() && e.Fn != nil && e.Fn.Exported()
			if w.Open {
				w.Reason = "a parameter of an exported function"
			}
		}
		g.code.Writes = append(g.code.Writes, w)
	}
}

// nameOf returns the name of a family, "" for one that is not known.
func nameOf(family *value.Value) string {
	if name, ok := family.IsStr(); ok {
		return name
	}
	return ""
}

func (g *gatherer) increment(e *trace.Event, c trace.Case, family *value.Value) {
	name := nameOf(family)
	for _, ref := range g.tables(e, c) {
		g.code.Writes = append(g.code.Writes, &evidence.Write{Table: ref, Family: name, Place: g.place(e, c),
			Kind: evidence.ServerSet, Text: "the server's, by " + strings.TrimPrefix(e.Op, "bigtable.ReadModifyWrite.")})
	}
}

// text writes an argument as it stands in the source, or as it was traced.
func (g *gatherer) text(e *trace.Event, i int, v *value.Value) string {
	if e.Depth == 0 {
		if e.Helper != "" {
			return short(types.ExprString(e.Call.Fun)) // it makes the timestamp
		}
		if x := e.Arg(trace.Case{}, i); x != nil {
			return short(types.ExprString(x))
		}
	}
	return written(v)
}

// written writes a value as the expression that made it, where that is in
// the package, else as it was traced.
func written(v *value.Value) string {
	if v.Expr != nil {
		return short(types.ExprString(v.Expr))
	}
	v = trace.Named(v)
	if b := v.Base(); b.Kind == value.Int && b.Num == -1 {
		return "bigtable.ServerTime"
	}
	if s := value.Source(v); s != "…" {
		return short(s)
	}
	return short(fmt.Sprint(v))
}

func short(t string) string {
	if r := []rune(t); len(r) > 120 {
		return string(r[:120]) + "…"
	}
	return t
}

// kindOf says what a timestamp is.
func kindOf(ts *value.Value) (kind evidence.WriteKind, lifetime time.Duration) {
	if instant.Scaled(ts) {
		return evidence.Number, 0
	}
	i := instant.OfTimestamp(ts)
	switch i.Kind {
	case instant.Fixed:
		switch {
		case i.Micros == -1:
			return evidence.Clock, 0
		case i.Micros >= 0 && i.Micros < 1000:
			return evidence.ZeroWrite, 0
		case i.Micros%1000 == 0 && i.Micros < 1e12 && i.Micros > 0:
			return evidence.Number, 0
		}
		return evidence.UnknownWrite, 0
	case instant.Now:
		d, exact := i.Exact()
		switch {
		case exact && d == 0:
			return evidence.Clock, 0
		case exact && d > 0:
			return evidence.Future, d
		case exact:
			return evidence.Shifted, -d
		case i.Lo >= 0:
			return evidence.Future, 0
		case i.Hi <= 0:
			return evidence.Shifted, 0
		}
		return evidence.Moved, 0
	case instant.Counter:
		return evidence.Number, 0
	case instant.WrongUnit, instant.Zero:
		return evidence.Sloppy, 0
	}
	return evidence.UnknownWrite, 0
}

// reason says why a value is not known.
func reason(v *value.Value) string {
	r := ""
	v.Walk(func(w *value.Value) {
		if r == "" && w.Kind == value.Unknown {
			r = w.Name
		}
		if r == "" && w.Kind == value.Param {
			r = "a parameter that no analysed call supplies"
		}
		if r == "" && (w.Kind == value.Global || w.Kind == value.Field) {
			r = "what " + registry.ShortHandle(w.Name) + " holds"
		}
	})
	if r == "" {
		r = "no constant and no clock"
	}
	return r
}

func (g *gatherer) read(e *trace.Event, c trace.Case, table, opts *value.Value) {
	uses := e.RowUses()
	r := &evidence.Read{Table: check.Ref(table), Place: g.place(e, c), Checked: uses.Checked}
	if !uses.All {
		r.Families = uses.Families
		if len(r.Families) == 0 {
			r.Keys = true
		}
	}
	r.Tree, r.Known = filterOf(opts)
	if !r.Known && open(e, opts) {
		return // who supplies the filter is judged
	}
	switch {
	case !r.Known:
		r.Reason = reason(opts)
		r.Text = "not known"
	case r.Tree == nil:
		r.Text = "no filter"
	default:
		r.Text = written(filter.ValueOf(r.Tree))
	}
	g.code.Reads = append(g.code.Reads, r)
}

// filterOf returns the filter that applies among the options of a read.
func filterOf(opts *value.Value) (tree *filter.Tree, known bool) {
	o := filter.OptionsOf(opts)
	last := o.Last()
	if last == nil {
		return nil, o.Known
	}
	tree = filter.Of(last)
	if v := filter.ValueOf(tree); tree != nil && v != nil && v.Expr == nil && o.Given[len(o.Given)-1].Expr != nil {
		tree.From = o.Given[len(o.Given)-1] // an option that a helper makes
	}
	return tree, o.Known && isKnown(tree)
}

// environment returns the project and the instance for which an admin client is made,
// "" where they are not known.
func environment(client *value.Value) (project, instance string) {
	if client == nil {
		return "", ""
	}
	if b := client.Base(); b.Is("bigtable.NewAdminClient") && len(b.Args) > 2 {
		project, _ = b.Args[1].IsStr()
		instance, _ = b.Args[2].IsStr()
	}
	return project, instance
}

func (g *gatherer) policy(e *trace.Event, c trace.Case, u trace.PolicyUse) {
	if u.Table.HasParams() && len(e.Link.Derived) > 0 || u.Policy != nil && open(e, u.Policy) {
		return
	}
	ref := check.Ref(u.Table)
	s := &evidence.Setting{Kind: evidence.Go, Table: ref.Name, Handles: ref.Handles, Family: u.Family, Created: u.Created, Place: g.place(e, c)}
	s.Project, s.Instance = environment(e.Root().Admin)
	if s.Table == "" {
		s.Table = "*"
	}
	if s.Family == "" {
		if e.Depth == 0 && len(e.Link.Derived) > 0 {
			return
		}
		s.Family = "*"
	}
	if x := u.Expr; x != nil && x.Expr != nil {
		p := g.pass.Fset.Position(x.Expr.Pos())
		s.Place = evidence.At(p.Filename, p.Line, p.Column)
	}
	if u.Policy != nil {
		s.Policy = gcpolicy.Of(u.Policy)
	}
	s.Test = strings.HasSuffix(s.Place.File, "_test.go")
	g.code.Settings = append(g.code.Settings, s)
}
