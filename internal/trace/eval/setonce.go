package eval

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// SetOnce resolves what the only touch of a field sets.
func (p *Evaluator) SetOnce(fn *ssa.Function, t memory.Touch, set *summary.FieldSet) {
	at := t.At
	options := memory.RunsOptions(t)
	switch {
	case options:
		at = memory.OptionLoop(at)
	case t.Store == nil && (t.Set == nil || t.Set.Value == nil):
		return
	}
	unconditional := memory.Always(at)
	if t.At.Parent() != fn {
		call := p.Memory.DoneOnce(t.At.Parent(), fn)
		if t.Store == nil || call == nil || !unconditional || !memory.Always(call) {
			return
		}
	}
	n := 0
	var found *value.Value
	var guards []summary.Guard
	complete := p.Explore(false, 2, func(q *Path) []*value.Value {
		if !unconditional {
			q.Way.AssumeBlock(t.At.Block(), nil, &q.Way.Guards)
		}
		if options {
			return []*value.Value{q.Reader.Options(t.At.(ssa.CallInstruction))}
		}
		if t.Store != nil {
			return []*value.Value{q.Settler.Force(q.Way.Eval(t.Store.Val, t.At), 4)}
		}
		return []*value.Value{q.Reader.BoundSet(t)}
	}, func(q *Path, vs []*value.Value) {
		found, guards = vs[0], summary.UniqueGuards(q.Way.Guards)
		n++
	})
	if !complete || n != 1 || found == nil || !unconditional && len(guards) != 1 {
		return
	}
	set.Value, set.Guards = found, guards
	if t.Set != nil && len(t.Set.Guards) > 0 {
		// A condition of the callee's, in this function's terms.
		if len(guards) > 0 {
			set.Value, set.Guards = nil, nil
			return
		}
		q := p.path(false)
		set.Guards, _ = q.Reader.BindGuards(t.Set.Guards, q.Reader.SetBinder(t), t.At)
		if len(set.Guards) != len(t.Set.Guards) {
			set.Value, set.Guards = nil, nil
		}
	}
}
