package event

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// What functions of the package answer that conditions ask.

// asks reports whether the function of which a condition is the outcome asks
// for more than its arguments.
func (e *Event) asks(outcome *value.Value) bool {
	return e.tracer != nil && (e.tracer.AsksTable(outcome) || e.tracer.outcomeHas(outcome, func(v *value.Value) bool {
		return v.Kind == value.Unknown || v.Kind == value.Map || v.Is(kind.Row) || v.Is(eval.Outcome) || v.Is(value.Invoke)
	}))
}

// Tries reports whether the function of which a condition is the outcome hangs on
// what another function answers that it is given.
func (p *Tracer) Tries(outcome *value.Value) bool {
	return p.outcomeHas(outcome, func(v *value.Value) bool { return v.Is(value.Invoke) })
}

// outcomeHas reports whether there is such a value in what the function returns of
// which a condition is the outcome, or in what decides it.
func (p *Tracer) outcomeHas(outcome *value.Value, such func(*value.Value) bool) bool {
	fn, ok := outcome.Args[0].Base().Site.(*ssa.Function)
	if !ok {
		return false
	}
	return slices.ContainsFunc(p.Eval.ResultsOf(fn), func(c summary.ResultCase) bool {
		return summary.Case{Args: c.Values, Guards: c.Guards}.Has(such)
	})
}

// AsksTable reports whether the function of which a condition is the outcome reads a
// table, and answers what its arguments do not decide.
func (p *Tracer) AsksTable(outcome *value.Value) bool {
	fn, ok := outcome.Args[0].Base().Site.(*ssa.Function)
	if !ok {
		return false
	}
	// Analyzers run side by side.
	p.Prog.Order.Lock()
	defer p.Prog.Order.Unlock()
	asks, known := p.asksTable[fn]
	if !known {
		asks = undecided(p.Eval.ResultsOf(fn)) && p.readsTable(fn, maxAsked)
		p.asksTable[fn] = asks
	}
	return asks
}

// maxAsked bounds the functions through which one asks a table.
const maxAsked = 4

// undecided reports whether a function returns one of several values under
// conditions that may hold together.
func undecided(cases []summary.ResultCase) bool {
	for i, c := range cases {
		if slices.ContainsFunc(cases[:i], func(d summary.ResultCase) bool {
			return summary.ArgString(c.Values) != summary.ArgString(d.Values) && !contradict(c.Guards, d.Guards)
		}) {
			return true
		}
	}
	return false
}

func contradict(a, b []summary.Guard) bool {
	return slices.ContainsFunc(a, func(g summary.Guard) bool {
		return slices.ContainsFunc(b, func(h summary.Guard) bool {
			return g.Want != h.Want && g.Cond.String() == h.Cond.String()
		})
	})
}

// readsTable reports whether a function reads rows, by itself or by others.
func (p *Tracer) readsTable(fn *ssa.Function, depth int) bool {
	return depth > 0 && slices.ContainsFunc(p.Prog.Calls[fn], func(call ssa.CallInstruction) bool {
		return slices.ContainsFunc(p.Eval.Targets(call), func(t program.Target) bool {
			if isRead(t.API) || t.Fn != nil && p.readsTable(t.Fn, depth-1) {
				return true
			}
			s := p.Prog.Imported(t.Obj)
			return s != nil && slices.ContainsFunc(s.Effects, func(e summary.Effect) bool { return isRead(e.Op) })
		})
	})
}

func isRead(op string) bool { return op == btapi.ReadRow || op == btapi.ReadRows }
