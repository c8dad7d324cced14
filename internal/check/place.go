package check

import (
	"go/ast"
	"maps"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/trace"
)

// home returns the event at which a finding of e belongs: what is wrong with
// each of the calls that give nothing of their own, or nothing that is known of
// what decides it, is wrong in what they call.
func (p *Pass) home(e *trace.Event, f Finding, judge Judge) *trace.Event {
	cases := e.Cases
	for f.At == nil || e.IdleMaker(f.At) {
		if !e.LeavesOpen() && !e.GivesNothing() && !e.Dispatched() || !p.wrongIn(e.Source, cases, f, judge) || !p.wrongAtAll(e.Source.Link.Derived, f, judge) {
			break
		}
		e, f.At = e.Source, nil
	}
	return e
}

// wrongIn reports whether a finding of a call, with its cases, is one of what it calls
// too: what becomes of a result is the caller's.
func (p *Pass) wrongIn(callee *trace.Event, cases []trace.Case, f Finding, judge Judge) bool {
	return slices.ContainsFunc(cases, func(c trace.Case) bool { return has(p.assumed(callee, c, judge), f) })
}

// wrongAtAll reports whether all calls, those of tests aside, find the same.
func (p *Pass) wrongAtAll(calls []*trace.Event, f Finding, judge Judge) bool {
	for _, e := range calls {
		if e.Node == nil || p.InTest(e) {
			continue
		}
		same := false
		for _, c := range e.Cases {
			for _, g := range p.assumed(e, c, judge) {
				same = same || g.Category == f.Category && g.Family == f.Family && g.Table == f.Table
			}
		}
		if !same && (len(e.Link.Derived) == 0 || !p.wrongAtAll(e.Link.Derived, f, judge)) {
			return false
		}
	}
	return true
}

// InTest reports whether an event stands in a test.
func (p *Pass) InTest(e *trace.Event) bool {
	return strings.HasSuffix(p.Fset.File(e.Node.Pos()).Name(), "_test.go")
}

// moved returns a finding of the call e where it belongs.
func (p *Pass) moved(home, e *trace.Event, f Finding, judge Judge) Finding {
	f.At = nil
	for _, c := range e.Cases {
		for _, g := range judge(home, c) {
			if g.Category == f.Category && g.Family == f.Family {
				f.Message, f.Fix, f.At, f.Wrong = g.Message, g.Fix, g.At, g.Wrong
			}
		}
	}
	if f.At == nil {
		f.At = home.Node
	}
	return f
}

// always returns the findings of families with which something is wrong in some case of
// an event, whichever way the conditions go under which its values arrive.
func (p *Pass) always(e *trace.Event, found []Finding, byCase [][]Finding) []Finding {
	var conditions []map[string]bool
	for _, c := range e.Cases {
		m := map[string]bool{}
		for _, g := range decidedBy(e, c) {
			m[g.Cond.String()] = g.Want
		}
		conditions = append(conditions, m)
	}
	return slices.DeleteFunc(slices.Clone(found), func(f Finding) bool {
		var wrong []map[string]bool
		for i, others := range byCase {
			if slices.ContainsFunc(others, func(g Finding) bool {
				return g.Family == f.Family && (g.Category == f.Category || p.On(g.Category) && !p.strict(g) && !p.strict(f))
			}) {
				wrong = append(wrong, conditions[i])
			}
		}
		return len(wrong) > maxWays || !exhaust(wrong)
	})
}

// maxWays bounds the cases whose conditions are held against each other.
const maxWays = 16

// exhaust reports whether one of several sets of conditions holds whatever
// the conditions are.
func exhaust(sets []map[string]bool) bool {
	for _, set := range sets {
		if len(set) == 0 {
			return true
		}
	}
	if len(sets) == 0 {
		return false
	}
	cond := slices.Min(slices.Collect(maps.Keys(sets[0])))
	for _, holds := range []bool{true, false} {
		var rest []map[string]bool
		for _, set := range sets {
			want, has := set[cond]
			if has && want != holds {
				continue
			}
			set = maps.Clone(set)
			delete(set, cond)
			rest = append(rest, set)
		}
		if !exhaust(rest) {
			return false
		}
	}
	return true
}

// toldByMaker reports whether a finding of an event is that of the constructor that
// was given what is wrong.
func (p *Pass) toldByMaker(e *trace.Event, f Finding, judge Judge) bool {
	return slices.ContainsFunc(p.makers(e), func(made *trace.Event) bool {
		return made != e && (e.MadeBy(made) && p.tells(made, f, judge) || p.ofItsTable(made, e, f, judge))
	})
}

// tells reports whether a finding of an object's method is one of the call that made the
// object. Another package's constructor may leave open what the method's call supplies: its
// call must have the finding by itself, and of the same table as far as that is known.
func (p *Pass) tells(made *trace.Event, f Finding, judge Judge) bool {
	if made.ViaField || made.Link.Handed {
		return p.finds(made, f, judge)
	}
	return slices.ContainsFunc(p.surviving(made, judge), func(g Finding) bool {
		return g.Category == f.Category && g.Family == f.Family && (!g.when || f.when) && (g.Table == f.Table || g.Table == "" || f.Table == "")
	})
}

