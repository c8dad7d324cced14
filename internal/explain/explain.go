// Package explain says how values were resolved: for one line of source, step
// by step (ttlvet trace), and over a package, as shares (ttlvet coverage).
package explain

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/declare"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A Place is a line of a file, by its absolute path.
type Place struct {
	File string
	Line int
}

// Lines returns an analyzer whose result, of type map[Place][]string, is the
// text that explains the events at places. suite are the analyzers of which it
// tells the verdict.
func Lines(suite []*analysis.Analyzer, places ...Place) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "ttlvetexplain",
		Doc:        "explain how the values at a line were resolved; reports nothing",
		Requires:   append([]*analysis.Analyzer{trace.Analyzer, declare.Analyzer}, suite...),
		ResultType: reflect.TypeFor[map[Place][]string](),
		Run: func(pass *analysis.Pass) (any, error) {
			x := &explainer{
				pass:  pass,
				suite: suite,
				tr:    pass.ResultOf[trace.Analyzer].(*trace.Result),
				decl:  pass.ResultOf[declare.Analyzer].(*declare.Result),
			}
			var told []*trace.Event
			for _, e := range x.tr.Events {
				if btapi.ArgName(e.Op, 0) != "" || btapi.ArgName(e.Op, 2) != "" || judgedByItself(e.Op) {
					told = append(told, e)
				}
			}
			out := map[Place][]string{}
			for _, at := range places {
				x.out = nil
				s := spanAt(pass, told, at)
				var events []*trace.Event
				for _, e := range told {
					if s.has(pass, e.Node) {
						x.event(e)
						events = append(events, e)
					}
				}
				if len(events) > 0 {
					x.verdict(s, events)
				} else if fn := functionAt(pass, at); fn != nil && trace.TooLarge(fn) {
					x.printf("%s has more branches than are followed: nothing is known of what it does", fn.Name.Name)
				}
				if len(x.out) > 0 {
					out[at] = x.out
				}
			}
			return out, nil
		},
	}
}

// functionAt returns the function that is declared around a line.
func functionAt(pass *analysis.Pass, at Place) *ast.FuncDecl {
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			from, to := pass.Fset.Position(d.Pos()), pass.Fset.Position(d.End())
			if fn, ok := d.(*ast.FuncDecl); ok && from.Filename == at.File && from.Line <= at.Line && at.Line <= to.Line {
				return fn
			}
		}
	}
	return nil
}

// judgedByItself reports whether an event is no call of the client, and
// judged all the same.
func judgedByItself(op string) bool {
	switch op {
	case trace.Convert, trace.Compare, trace.CellTime, trace.StoreTime, trace.Listed, trace.Filled:
		return true
	}
	return strings.HasPrefix(op, trace.New)
}

type explainer struct {
	pass  *analysis.Pass
	suite []*analysis.Analyzer
	tr    *trace.Result
	decl  *declare.Result
	out   []string
}

func (x *explainer) printf(format string, args ...any) {
	x.out = append(x.out, fmt.Sprintf(format, args...))
}

// event explains one event: its arguments in each case, and the steps.
func (x *explainer) event(e *trace.Event) {
	x.printf("%s: %s", x.place(e.Node.Pos()), strings.TrimPrefix(e.Op, "bigtable."))
	if e.Where != "" && e.Depth > 0 {
		x.printf("    by a call that reaches it at %s", check.Reached(x.pass.Fset, e))
	}
	for i, run := range x.tr.Runs(e) {
		if i > 0 {
			x.printf("  or")
		}
		x.run(e, run)
	}
	if e.Op == btapi.ReadRow || e.Op == btapi.ReadRows {
		x.printf("  rows: %s", rows(e.RowUses()))
	}
	if n := len(e.Derived()); n > 0 {
		var places []string
		for _, d := range e.Derived() {
			places = append(places, x.place(d.Node.Pos()))
		}
		x.printf("  callers that supply its parameters: %s", strings.Join(places, ", "))
	}
}

func (x *explainer) run(e *trace.Event, run trace.Run) {
	for _, g := range append(run.Case.When, run.Case.Guards...) {
		x.printf("  when %s", value.SourceOf(trace.Named(g.Cond), g.Want))
	}
	for i, a := range run.Case.Args {
		name := btapi.ArgName(e.Op, i)
		switch e.Op {
		case trace.Listed:
			name = "policies"
		case trace.Filled:
			name = []string{"table", "family", "policy"}[i]
		}
		if name == "" {
			if !judgedByItself(e.Op) {
				continue
			}
			name = "value"
		}
		x.printf("  %-10s %s%s", name+":", source(a), reading(name, a))
		if name == "table" {
			x.table(check.Ref(a))
		}
		if name == "mutation" && e.Op != btapi.Apply {
			x.appliedTo(e, run.Case)
		}
		if name == "family" {
			x.family(e, run.Case, a)
		}
	}
	x.steps(e, run)
}

