package event

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Decides reports whether a parameter of the event's function alone decides a
// condition: a flag, what is compared with a constant, a pure function of it.
// What is looked up — in a map, in a field of the receiver, by a call — is the
// program's own data, and both may happen.
//
// A list that is only collected from what a constructor was given is not
// known rather than looked up; one that is collected from what the server
// answers is looked up.
func (e *Event) Decides(g summary.Guard) bool {
	collected, read := false, false
	g.Cond.Walk(func(v *value.Value) {
		collected = collected || v.Is(value.Where) && !answered(v)
		read = read || v.Is(kind.Cells) // which cells a row has
	})
	return !read && (collected || !e.lookedUp(g.Cond, 4))
}

// Counts reports whether a condition under which an event happens asks how many
// variadic arguments the event's function is given, where all calls are in view:
// they say whether it happens.
func (e *Event) Counts(g summary.Guard) bool {
	if !e.Called() {
		return false
	}
	fn := kind.Origin(kind.Outermost(e.In))
	found := false
	g.Cond.Walk(func(v *value.Value) {
		if v.Is(value.Len) && fn.Signature.Variadic() {
			b := v.Args[0].Base()
			found = found || b.Kind == value.Param && int(b.Num) == len(fn.Params)-1 && b.Site == any(fn)
		}
	})
	return found
}

// answered reports whether a list is collected from what a call of the client
// returns.
func answered(where *value.Value) bool {
	if len(where.Args) == 0 {
		return false
	}
	from := where.Args[0].Base()
	return from.Kind == value.Call && strings.HasPrefix(from.Name, "bigtable.")
}

func (e *Event) lookedUp(cond *value.Value, depth int) bool {
	data := false
	var visit func(v *value.Value, inField bool)
	visit = func(v *value.Value, inField bool) {
		switch v.Kind {
		case value.Unknown, value.Map, value.Global:
			data = data || v.Name != value.It.Name
		case value.Param:
			data = data || e.ofObject(v, inField, depth)
		case value.Call:
			data = data || v.Is(value.Count) || v.Is(value.Turn) || v.Is(kind.Cells) || v.Is(kind.Row) || v.Is(eval.Outcome) && e.asks(v) || v.Is(value.Index) && isMap(v.Args[0])
		}
		for _, a := range v.Args {
			visit(a, v.Kind == value.Field || inField && v.Kind == value.Via)
		}
	}
	visit(cond, false)
	return data
}

// isMap reports whether a value is a parameter that is a map.
func isMap(v *value.Value) bool {
	fn, ok := v.Base().Site.(*ssa.Function)
	if v.Base().Kind != value.Param || !ok || int(v.Base().Num) >= len(fn.Params) {
		return false
	}
	_, ok = fn.Params[v.Base().Num].Type().Underlying().(*types.Map)
	return ok
}

// ofObject reports whether a parameter is, in a condition, an object's: a
// field of the receiver, or what its constructor was given.
func (e *Event) ofObject(param *value.Value, inField bool, depth int) bool {
	if e.In == nil {
		return e.stores || param.Num == 0 && inField && e.method
	}
	fn, _ := param.Site.(*ssa.Function)
	if fn == nil {
		return false
	}
	if own := kind.Outermost(e.In); kind.Outermost(fn) != own {
		obj := kind.Object(kind.Outermost(fn))
		return obj == nil || obj.Exported() || len(e.tracer.Callers[kind.Origin(fn)]) == 0
	}
	if param.Num != 0 || !inField || fn.Signature.Recv() == nil {
		return false
	}
	if !e.Called() {
		return true
	}
	// The callers tell, unless one of them has it from elsewhere too.
	for _, d := range e.Link.Derived {
		for _, c := range d.Cases {
			for _, g := range c.Guards {
				if depth > 0 && d.lookedUp(g.Cond, depth-1) {
					return true
				}
			}
		}
	}
	return false
}

// Callee returns what the function of another package that an event calls is
// known to do, as an event.
func (e *Event) Callee() *Event {
	c := &Event{Op: e.Op, Node: e.Node, Cases: e.Reached, Uses: e.ReachedUses, Fn: e.Fn, Depth: e.Depth, OnlyTable: e.OnlyTable, Again: e.Link.AgainIn}
	c.method = e.Target.Obj != nil && e.Target.Obj.Signature().Recv() != nil
	c.stores = e.Link.CalleeHas
	c.returned = e.Depth == 0
	return c
}

// Returned reports whether the event is a call of the client with what another
// package returned for it, as that package made it.
func (e *Event) Returned() bool { return e.returned }

// Told returns what the function of another package that an event calls is known to do
// in that package, as an event; nil where that is no more than its callee does.
func (e *Event) Told() *Event {
	if e.Source != nil || e.Depth == 0 || e.Link.Effect == nil || len(e.Link.Effect.Told) == 0 {
		return nil
	}
	told := e.Callee()
	told.Cases, told.Uses = e.Link.Effect.Told, e.Link.Effect.ToldUses
	return told
}

// Settles reports whether an event's call says of one way at least in which values
// arrive that they do, whatever its own callers give: it does not only hand on what
// decides.
func (e *Event) Settles() bool {
	return slices.ContainsFunc(e.Cases, func(c summary.Case) bool {
		return !slices.ContainsFunc(c.Guards, e.Decides) && !slices.ContainsFunc(c.When, e.Counts)
	})
}

// OfMaker reports whether the event is what another package's constructor does with
// what it is given.
func (e *Event) OfMaker() bool { return e.In == nil && e.stores }

// ByMaker reports whether a condition of a case hangs on what a constructor, not
// the event's own function, is given.
func (e *Event) ByMaker(c summary.Case) bool {
	found := false
	for _, g := range slices.Concat(c.Guards, c.When) {
		g.Cond.Walk(func(v *value.Value) {
			fn, ok := v.Site.(*ssa.Function)
			found = found || v.Kind == value.Param && (e.OfMaker() || ok && e.In != nil && kind.Outermost(fn) != kind.Outermost(e.In))
		})
	}
	return found
}

// NamedByMaker reports whether the rows of a read are known to be of families only
// by what constructors are given.
func (e *Event) NamedByMaker(families []string) bool {
	if e.OfMaker() {
		return !e.Uses.All && len(e.Uses.FamilyParams) > 0 && len(e.Uses.Families) == 0
	}
	return !e.Uses.All && len(e.Uses.Given) > 0 && !slices.ContainsFunc(families, func(f string) bool {
		return slices.Contains(e.Uses.Families, f) || !slices.Contains(e.Uses.InView, f)
	})
}
