package callers

import (
	"slices"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/event"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// What is wrong whoever calls a function is told in its package, which knows what
// its constructors store. Packages that call it see less of that, and more of what they
// supply: they are told what was judged, so as not to say it again.

// maxTold bounds the cases that callers are told of.
const maxTold = 8

// told returns the cases of an effect as its package judges them, where no
// parameter decides whether they arrive, and what is done with the rows of a read.
func (p *Tracer) told(e effect) (cases []summary.Case, uses summary.Uses) {
	if e.src == nil || e.OnlyTable || p.IsTest(e.src.Pos()) {
		return nil, uses
	}
	said := map[string]bool{}
	for _, c := range e.Cases {
		said[summary.ArgString(c.Args)] = len(c.Guards)+len(c.When) == 0
	}
	for src := e.src; src != nil; src = src.Source {
		for _, c := range src.Cases {
			if s := summary.ArgString(c.Args); len(cases) < maxTold && !said[s] && p.judged(src, c) {
				said[s] = true
				cases = append(cases, summary.Case{Args: c.Args})
			}
		}
		if src.Source == nil && src.Depth > 0 && src.Link.Effect != nil { // what another package has judged
			cases = append(cases, src.Link.Effect.Told...)
		}
	}
	return cases, e.src.RowUses()
}

// judged reports whether a case counts where its event stands: it arrives, and no
// calls in view tell what is right of it from what is wrong.
func (p *Tracer) judged(e *event.Event, c summary.Case) bool {
	if e.Link.Spared || slices.ContainsFunc(c.Guards, e.Decides) || slices.ContainsFunc(c.When, e.Counts) || slices.ContainsFunc(c.Args, hangsOnGiven) {
		return false
	}
	own := given(e.Op, c)
	for _, d := range e.Link.Derived {
		if d.Node == nil || p.IsTest(d.Pos()) {
			continue
		}
		if d.ViaField {
			if len(e.Uses.Given) > 0 && d.Settles() {
				return false
			}
		} else if !slices.ContainsFunc(d.Cases, func(dc summary.Case) bool {
			return given(d.Op, dc) == own
		}) {
			return false
		}
	}
	return true
}

// hangsOnGiven reports whether a value is judged by what clocks that are given are
// taken to say, or by what is stored where no option says otherwise.
func hangsOnGiven(v *value.Value) bool {
	_, reads := value.WithoutClocks(v)
	_, set := value.WithoutOptions(v)
	return reads || set
}

// given tells apart what an event is given, whichever mutation or table it is of.
func given(op string, c summary.Case) string {
	args := event.OwnArgs(op, c.Args)
	if len(args) > 1 {
		args = args[1:]
	}
	return summary.ArgString(args)
}