// steps writes how the values came about: each part of them once, where it
// was found. Constants need no step.
func (x *explainer) steps(e *trace.Event, run trace.Run) {
	matters := map[string]bool{}
	for i, a := range run.Case.Args {
		if btapi.ArgName(e.Op, i) != "" || judgedByItself(e.Op) {
			parts(matters, a)
		}
	}
	seen := map[string]bool{}
	for _, s := range run.Steps {
		text := trace.Named(s.Value).Base().String()
		switch b := s.Value.Base(); {
		case b.Kind == value.Param, b.Kind == value.Tuple, !matters[text], seen[text]:
			continue
		}
		if len(seen) == 0 {
			x.printf("  steps:")
		}
		seen[text] = true
		x.printf("    %s  %s", x.place(s.Pos), source(s.Value))
	}
}

// reading says what a timestamp is as a moment.
func reading(name string, v *value.Value) string {
	var i instant.Instant
	switch name {
	case "timestamp", "value":
		i = instant.OfTimestamp(v)
	case "time":
		i = instant.OfTime(v)
	default:
		return ""
	}
	switch i.Kind {
	case instant.Zero:
		return "   (the zero time)"
	case instant.Fixed:
		return fmt.Sprintf("   (constant, %dµs)", i.Micros)
	case instant.Now:
		if d, ok := i.Exact(); ok {
			return "   (" + clock(i, "now") + " + " + d.String() + ")"
		}
		return "   (" + clock(i, "the clock") + ", moved by what is not known exactly)"
	case instant.Counter:
		return fmt.Sprintf("   (a counter that steps by %v)", i.Step)
	case instant.WrongUnit:
		return "   (counts " + i.Unit + ")"
	}
	if v.HasParams() || v.Base().Kind == value.Unknown {
		return "" // the value says so itself
	}
	return "   (not known as a moment)"
}

// clock says which reading of the clock a moment is counted from.
func clock(i instant.Instant, live string) string {
	if i.Once {
		return "a reading of the clock that was taken once"
	}
	return live
}

func (x *explainer) table(ref registry.Ref) {
	t, known := x.decl.Model.Table(ref)
	switch {
	case t != nil && t.Pattern != "":
		x.printf("  %-10s declared as %q", "", t.Pattern)
	case known:
		x.printf("  %-10s known, and not declared: silent", "")
	case len(ref.Handles) > 0:
		x.printf("  %-10s not known by name; handles: %s", "", strings.Join(ref.Handles, ", "))
	}
}

// appliedTo writes the tables to which the mutation of a write goes.
func (x *explainer) appliedTo(e *trace.Event, c trace.Case) {
	label, tables := "table:", x.tr.EventTables(e, c)
	if possible := x.tr.PossibleTables(e, c); len(possible) > 0 && !check.KnownTables(tables) {
		tables = possible
		if len(tables) > 1 {
			label = "one of:"
		}
	}
	if len(tables) == 0 {
		x.printf("  %-10s not known: the mutation is not seen to be applied", label)
	}
	for _, t := range tables {
		x.printf("  %-10s %s", label, source(t))
		x.table(check.Ref(t))
	}
}

func (x *explainer) family(e *trace.Event, c trace.Case, v *value.Value) {
	name, ok := v.IsStr()
	switch {
	case !ok && v.HasParams():
		return // judged where it is supplied
	case !ok:
		x.printf("  %-10s not known: silent", "")
		return
	}
	targets := check.WriteTargets(x.tr, x.decl.Model, e, c, name)
	for _, t := range targets {
		x.printf("  %-10s declared as %s", "", t.Family.Strategy)
	}
	if len(targets) == 0 {
		x.printf("  %-10s not declared, or declared with several strategies: silent", "")
	}
}

// place writes a position as file:line:col, the file without its directory.
func (x *explainer) place(pos token.Pos) string {
	p := x.pass.Fset.Position(pos)
	return fmt.Sprintf("%s:%d:%d", filepath.Base(p.Filename), p.Line, p.Column)
}

func rows(u trace.Uses) string {
	var parts []string
	if u.All {
		parts = append(parts, "all families may be used")
	} else if len(u.Families) > 0 {
		parts = append(parts, "families "+strings.Join(u.Families, ", "))
	}
	if u.Checked {
		parts = append(parts, "timestamps are checked by hand")
	}
	if u.Exists || u.Keys {
		parts = append(parts, "existence or key only")
	}
	if len(parts) == 0 {
		return "not used"
	}
	return strings.Join(parts, "; ")
}
