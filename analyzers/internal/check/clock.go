package check

import (
	"github.com/ttlvet/ttlvet/analyzers/internal/trace"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// assumed drops what is found of a case only because a clock that the code is
// given tells the current time, where a caller in view gives it another one:
// then that caller's value decides.
func (p *Pass) assumed(e *trace.Event, c trace.Case, found []Finding, judge Judge) []Finding {
	unread, reads := withoutClocks(c)
	if !reads || len(found) == 0 {
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

// refuted reports whether a caller, those of tests aside, supplies what makes a
// case right.
func (p *Pass) refuted(e *trace.Event, of trace.Case, f Finding, judge Judge) bool {
	for _, d := range e.Derived() {
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

// supplied reports whether a case knows what another makes of clocks.
func supplied(of, c trace.Case) bool {
	if len(of.Args) != len(c.Args) {
		return false
	}
	for i, a := range of.Args {
		if _, reads := value.WithoutClocks(a); reads && !c.Args[i].Known() {
			return false
		}
	}
	return true
}

func withoutClocks(c trace.Case) (unread trace.Case, reads bool) {
	args := make([]*value.Value, len(c.Args))
	for i, a := range c.Args {
		w, found := value.WithoutClocks(a)
		args[i], reads = w, reads || found
	}
	c.Args = args
	return c, reads
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
