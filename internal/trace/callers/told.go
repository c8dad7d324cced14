package callers

import (
	"slices"

	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// What is wrong whoever calls a function is told in its package, which knows what
// its constructors store. Packages that call it see less of that, and more of what they
// supply: they are told what was judged, so as not to say it again.

// maxTold bounds the cases that callers are told of.
const maxTold = 8

// told returns the cases of an effect as its package judges them, where no
// parameter decides whether they arrive, and what is done with the rows of a read.
func (p *Tracer) told(e *effect) (cases []summary.Case, uses summary.Uses) {
	if e.src == nil || p.Prog.IsTest(e.src.Pos()) {
		return nil, uses
	}
	said := map[string]bool{}
	for _, c := range e.Cases {
		said[summary.ArgString(c.Args)] = len(c.Guards)+len(c.When) == 0
	}
	add := func(by *event.Event) {
		for _, c := range by.Cases {
			usual := p.withoutUncalled(summary.Case{Args: c.Args}.With(usual))
			if i, ok := tableOf(by.Op, usual.Args); e.OnlyTable && (!ok || !event.OpenedByName(usual.Args[i])) {
				continue // which table it is, callers say
			}
			if s := summary.ArgString(usual.Args); len(cases) < maxTold && !said[s] && p.judged(by, c) {
				said[s] = true
				cases = append(cases, usual)
			}
		}
	}
	for src := e.src; src != nil; src = src.Source {
		add(src)
		for _, d := range src.Link.Derived {
			if d.ViaField && !e.viaField && d.Node != nil && !p.Prog.IsTest(d.Pos()) {
				add(d) // with which the package makes objects itself
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
	if e.Link.Spared || slices.ContainsFunc(c.Guards, e.Decides) || slices.ContainsFunc(c.Args, readsGiven) {
		return false
	}
	own := given(e.Op, c)
	for _, d := range e.Link.Derived {
		if d.Node == nil || p.Prog.IsTest(d.Pos()) {
			continue
		}
		if !d.ViaField && !slices.ContainsFunc(d.Cases, func(dc summary.Case) bool {
			return given(d.Op, dc) == own
		}) {
			return false
		}
	}
	return true
}

// readsGiven reports whether a value is judged by what a clock that is given is taken
// to say.
func readsGiven(v *value.Value) bool {
	_, reads := value.WithoutClocks(v)
	return reads
}

// usual returns a value as it is where no option is given.
func usual(v *value.Value) *value.Value {
	v, _ = value.WithoutOptions(v)
	return v
}

// given tells apart what an event is given, whichever mutation, row or table it is of.
func given(op string, c summary.Case) string {
	args := event.OwnArgs(op, c.Args)
	if len(args) > 1 {
		args = args[1:]
	}
	alike := summary.Case{Args: args}.With(func(a *value.Value) *value.Value {
		return a.Rewrite(func(v *value.Value) *value.Value {
			if kind.Root(v) == "" {
				return nil
			}
			return value.UnknownFor("what is told apart by where it is made")
		})
	})
	return summary.ArgString(alike.Args)
}
