package check

import (
	"slices"

	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// assumed judges a case of an event. What a constructor stores unless an option
// says otherwise, also where a method of the package reaches it by another, and that
// a clock which the code is given tells the current time, counts as long as no caller
// in view supplies what is right: then that caller's value decides.
func (p *Pass) assumed(e *trace.Event, c trace.Case, judge Judge) []Finding {
	found := judge(e, c)
	if e.Depth == 0 || e.Source != nil && !e.ViaField && e.Origin() != nil {
		if usual, holds := withoutOptions(c); holds {
			for _, f := range judge(e, usual) {
				if !has(found, f) && !p.refuted(e, c, f, judge) {
					found = append(found, f)
				}
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	unread, reads := withoutClocks(c)
	if !reads {
		return found
	}
	certain := judge(e, unread)
	var out []Finding
	for _, f := range found {
		if has(certain, f) || !p.refuted(e, c, f, judge) {
			out = append(out, f)
		}
	}
	return out
}

// beyondClock leaves out the findings of a call that it has only since the clock is not
// known that it supplies: what it calls takes that for the current time, and something is
// wrong there for the same family.
func (p *Pass) beyondClock(e *trace.Event, c trace.Case, found []Finding, judge Judge) []Finding {
	callee := e.Source
	if callee == nil || len(found) == 0 {
		return found
	}
	return slices.DeleteFunc(found, func(f Finding) bool {
		return slices.ContainsFunc(callee.Cases, func(of trace.Case) bool {
			unread, reads := withoutClocks(of)
			return reads && !supplied(of, c) && has(judge(callee, unread), f) &&
				slices.ContainsFunc(p.assumed(callee, of, judge), func(g Finding) bool { return g.Family == f.Family && g.Category != f.Category })
		})
	})
}

// withoutOptions returns a case as it is where no option is given; false where
// options change nothing, or it cannot be then.
func withoutOptions(c trace.Case) (usual trace.Case, holds bool) {
	found := false
	usual = c.With(func(a *value.Value) *value.Value {
		w, changes := value.WithoutOptions(a)
		found = found || changes
		return w
	})
	usual.Guards = nil
	for _, g := range c.Guards {
		cond, _ := value.WithoutOptions(g.Cond)
		if is, ok := instant.Decide(cond); !ok {
			usual.Guards = append(usual.Guards, trace.Guard{Cond: cond, Want: g.Want})
		} else if is != g.Want {
			return c, false
		}
	}
	return usual, found
}

// refuted reports whether a caller, those of tests aside, supplies what makes a
// case right.
func (p *Pass) refuted(e *trace.Event, of trace.Case, f Finding, judge Judge) bool {
	for _, d := range e.Link.Derived {
		if d.Node == nil || p.InTest(d) {
			continue
		}
		if p.refuted(d, of, f, judge) {
			return true
		}
		for _, c := range d.Cases {
			if supplied(of, c) && !has(judge(d, c), f) {
				return true
			}
		}
	}
	return false
}

// supplied reports whether a case knows what another makes of clocks and of
// options.
func supplied(of, c trace.Case) bool {
	if len(of.Args) != len(c.Args) {
		return false
	}
	for i, a := range of.Args {
		_, reads := value.WithoutClocks(a)
		_, set := value.WithoutOptions(a)
		if (reads || set) && !c.Args[i].Known() {
			return false
		}
	}
	return true
}

func withoutClocks(c trace.Case) (unread trace.Case, reads bool) {
	unread = c.With(func(a *value.Value) *value.Value {
		w, found := value.WithoutClocks(a)
		reads = reads || found
		return w
	})
	return unread, reads
}

// has reports whether something of the kind of f is among findings.
func has(found []Finding, f Finding) bool {
	for _, g := range found {
		if g.Category == f.Category && g.Family == f.Family {
			return true
		}
	}
	return false
}
