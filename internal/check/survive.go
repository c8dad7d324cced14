package check

import (
	"fmt"
	"sort"
	"strings"

	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// surviving returns what is wrong with an event, beyond what its callee does
// wrong by itself.
func (p *Pass) surviving(e *trace.Event, judge Judge) []Finding {
	out, _ := p.survivors(e, judge)
	return out
}

// survivors returns what is reported of an event, and all that is certainly
// wrong with it: of several things that are wrong with a family one is reported.
func (p *Pass) survivors(e *trace.Event, judge Judge) (reported, all []Finding) {
	if e.Node == nil || e.ToldElsewhere() {
		return nil, nil
	}
	var certain, open, strict []Finding
	var byCase [][]Finding
	bad, guarded := 0, 0
	for _, c := range e.Cases {
		found := p.beyondClock(e, c, p.assumed(e, c, judge), judge)
		byCase = append(byCase, found)
		for i := range found {
			if found[i].At == nil {
				found[i].At = c.At
			}
		}
		if len(found) > 0 {
			bad++
		}
		if deciding := decidedBy(e, c); len(deciding) > 0 {
			guarded++
			open = append(open, found...)
			strict = append(strict, conditional(found, deciding)...)
		} else {
			certain = append(certain, found...)
		}
	}
	switch {
	case guarded == 0:
	case bad == len(e.Cases) && !e.Called():
		certain = append(certain, open...)
	default:
		always := p.always(e, open, byCase)
		if certain = append(certain, always...); len(always) == 0 && bad < len(e.Cases) && !e.Called() && p.layers.Strict() {
			certain = append(certain, strict...)
		}
	}
	if len(certain) == 0 {
		return nil, nil
	}
	known := p.reached(e, judge)
	hides := func(f Finding, key string) bool { certain, found := known[key]; return certain || found && f.when }
	// What names no more than the absence of a filter gives way to what is
	// wrong with one.
	sort.SliceStable(certain, func(i, j int) bool {
		a, b := certain[i], certain[j]
		if p.strict(a) != p.strict(b) {
			return p.strict(b)
		}
		if a, b := a.Category == "missing-filter", b.Category == "missing-filter"; a != b {
			return b
		}
		return a.Table != "" && b.Table == ""
	})
	seen := places{}
	conflicting := false
	var out []Finding
	for _, f := range certain {
		family := f.Family
		if family == "" {
			family = f.Category
		}
		if f.At != nil { // one row of a table of literals, beside others
			family += fmt.Sprint(" at ", f.At.Pos())
		}
		if hides(f, f.Category+"\x00"+f.Family) || (e.OnlyTable || f.Anyhow) && hides(f, f.Category) {
			if p.On(f.Category) {
				p.told[reachOf(e)] = true
			}
			continue
		}
		if p.toldByMaker(e, f, judge) {
			all = append(all, f) // callers neither
			continue
		}
		if p.elsewhere(e, f, judge) || crossed(e, f, byCase) {
			continue
		}
		all = append(all, f)
		added, several := seen.addAll(family, f.Table)
		if !added {
			continue
		}
		conflicting = conflicting || several
		if f.Fix != nil && !agreed(f, e.Cases, byCase) {
			f.Fix = nil
		}
		out = append(out, f)
	}
	for i := range out {
		if conflicting {
			out[i].Fix = nil // what mends one table breaks the other
		}
	}
	return out, all
}

// decidedBy returns the conditions of a case that parameters decide.
func decidedBy(e *trace.Event, c trace.Case) []trace.Guard {
	var out []trace.Guard
	for _, g := range c.Guards {
		if e.Decides(g) {
			out = append(out, g)
		}
	}
	return out
}

// conditional returns findings that name the conditions under which they
// hold, for those who ask for strict rules. Of one with a part that has no name in the
// program they say that there is one.
func conditional(found []Finding, guards []trace.Guard) []Finding {
	var conds []string
	words := ""
	for _, g := range guards {
		if s := value.SourceOf(trace.Named(g.Cond), g.Want); strings.Contains(s, "…") {
			words = " in some cases"
		} else {
			conds = append(conds, s)
		}
	}
	if len(conds) > 0 {
		words = " when " + strings.Join(conds, " && ") + words
	}
	out := append([]Finding(nil), found...)
	for i := range out {
		out[i].Message += words
		out[i].when = true
	}
	return out
}

// reached returns the categories and families of what is found in the
// callee of an event without the event's call: true of what is certain there, which
// no condition decides that the call may fulfil.
func (p *Pass) reached(e *trace.Event, judge Judge) map[string]bool {
	known := map[string]bool{}
	if e.Depth == 0 {
		return known
	}
	add := func(fs []Finding) {
		for _, f := range fs {
			for _, key := range []string{f.Category + "\x00" + f.Family, f.Category} {
				known[key] = known[key] || !f.when
			}
		}
	}
	if e.Source != nil {
		_, all := p.survivors(e.Source, judge)
		add(all)
		for k, certain := range p.reached(e.Source, judge) {
			known[k] = known[k] || certain
		}
		return known
	}
	for _, callee := range []*trace.Event{e.Callee(), e.Told()} {
		if callee != nil {
			_, all := p.survivors(callee, judge)
			add(all)
		}
	}
	return known
}
