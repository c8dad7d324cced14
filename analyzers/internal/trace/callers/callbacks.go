package callers

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/eval"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/event"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// A helper that writes what it does not know, or reads it, calls a function that it
// is given, or a method of an object: m.Marshal(mut, ts), s.Scan(row[family]). That is
// an event of its own, which callers of the helper learn of; what it does is known at
// the call that says which function that is.

// callbacks lists the calls of the package of what functions are given, with
// something that a rule may look at.
func (p *Tracer) callbacks() []*event.Event {
	var events []*event.Event
	for _, fn := range p.Funcs {
		for _, call := range p.Calls[fn] {
			if e := p.callback(fn, call); e != nil {
				events = append(events, e)
			}
		}
	}
	return events
}

// callback returns the event of a call of what its function is given; nil of
// other calls.
func (p *Tracer) callback(fn *ssa.Function, call ssa.CallInstruction) *event.Event {
	common := call.Common()
	takes := kind.TakesCommands
	if common.IsInvoke() {
		takes = kind.TakesWrites // what an object does with a command is its type's
	}
	if _, builtin := common.Value.(*ssa.Builtin); builtin || !takes(common.Signature()) && !kind.TakesCells(common.Signature()) {
		return nil
	}
	if t, ok := p.Target(common); ok && (!common.IsInvoke() || t.API != "") {
		return nil
	}
	e := p.NewEvent(event.Callback, fn, call)
	if e.Call = p.Syntax.Calls[common.Pos()]; e.Call == nil {
		return nil
	}
	name := ""
	if common.IsInvoke() {
		name = common.Method.Name()
	}
	e.Node = e.Call
	e.Resolve = func(q *eval.Path) []*value.Value {
		q.AssumeBlock(call.Block(), nil, &q.When)
		args := []*value.Value{value.StrOf(name), q.Force(q.Eval(common.Value, call), 4)}
		for _, a := range common.Args {
			if !common.IsInvoke() && types.TypeString(a.Type(), nil) == "context.Context" {
				args = append(args, value.UnknownFor("a context"))
				continue
			}
			args = append(args, q.Force(q.Argument(a, call), 4))
		}
		return q.FromSender(args, call)
	}
	e.Link.Open = p.Cases(false, e.Resolve)
	return open(e)
}

// open returns an event of a callback with the cases in which callers say what is
// called; nil where they never do. What a constructor says of it is known where its
// objects are called.
func open(e *event.Event) *event.Event {
	e.Link.Open = slices.DeleteFunc(slices.Clone(e.Link.Open), func(c summary.Case) bool {
		return len(c.Args) < 2 || !c.Args[1].HasParams() || c.Args[1].Captures()
	})
	e.Cases = nil
	if len(e.Link.Open) == 0 {
		return nil
	}
	return e
}
