package callers

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A helper that writes what it does not know, or reads it, calls a function that it
// is given, or a method of an object: m.Marshal(mut, ts), s.Scan(row[family]),
// g.Get(ctx, key, filter). That is an event of its own, which callers of the helper
// learn of; what it does is known at the call that says which function that is.

// callbacks lists the calls of the package of what functions are given, with
// something that a rule may look at.
func (p *Tracer) callbacks() []*event.Event {
	var events []*event.Event
	for _, fn := range p.Prog.Funcs {
		for _, call := range p.Prog.Calls[fn] {
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
	if t, ok := p.Prog.Target(common); ok && t.API == btapi.ReadRows && t.Recv == nil && len(t.Args) > 3 {
		return p.rowCallback(fn, call, t.Args[3])
	}
	sig := common.Signature()
	if _, builtin := common.Value.(*ssa.Builtin); builtin || !kind.TakesCommands(sig) && !kind.TakesCells(sig) && !kind.TakesFilters(sig) {
		return nil
	}
	if t, ok := p.Prog.Target(common); ok && (!common.IsInvoke() || t.API != "") {
		return nil
	}
	name := ""
	if common.IsInvoke() {
		name = common.Method.Name()
	}
	e := p.calling(fn, call, name, common.Value, func(q *eval.Path) (args []*value.Value) {
		for _, a := range common.Args {
			if !common.IsInvoke() && types.TypeString(a.Type(), nil) == "context.Context" {
				args = append(args, value.UnknownFor("a context"))
				continue
			}
			args = append(args, q.Settler.Force(q.Reader.Argument(a, call), 4))
		}
		return p.Client.HandsTo(q, args, call)
	})
	if e != nil && kind.TakesFilters(sig) {
		p.Client.FollowRows(e, call, program.Target{}) // those that it returns
	}
	return e
}

// rowCallback returns the event of a read that calls what its function is given
// with its rows: of a wrapper. Of a literal that stands at the read, it is known
// there whose rows it gets.
func (p *Tracer) rowCallback(fn *ssa.Function, call ssa.CallInstruction, callback ssa.Value) *event.Event {
	switch callback.(type) {
	case *ssa.MakeClosure, *ssa.Function:
		return nil
	}
	return p.calling(fn, call, "", callback, func(q *eval.Path) []*value.Value { return []*value.Value{q.RowOf(call)} })
}

// calling returns the event of a call of a function, or of the method of that name
// of an object, with those arguments.
func (p *Tracer) calling(fn *ssa.Function, call ssa.CallInstruction, name string, called ssa.Value, with func(*eval.Path) []*value.Value) *event.Event {
	e := p.Client.NewEvent(event.Callback, fn, call)
	if e.Call = p.Prog.Syntax.Calls[call.Common().Pos()]; e.Call == nil {
		return nil
	}
	e.Node = e.Call
	what := func(q *eval.Path) []*value.Value {
		q.Way.AssumeBlock(call.Block(), nil, &q.Way.When)
		return []*value.Value{value.StrOf(name), q.Settler.Force(q.Way.Eval(called, call), 4)}
	}
	// What an edit is given is asked where it may be one.
	isEdit := func(c summary.Case) bool { return len(c.Args) > 1 && eval.Edited(c.Args[1]) != "" }
	// What is called, which costs little to ask, tells most often that callers do not say it.
	calls := p.Eval.Cases(false, what)
	if !eval.HasFields(calls) && !slices.ContainsFunc(calls, func(c summary.Case) bool { return isEdit(c) || !known(c) }) {
		return nil
	}
	e.Resolve = func(q *eval.Path) []*value.Value { return q.Settler.FromSender(append(what(q), with(q)...), call) }
	e.Link.Open = p.Eval.Cases(false, e.Resolve)
	p.edited(e.Link.Open)
	if eval.HasFields(e.Link.Open) {
		if e.Cases = p.Eval.Cases(true, e.Resolve); slices.ContainsFunc(p.Eval.Cases(true, what), isEdit) {
			p.edited(e.Cases)
		}
	}
	return open(e)
}

// open returns an event of a callback with the cases in which callers say what is
// called, its function's or a constructor's; nil where they never do. An edit that a
// constructor is given is known where its objects are called.
func open(e *event.Event) *event.Event {
	e.Link.Open = slices.DeleteFunc(slices.Clone(e.Link.Open), known)
	e.Cases = slices.DeleteFunc(slices.Clone(e.Cases), func(c summary.Case) bool {
		if known(c) {
			return true
		}
		maker := giver(c.Args[1])
		edits := func(v *value.Value) bool { return kind.Root(v) != "" }
		return maker == nil || kind.Outermost(maker) == kind.Outermost(e.In) || c.Args[0].Name == "" && slices.ContainsFunc(c.Args[2:], edits)
	})
	if len(e.Link.Open) == 0 {
		return nil
	}
	return e
}

// known reports whether callers do not say what a callback calls in a case.
func known(c summary.Case) bool {
	return len(c.Args) < 2 || !c.Args[1].HasParams() || c.Args[1].Captures()
}

// noteKnown notes the calls of which it is known what a method does that they call, or that
// is called with what they hand over.
func (p *Tracer) noteKnown(events []*event.Event) {
	for _, e := range events {
		call, ok := e.Instr.(ssa.CallInstruction)
		if ok && e.Depth > 0 && e.Op != event.Callback && !event.OfTimes(e.Op) && (e.Link.Handed || call.Common().IsInvoke()) {
			p.knownAt[call] = true
		}
	}
}

// judgedThere reports whether what a callback calls is known where it is called, by the
// interface alone, or where the object is handed over that has it: it is judged there, and
// not told to those who call that. What calls a function is told what that does.
func (p *Tracer) judgedThere(e *event.Event) bool {
	if e.Op != event.Callback {
		return false
	}
	e = e.Root()
	call, ok := e.Instr.(ssa.CallInstruction)
	return ok && p.knownAt[call] && (e.Depth > 0 || call.Common().IsInvoke())
}

// purge marks the event of a scan at the call of a function that hands its rows on, to
// a function that the call gives it, to the loops over the iterator which it returns or
// to its caller, as that of one that deletes, where those use cells for nothing else.
// uses are what the function does with the rows.
func (p *Tracer) purge(e *event.Event, call ssa.CallInstruction, t program.Target, uses summary.Uses) {
	if e.Op != btapi.ReadRows || uses.All || len(uses.Families)+len(uses.FamilyParams)+len(uses.Given) > 0 {
		return
	}
	if p.Client.Sweeps.Only(call, t, uses) {
		e.DeletesOnly()
	}
}