// makers lists the events at which a finding of an event may be that of a constructor:
// those at the calls that make its object, and those of what is given a table.
func (p *Pass) makers(e *trace.Event) []*trace.Event {
	p.index()
	var out []*trace.Event
	for _, n := range e.Link.Makers {
		out = append(out, p.EventsAt(n)...)
	}
	return append(out, p.byTarget[e.Op+" "+e.Where]...)
}

// EventsAt returns the events at a node, such as all that the function does which a call
// runs.
func (p *Pass) EventsAt(n ast.Node) []*trace.Event {
	p.index()
	return p.byNode[n]
}

// index finds the events by where they stand and by what they reach.
func (p *Pass) index() {
	if p.byNode != nil {
		return
	}
	p.byNode, p.byTarget = map[ast.Node][]*trace.Event{}, map[string][]*trace.Event{}
	for _, e := range p.Events {
		p.byNode[e.Node] = append(p.byNode[e.Node], e)
		if e.OnlyTable {
			p.byTarget[e.Op+" "+e.Where] = append(p.byTarget[e.Op+" "+e.Where], e)
		}
	}
}

// elsewhere reports whether a finding of an event is another event's: of the
// calls that supply the object, where they tell the right objects from the wrong
// ones.
func (p *Pass) elsewhere(e *trace.Event, f Finding, judge Judge) bool {
	for _, c := range e.Link.Open {
		if has(judge(e, c), f) {
			return p.byTable(e, f, judge)
		}
	}
	wrong, right := false, e.Link.Spared
	for _, d := range e.Link.Derived {
		if d.Node == nil || d.ViaField || p.InTest(d) {
			continue
		}
		if p.finds(d, f, judge) {
			wrong = true
		} else {
			right = right || settled(e, d)
		}
	}
	return wrong && right
}

// byTable reports whether a finding of a write is one of the calls that supply its
// table: it is wrong for the table of one, and right for that of another.
func (p *Pass) byTable(e *trace.Event, f Finding, judge Judge) bool {
	wrong, right := p.tellTables(e, f, judge)
	return wrong && right
}

// tellTables reports whether there are calls, those of tests aside, which supply a
// table for which a write is wrong, and one for which it is right.
func (p *Pass) tellTables(e *trace.Event, f Finding, judge Judge) (wrong, right bool) {
	if slices.ContainsFunc(e.Cases, func(c trace.Case) bool { return !p.Trace.TableOfCallers(e, c) }) {
		return false, false
	}
	for _, d := range e.Link.Derived {
		if d.Node == nil || p.InTest(d) {
			continue
		}
		w, r := p.tellTables(d, f, judge)
		if !w && !r {
			w = p.finds(d, f, judge)
			r = !w && !slices.ContainsFunc(d.Cases, func(c trace.Case) bool { return !AllKnown(p.Trace.EventTables(d, c)) })
		}
		wrong, right = wrong || w, right || r
	}
	return wrong, right
}

// finds reports whether one of the cases of an event has a finding.
func (p *Pass) finds(e *trace.Event, f Finding, judge Judge) bool {
	for _, c := range e.Cases {
		if has(judge(e, c), f) {
			return true
		}
	}
	return false
}

// settled reports whether a call knows all that reaches e from its callers, or what of
// it its own callers say.
func settled(e, call *trace.Event) bool {
	for _, c := range e.Link.Open {
		for _, d := range call.Cases {
			if len(d.Args) != len(c.Args) {
				return false
			}
			for i := 1; i < len(c.Args); i++ {
				if c.Args[i].HasParams() && !d.Args[i].Known() && !d.Args[i].HasParams() {
					return false
				}
			}
		}
	}
	return len(call.Cases) > 0
}

// crossed reports whether a finding of an event puts together what belongs to
// several objects: the family of one with what another's constructor was given
// otherwise. Where the calls of constructors say of which families their objects are,
// each is judged there.
func crossed(e *trace.Event, f Finding, byCase [][]Finding) bool {
	right := false
	for i, c := range e.Cases {
		if !has(byCase[i], f) {
			right = true
		} else if !slices.ContainsFunc(slices.Concat(c.Guards, c.When), func(g trace.Guard) bool { return g.Cond.HasParams() }) {
			return false
		}
	}
	return right && e.NamedByMaker()
}

// fault is what a message says to be wrong, of which table and family, without the remedy,
// which is another at another place.
func fault(f Finding) string {
	said, _, _ := strings.Cut(f.Message, "; ")
	return said
}

// ofItsTable reports whether a finding of a call of another package's method is one
// of the constructor, called here too, that was given the same table.
func (p *Pass) ofItsTable(made, e *trace.Event, f Finding, judge Judge) bool {
	if !made.OnlyTable || e.OnlyTable || e.Depth == 0 || made.Op != e.Op || made.Where != e.Where || p.InTest(made) {
		return false
	}
	for _, g := range p.surviving(made, judge) {
		same := g.Message == f.Message // which names the table, and says whether the call can do anything
		if e.Source != nil {
			same = fault(g) == fault(f)
		}
		if same && g.Category == f.Category && g.Family == f.Family {
			return true
		}
	}
	return false
}
