package trace

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// Wrapped returns the calls of a function, named as registries name it, as
// events of the operation that it amounts to. build makes the operation's
// arguments out of the call's, which do not include the receiver, and its
// table.
func (r *Result) Wrapped(name, op string, build func(args []*value.Value) (out []*value.Value, table *value.Value)) []*Event {
	p := r.program
	if p == nil {
		return nil
	}
	var events []*Event
	for _, fn := range p.funcs {
		for _, call := range p.calls[fn] {
			if e := p.wrapped(fn, call, name, op, build); e != nil {
				events = append(events, e)
			}
		}
	}
	return events
}

func (p *program) wrapped(fn *ssa.Function, call ssa.CallInstruction, name, op string, build func([]*value.Value) ([]*value.Value, *value.Value)) *Event {
	common := call.Common()
	var key string
	args := common.Args
	switch callee := common.StaticCallee(); {
	case common.IsInvoke():
		key = funcKey(common.Method)
	case callee != nil && object(callee) != nil:
		key = funcKey(object(callee))
		if callee.Signature.Recv() != nil && len(args) > 0 {
			args = args[1:]
		}
	}
	if key != name {
		return nil
	}
	e := p.newEvent(op, fn, call)
	e.Call = p.syntax.calls[common.Pos()]
	if e.Call == nil {
		return nil
	}
	e.Node = e.Call
	e.Depth = 1
	e.Uses = Uses{All: true}
	e.evaluate(p, func(q *path) []*value.Value {
		var vs []*value.Value
		for _, a := range args {
			vs = append(vs, q.force(q.eval(a, call), 4))
		}
		out, table := build(vs)
		e.Table = table
		return out
	})
	return e
}
