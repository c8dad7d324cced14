// Package explain says how values were resolved: for one line of source, step
// by step (ttlvet trace), and over a package, as shares (ttlvet coverage).
package explain

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
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
// text that explains the events at places, verdict first: with every case and each
// step, or, unless full, in short. suite are the analyzers of which it tells the verdict.
func Lines(suite []*analysis.Analyzer, full bool, places ...Place) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "ttlvetexplain",
		Doc:        "explain how the values at a line were resolved; reports nothing",
		Requires:   append([]*analysis.Analyzer{trace.Analyzer, declare.Analyzer}, suite...),
		ResultType: reflect.TypeFor[map[Place][]string](),
		Run: func(pass *analysis.Pass) (any, error) {
			x := &explainer{
				full:  full,
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
						events = append(events, e)
					}
				}
				if len(events) > 0 {
					x.verdict(s, events)
					for _, like := range x.together(events) {
						x.events(like)
					}
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
	case trace.Convert, trace.Compare, trace.CellTime, trace.StoreTime, trace.Listed:
		return true
	}
	return strings.HasPrefix(op, trace.New)
}

type explainer struct {
	full  bool
	pass  *analysis.Pass
	suite []*analysis.Analyzer
	tr    *trace.Result
	decl  *declare.Result
	out   []string
}

func (x *explainer) printf(format string, args ...any) {
	x.out = append(x.out, fmt.Sprintf(format, args...))
}

// events explains what one call does: its arguments, and what becomes of it.
func (x *explainer) events(like []*trace.Event) {
	e := like[0]
	x.printf("%s: %s", x.place(e.Node.Pos()), strings.TrimPrefix(e.Op, "bigtable."))
	var reached, callers []string
	for _, e := range like {
		if e.Where != "" && e.Depth > 0 {
			reached = append(reached, check.Reached(x.pass.Fset, e))
		}
		for _, d := range e.Link.Derived {
			callers = append(callers, x.place(d.Node.Pos()))
		}
	}
	if len(reached) > 0 {
		x.printf("    by a call that reaches it at %s", x.some(reached))
	}
	if x.full {
		for i, run := range x.tr.Runs(e) {
			if i > 0 {
				x.printf("  or")
			}
			x.run(e, run)
		}
	} else {
		x.merged(like)
	}
	if e.Op == btapi.ReadRow || e.Op == btapi.ReadRows {
		x.printf("  %-10s %s", "rows:", rows(e.RowUses()))
	}
	if len(callers) > 0 {
		x.printf("  callers that supply its parameters: %s", x.some(callers))
	}
}

// run writes one case: under what it comes about, its arguments, the steps.
func (x *explainer) run(e *trace.Event, run trace.Run) {
	for _, g := range append(run.Case.When, run.Case.Guards...) {
		x.printf("  when %s", value.SourceOf(trace.Named(g.Cond), g.Want))
	}
	for _, a := range x.arguments(e, run.Case) {
		x.printf("  %-10s %s", a.label, a.text)
		for _, line := range a.below {
			x.printf("  %-10s %s", "", line)
		}
	}
	x.steps(e, run)
}

// An argument is one of a call, as it is told.
type argument struct {
	label, text string
	below       []string // what the registry has on it
}

// arguments tells the arguments of a case that rules look at.
func (x *explainer) arguments(e *trace.Event, c trace.Case) (out []argument) {
	for i, a := range c.Args {
		name := btapi.ArgName(e.Op, i)
		if e.Op == trace.Listed {
			name = "policies"
		}
		if name == "" {
			if !judgedByItself(e.Op) {
				continue
			}
			name = "value"
		}
		told := argument{label: name + ":", text: source(a) + reading(name, a)}
		switch name {
		case "table":
			told.below = x.table(check.Ref(a))
		case "family":
			told.below = x.family(e, c, a)
		}
		out = append(out, told)
		if name == "mutation" && e.Op != btapi.Apply {
			out = append(out, x.appliedTo(e, c)...)
		}
	}
	return out
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

// table says what the registry has on a table.
func (x *explainer) table(ref registry.Ref) []string {
	t, known := x.decl.Model.Table(ref)
	switch {
	case t != nil && t.Pattern != "":
		return []string{fmt.Sprintf("declared as %q", t.Pattern)}
	case known:
		return []string{"known, and not declared: silent"}
	case len(ref.Handles) > 0:
		return []string{"not known by name; handles: " + strings.Join(slices.Compact(slices.Sorted(slices.Values(ref.Handles))), ", ")}
	}
	return nil
}

// appliedTo tells the tables to which the mutation of a write goes.
func (x *explainer) appliedTo(e *trace.Event, c trace.Case) (out []argument) {
	label, tables := "table:", x.tr.EventTables(e, c)
	if possible := x.tr.PossibleTables(e, c); len(possible) > 0 && !check.KnownTables(tables) {
		tables = possible
		if len(tables) > 1 {
			label = "one of:"
		}
	}
	if len(tables) == 0 {
		return []argument{{label: label, text: "not known: the mutation is not seen to be applied"}}
	}
	for _, t := range tables {
		out = append(out, argument{label, source(t), x.table(check.Ref(t))})
	}
	return out
}

// family says what the registry has on the family of a write.
func (x *explainer) family(e *trace.Event, c trace.Case, v *value.Value) (out []string) {
	name, ok := v.IsStr()
	switch {
	case !ok && v.HasParams():
		return nil // judged where it is supplied
	case !ok:
		return []string{"not known: silent"}
	}
	for _, t := range check.WriteTargets(x.tr, x.decl.Model, e, c, name) {
		out = append(out, fmt.Sprintf("declared as %s", t.Family.Strategy))
	}
	if len(out) == 0 {
		return []string{"not declared, or declared with several strategies: silent"}
	}
	return out
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
