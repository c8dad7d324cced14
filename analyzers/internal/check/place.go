package check

import (
	"maps"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace"
)

// home returns the event at which a finding of e belongs: what is wrong with
// each of the calls that supply nothing but the receiver is wrong in what they
// call.
func (p *Pass) home(e *trace.Event, f Finding, judge Judge) *trace.Event {
	for f.At == nil && e.ByReceiver() && p.wrongAtAll(e.Source.Derived(), f, judge) {
		e = e.Source
	}
	return e
}

// wrongAtAll reports whether all calls, those of tests aside, find the same.
func (p *Pass) wrongAtAll(calls []*trace.Event, f Finding, judge Judge) bool {
	for _, e := range calls {
		if e.Node == nil || p.InTest(e) {
			continue
		}
		same := false
		for _, c := range e.Cases {
			for _, g := range judge(e, c) {
				same = same || g.Category == f.Category && g.Family == f.Family && g.Table == f.Table
			}
		}
		if !same {
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
	for _, c := range e.Cases {
		for _, g := range judge(home, c) {
			if g.Category == f.Category && g.Family == f.Family {
				f.Message, f.Fix, f.At = g.Message, g.Fix, g.At
			}
		}
	}
	if f.At == nil {
		f.At = home.Node
	}
	return f
}

// always returns the findings that every case of an event has, whichever way
// the conditions go under which its values arrive.
func always(e *trace.Event, found []Finding, byCase [][]Finding) []Finding {
	var conditions []map[string]bool
	for _, c := range e.Cases {
		m := map[string]bool{}
		for _, g := range decidedBy(e, c) {
			m[g.Cond.String()] = g.Want
		}
		conditions = append(conditions, m)
	}
	if len(conditions) > maxWays || !exhaust(conditions) {
		return nil
	}
	var out []Finding
	for _, f := range found {
		n := 0
		for _, others := range byCase {
			for _, g := range others {
				if g.Category == f.Category && g.Family == f.Family {
					n++
					break
				}
			}
		}
		if n == len(byCase) {
			out = append(out, f)
		}
	}
	return out
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
