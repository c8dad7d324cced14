package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/suggest"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// verdict says what comes of the calls in a span: their findings, or why there are none.
func (x *explainer) verdict(at span, events []*trace.Event) {
	silenced := false
	found := 0
	for _, a := range x.suite {
		out, ok := x.pass.ResultOf[a].(*check.Outcome)
		if !ok {
			continue
		}
		for _, d := range out.Reported {
			if p := x.pass.Fset.Position(d.Pos); at.line(p.Filename, p.Line) {
				found++
				x.printf("verdict: %s", d.Message)
			}
		}
		for pos := range out.Directives {
			p := x.pass.Fset.Position(pos)
			silenced = silenced || at.line(p.Filename, p.Line) || at.line(p.Filename, p.Line+1)
		}
	}
	switch {
	case found > 0:
		return
	case silenced:
		x.printf("verdict: silenced by a directive")
		return
	}
	var reasons []string
	for _, e := range events {
		if r := x.silence(e); r != "" && !slices.Contains(reasons, r) {
			reasons = append(reasons, r)
		}
	}
	if reasons == nil {
		reasons = []string{"nothing is wrong with what is known of it"}
	}
	x.printf("verdict: silent: %s", strings.Join(reasons, "; "))
}

// silence says why nothing is reported of an event, or "" where it is right.
func (x *explainer) silence(e *trace.Event) string {
	for _, c := range e.Cases {
		for i, a := range c.Args {
			if reason := reasonOf(a); a.Base().Kind == value.Unknown && decisive[btapi.ArgName(e.Op, i)] {
				return fmt.Sprintf("the %s is not known: %s", btapi.ArgName(e.Op, i), reason)
			}
		}
		if why := x.undeclared(e, c); why != "" {
			return why
		}
	}
	if n := len(e.Link.Derived); n > 0 {
		return "what its parameters decide is judged at the calls that supply them"
	}
	if why := x.undecided(e); why != "" {
		return why
	}
	if e.Op == btapi.ReadRow || e.Op == btapi.ReadRows {
		switch u := e.RowUses(); {
		case u.Checked:
			return "the time of its cells is checked by hand"
		case !u.All && len(u.Families) == 0 && !u.Exists:
			return "of its rows no family is used"
		case !u.All && len(u.Families) > 0:
			return "of the families that are used, " + strings.Join(u.Families, ", ") + ", none is read wrongly"
		}
	}
	return ""
}

// decisive are the arguments without which nothing can be said.
var decisive = map[string]bool{"family": true, "timestamp": true, "policy": true, "statement": true, "time": true, "age": true}

// undeclared says that the registry has nothing on what a case is about.
func (x *explainer) undeclared(e *trace.Event, c trace.Case) string {
	for i, a := range c.Args {
		switch btapi.ArgName(e.Op, i) {
		case "family":
			name, ok := a.IsStr()
			if ok && strings.HasPrefix(e.Op, "bigtable.Mutation.") && len(check.WriteTargets(x.tr, x.decl.Model, e, c, name)) == 0 {
				if why := x.unregistered(x.tr.EventTables(e, c), name); why != "" {
					return why
				}
				return fmt.Sprintf("family %q is not declared in a table that this may be, or with several strategies", name)
			}
		case "table":
			if _, isName := a.IsStr(); isName && e.Op != btapi.ReadRow && e.Op != btapi.ReadRows {
				continue
			}
			if why := x.unregistered([]*value.Value{a}, e.RowUses().Families...); why != "" {
				return why
			}
		case "timestamp":
			if i := instant.OfTimestamp(a); i.Kind == instant.Unknown && !a.HasParams() {
				return "the timestamp is not known: " + reasonOf(a)
			}
		}
	}
	return ""
}

// unregistered says that the registry does not have a table that is known, or
// none of the families of one that it has, and which it has of nearly that name.
func (x *explainer) unregistered(tables []*value.Value, families ...string) string {
	for _, ref := range check.Refs(tables) {
		t, known := x.decl.Model.Table(ref)
		switch {
		case t != nil:
			if len(families) == 0 || slices.ContainsFunc(families, func(name string) bool { return t.Family(name) != nil }) {
				continue
			}
			var names []string
			for _, f := range t.Families {
				names = append(names, f.Name)
			}
			return fmt.Sprintf("table %q declares no family %q", t.Pattern, families[0]) + suggest.DidYouMean(suggest.Nearest(families[0], names))
		case known && ref.Known():
			var names []string
			for _, t := range x.decl.Model.Tables {
				names = append(names, t.Pattern)
			}
			return fmt.Sprintf("table %q is not declared", ref.Name) + suggest.DidYouMean(suggest.Nearest(ref.Name, names))
		case known:
			return "the table is known and not declared"
		}
	}
	return ""
}

// undecided says that a parameter which nobody in view supplies decides.
func (x *explainer) undecided(e *trace.Event) string {
	for _, c := range e.Cases {
		for _, a := range c.Args {
			if a.HasParams() && trace.Root(a) == "" && !isTableValue(a) {
				if e.Fn != nil && e.Fn.Exported() {
					return source(a) + " is judged at the calls in other packages that supply it"
				}
				return source(a) + " depends on a parameter that no analysed call supplies"
			}
		}
		for _, g := range c.Guards {
			named := trace.Named(g.Cond)
			return "a parameter that no analysed call supplies decides: " + value.SourceOf(named, g.Want)
		}
	}
	return ""
}

// isTableValue reports whether a value is a table or a client, which may come
// from anywhere.
func isTableValue(v *value.Value) bool {
	b := v.Base()
	if b.Kind == value.Param && b.Class != value.NoClass {
		return false
	}
	return b.Kind == value.Param || b.Kind == value.Field || trace.OpenedName(b) != nil
}
