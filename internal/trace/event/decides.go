package event

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Decides reports whether a parameter of the event's function alone decides a
// condition: a flag, what is compared with a constant, a pure function of it.
// What is looked up — in a map, in a context, in a field of the receiver, by a call — is
// the program's own data, and both may happen.
//
// A list that is only collected is not known rather than looked up.
func (e *Event) Decides(g summary.Guard) bool {
	if g.Cond.Has(func(v *value.Value) bool { return v.Is(kind.Cells) }) {
		return false // which cells a row has
	}
	return g.Cond.Has(func(v *value.Value) bool { return v.Is(value.Where) }) || !e.lookedUp(g.Cond)
}

func (e *Event) lookedUp(cond *value.Value) bool {
	data := false
	var visit func(v *value.Value, inField bool)
	visit = func(v *value.Value, inField bool) {
		switch v.Kind {
		case value.Unknown, value.Map, value.Global:
			data = data || v.Name != value.It.Name && v.Name != value.Unsupplied
		case value.Param:
			data = data || e.ofObject(v, inField)
		case value.Call:
			data = data || v.Is(value.Count) || v.Is(value.Turn) || v.Is("context.Context.Value") || v.Is(kind.Cells) || v.Is(kind.Row) || btapi.OfTable(v.Name) || v.Is(eval.Outcome) && e.asks(v) || (v.Is(value.Index) || v.Is(value.Has)) && e.isMap(v.Args[0])
		}
		for _, a := range v.Args {
			visit(a, v.Kind == value.Field || inField && v.Kind == value.Via)
		}
	}
	visit(cond, false)
	return data
}

// isMap reports whether a value is a map: a parameter, or a field of what one is.
func (e *Event) isMap(v *value.Value) bool {
	b := v.Base()
	var t types.Type
	switch fn, ok := b.Site.(*ssa.Function); {
	case b.Kind == value.Param && ok && int(b.Num) < len(fn.Params):
		t = fn.Params[b.Num].Type()
	case b.Kind == value.Field && e.tracer != nil:
		f, _ := e.tracer.Prog.Names.FieldNamed(b.Name)
		if f == nil {
			return false
		}
		t = f.Type()
	default:
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// ofObject reports whether a parameter is, in a condition, an object's: a
// field of the receiver, or what its constructor was given.
func (e *Event) ofObject(param *value.Value, inField bool) bool {
	if e.In == nil {
		return e.calleeHas() || param.Num == 0 && inField && e.Target.Obj != nil && e.Target.Obj.Signature().Recv() != nil
	}
	fn, _ := param.Site.(*ssa.Function)
	if fn == nil {
		return false
	}
	if own := kind.Outermost(e.In); kind.Outermost(fn) != own {
		obj := kind.Object(kind.Outermost(fn))
		return obj == nil || obj.Exported() || len(e.tracer.Prog.Callers[kind.Origin(fn)]) == 0
	}
	if param.Num != 0 || !inField || fn.Signature.Recv() == nil {
		return false
	}
	if !e.Called() {
		return true
	}
	// The callers tell, unless one of them has it from elsewhere too.
	return slices.ContainsFunc(e.Link.Derived, func(d *Event) bool {
		return slices.ContainsFunc(d.Cases, func(c summary.Case) bool {
			return slices.ContainsFunc(c.Guards, func(g summary.Guard) bool { return d.lookedUp(g.Cond) })
		})
	})
}

// Callee returns what the function of another package that an event calls is
// known to do, as an event.
func (e *Event) Callee() *Event {
	c := &Event{Op: e.Op, Node: e.Node, Cases: e.Reached, Uses: e.ReachedUses, Fn: e.Fn, Depth: e.Depth, OnlyTable: e.OnlyTable, Target: e.Target}
	if e.Source != nil && len(c.Uses.Handed) > 0 {
		c.Uses = e.Source.RowUses()
	}
	if c.Link.Effect = e.Link.Effect; c.Link.Effect != nil {
		c.Again = c.Link.Effect.Again
	}
	return c
}

// Told returns what the function of another package that an event calls is known to do
// in that package, as an event; nil where that is no more than its callee does.
func (e *Event) Told() *Event {
	if e.In == nil || e.Source != nil || e.Depth == 0 || e.Link.Effect == nil || len(e.Link.Effect.Told) == 0 {
		return nil
	}
	told := e.Callee()
	told.Cases, told.Uses = e.Link.Effect.Told, e.Link.Effect.ToldUses
	return told
}

// NamedByMaker reports whether the event is what another package's constructor does
// with what it is given, of rows that are known to be of families only by that.
func (e *Event) NamedByMaker() bool {
	return e.In == nil && e.calleeHas() && !e.Uses.All && len(e.Uses.FamilyParams) > 0 && len(e.Uses.Families) == 0
}

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
		asks = undecided(p.Eval.ResultsOf(fn)) && p.Sweeps.Reads(fn, maxAsked)
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
