package event

import (
	"go/ast"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/helper"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// helperEvents makes the events of a call of the runtime package: those of the
// client's calls that it makes, at the call, as if they were written there.
func (p *Tracer) helperEvents(fn *ssa.Function, call ssa.CallInstruction, t program.Target) []*Event {
	h := helper.Of(t.API)
	if h == nil {
		return nil
	}
	var events []*Event
	for i, effect := range h.Does {
		e := p.NewEvent(effect.Op, fn, call)
		e.Call = p.Prog.Syntax.Calls[call.Common().Pos()]
		if e.Call == nil {
			return nil
		}
		e.Node, e.Helper, e.step = e.Call, t.API, i
		e.Target = written(effect, t)
		supplied := map[int]ast.Expr{}
		for i, a := range effect.Args {
			if expr := t.ArgumentExpr(e.Call, call, int(a.Num)); a.Kind == value.Param && expr != nil {
				supplied[i] = expr
			}
		}
		apply, ahead := p.applicationOf(e.Target), p.usedAt(e.Target, nil)
		e.Evaluate(func(q *eval.Path) []*value.Value {
			q.Way.AssumeBlock(call.Block(), nil, &q.Way.When)
			q.Way.Ahead(ahead)
			q.Supplied = supplied
			bind := q.Reader.Arguments(t, call).Binder(nil)
			var args []*value.Value
			for i, a := range effect.Args {
				v := q.Settler.Force(q.Settler.Settle(a.Subst(bind), call), 4)
				if v.Expr == nil {
					v = v.At(supplied[i])
				}
				args = append(args, v)
			}
			if apply != nil {
				args = append(args, q.Settler.Force(q.Reader.Argument(apply.args[0], apply.call), 4))
			}
			return p.OrFakes(effect.Op, args)
		})
		events = append(events, e)
	}
	return events
}

// written returns the client's call of an effect with the values of the
// helper's call that stand for its arguments: each that one of those alone
// decides, nil for the others.
func written(effect helper.Effect, t program.Target) program.Target {
	out := program.Target{API: effect.Op, Args: make([]ssa.Value, len(effect.Args)), Recv: t.Recv}
	if effect.Op == btapi.Set {
		out.Args = make([]ssa.Value, WriteArgs)
	}
	if t.Recv != nil {
		return out
	}
	for i, a := range effect.Args {
		param, steady := -1, true
		a.Walk(func(v *value.Value) {
			switch {
			case v.Kind == value.Param && (param < 0 || param == int(v.Num)):
				param = int(v.Num)
			case v.Kind == value.Param, v.Kind == value.Unknown, v.Is("time.Now"):
				steady = false
			}
		})
		if steady && param >= 0 && param < len(t.Args) {
			out.Args[i] = t.Args[param]
		}
	}
	return out
}
