package result

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Wrapped returns the calls of a function, named as registries name it, as
// events of the operation that it amounts to. build makes the operation's
// arguments out of the call's, which do not include the receiver, and its
// table.
func (r *Result) Wrapped(name, op string, build func(args []*value.Value) (out []*value.Value, table *value.Value)) []*event.Event {
	p := r.tracer
	if p == nil {
		return nil
	}
	// Analyzers run side by side.
	p.prog.Order.Lock()
	defer p.prog.Order.Unlock()
	var events []*event.Event
	for _, fn := range p.prog.Funcs {
		for _, call := range p.prog.Calls[fn] {
			if e := p.wrapped(fn, call, name, op, build); e != nil {
				events = append(events, e)
			}
		}
	}
	return events
}

func (p *finder) wrapped(fn *ssa.Function, call ssa.CallInstruction, name, op string, build func([]*value.Value) ([]*value.Value, *value.Value)) *event.Event {
	common := call.Common()
	var key string
	args := common.Args
	switch callee := common.StaticCallee(); {
	case common.IsInvoke():
		key = kind.FuncKey(common.Method)
	case callee != nil && kind.Object(callee) != nil:
		key = kind.FuncKey(kind.Object(callee))
		if callee.Signature.Recv() != nil && len(args) > 0 {
			args = args[1:]
		}
	}
	if key != name {
		return nil
	}
	e := p.client.NewEvent(op, fn, call)
	e.Call = p.prog.Syntax.Calls[common.Pos()]
	if e.Call == nil {
		return nil
	}
	e.Node = e.Call
	e.Depth = 1
	e.Uses = summary.Uses{All: true}
	e.Evaluate(func(q *eval.Path) []*value.Value {
		var vs []*value.Value
		for _, a := range args {
			vs = append(vs, q.Settler.Force(q.Way.Eval(a, call), 4))
		}
		out, table := build(vs)
		e.Table = table
		return out
	})
	return e
}
