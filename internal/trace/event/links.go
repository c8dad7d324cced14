package event

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A Link is what is known of an event by the calls between its function and
// others.
type Link struct {
	Open         []summary.Case  // what can arrive, as the function sees it: fields are not resolved
	Derived      []*Event        // the events of which this is the source
	Givers       []*Event        // those that supply nothing but the table, to an object whose method this is in
	CallerUses   summary.Uses    // what the callers of the function do with the rows that it returns
	Effect       *summary.Effect // of a call that passes its arguments on: what the callee does
	Spared       bool            // a call of the event's function, not a test's, rules it out
	GivesNothing bool            // the call supplies nothing but what it has from elsewhere
	Tells        bool            // the call knows something of the conditions under which its values arrive
	Dispatched   bool            // the call runs one of a table of functions
	Makers       []ast.Node      // the calls that made the objects whose method is called
	IdleMakers   []ast.Node      // those that give it nothing of what reaches the event
	Handed       bool            // the call hands over what is run
	Elsewhere    bool            // what happens hangs on an object that another package made, and on nothing else
}

// MadeBy reports whether a call of a constructor, which stores what reaches the
// same call of the client, makes an object whose method e calls.
func (e *Event) MadeBy(constructor *Event) bool {
	if !slices.Contains(e.Link.Makers, constructor.Node) {
		return false
	}
	if e.Link.Handed {
		return constructor.Link.Handed && constructor.calleeHas() && e.Op == constructor.Op && e.Where == constructor.Where
	}
	if e.Source == nil && constructor.Source == nil { // of another package
		return constructor.calleeHas() && !e.calleeHas() && e.Op == constructor.Op && e.Where == constructor.Where
	}
	return constructor.ViaField && e.Root() == constructor.Root()
}

// Makes reports whether a place at which a finding of the event stands is a call that
// makes an object and gives it what its methods use.
func (e *Event) Makes(at ast.Node) bool {
	return at == e.Node && (e.ViaField || e.calleeHas()) || slices.Contains(e.Link.Makers, at)
}

// calleeHas reports whether what the event's call runs stores what it is given in an
// object.
func (e *Event) calleeHas() bool { return e.Link.Effect != nil && e.Link.Effect.Stores }

// Root returns the event that an event leads to, by way of others, in this package.
func (e *Event) Root() *Event {
	for e.Source != nil {
		e = e.Source
	}
	return e
}

// ToldElsewhere reports whether what the event's call does is known, and told, in the
// package that made the object whose method it calls.
func (e *Event) ToldElsewhere() bool { return e.Link.Elsewhere && e.Source == nil }

// IdleMaker reports whether a call that made an object gives it nothing of what
// reaches the event.
func (e *Event) IdleMaker(call ast.Node) bool { return slices.Contains(e.Link.IdleMakers, call) }

// Edits returns the identity of what a function literal is given that an event
// changes in a case; "" of other events.
func (e *Event) Edits(c summary.Case) string {
	mut := c.Args[0].Base()
	literal, ok := mut.Site.(*ssa.Function)
	if !ok || mut.Kind != value.Param {
		return ""
	}
	return e.tracer.Prog.Sites.Known(literal)
}

// GivesMutation reports whether the event's call reaches another package's function
// and gives it nothing that makes the write wrong: a mutation and a column at most.
func (e *Event) GivesMutation() bool {
	if !IsWrite(e.Op) {
		return false
	}
	for ; e != nil; e = e.Source {
		if e.Link.Effect == nil || slices.ContainsFunc(e.Link.Effect.Cases, func(c summary.Case) bool {
			own := OwnArgs(e.Op, c.Args)
			return len(c.Guards) > 0 || own[1].HasParams() || slices.ContainsFunc(own[Column+1:], (*value.Value).HasParams)
		}) {
			return false
		}
	}
	return true
}

// SuppliedAt says in which file and line stands, of an event that supplies nothing but a
// table, the call that supplies the rest; "" where the client's own function does.
func (e *Event) SuppliedAt() string {
	if e.Link.Effect == nil {
		return ""
	}
	return e.Link.Effect.From
}

// Within lists what can arrive as far as what the event's call runs tells by itself,
// before the call gives anything.
func (e *Event) Within() []summary.Case {
	switch {
	case e.Source != nil:
		return e.Source.Cases
	case e.Link.Effect != nil:
		return e.Link.Effect.Cases
	}
	return nil
}

// LeavesOpen reports whether the event's call gives nothing that is known to the
// conditions under which values arrive in what it calls in this package: what is read
// from a file, what is decoded. Either way happens then.
func (e *Event) LeavesOpen() bool { return !e.Link.Tells && e.Source != nil && !e.ViaField }

// Dispatched reports whether the event's call runs one of several functions, of
// a table of commands or handlers: what is wrong with one of them is read where
// that one is.
func (e *Event) Dispatched() bool { return e.Link.Dispatched && e.Source != nil && !e.ViaField }

// GivesNothing reports whether the event's call supplies nothing to what it reaches in
// this package but what it has from elsewhere: the receiver, an object, rows and cells.
func (e *Event) GivesNothing() bool {
	return e.Link.GivesNothing && e.Source != nil && !e.ViaField
}

// Imported returns what is known of a function of another package, or nil.
func (e *Event) Imported(fn *types.Func) *summary.Summary {
	if e.tracer == nil || fn == nil {
		return nil
	}
	// Analyzers run side by side.
	e.tracer.Prog.Order.Lock()
	defer e.tracer.Prog.Order.Unlock()
	return e.tracer.Prog.Imported(fn)
}

// Runs returns the declared function that a call in the event's package runs,
// or nil.
func (e *Event) Runs(call *ast.CallExpr) *types.Func {
	if e.tracer == nil {
		return nil
	}
	fn, _ := typeutil.Callee(e.tracer.Prog.Pass.TypesInfo, call).(*types.Func)
	if fn == nil {
		return nil
	}
	return fn.Origin()
}
