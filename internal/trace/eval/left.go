package eval

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Left implements [memory.Settler]: what a call leaves where its argument points to goes
// with what it returns.
func (p *Settler) Left(v *ssa.Call, param int) *value.Value { return p.path.left(v, param) }

func (p *Path) left(v *ssa.Call, param int) *value.Value {
	unknown := value.UnknownFor("what a call stores")
	t, ok := p.p.Prog.Target(&v.Call)
	if !ok {
		return unknown
	}
	var cases []summary.ResultCase
	if t.Fn != nil {
		cases = p.p.ResultsOf(t.Fn)
		p.Way.Blocked = p.Way.Blocked || p.p.unresolved(t.Fn)
	} else if s := p.p.Prog.Imported(t.Obj); s != nil {
		cases = s.Results.Cases()
	}
	args := p.Reader.Arguments(t, v)
	bind := args.Binder(t.Fn)
	binding := p.Reader.Binding(bind, v)
	open, hangs := openCases(cases, binding)
	// What comes from outside is not known, even where it has a default.
	outside := slices.ContainsFunc(open, func(c summary.ResultCase) bool {
		left := c.Left(param)
		return left == nil || left.Base().Kind == value.Unknown
	})
	if len(open) == 0 || hangs || len(open) > 1 && !p.Way.Chose(v) && (outside || p.Way.Frozen()) {
		return unknown
	}
	if len(open) > 1 && v.Call.Signature().Results().Len() > 0 {
		p.Way.Eval(v, v) // what a condition asks of it goes with that
	}
	raw := p.choose(open, binding, t, v, t.Fn).Left(param)
	if raw == nil {
		return unknown
	}
	if p.p.Prog.IsTest(v.Pos()) {
		raw = p.WithoutTestClocks(raw, bind, v)
	}
	r := p.Settler.Settle(p.p.Prog.Sites.Resited(raw, v, t.Fn).Subst(bind), v)
	return p.p.Clocks.Readings(r, t, args)
}

// StoredAt implements [memory.Valuer].
func (p *Evaluator) StoredAt(at ssa.Instruction, addr ssa.Value, param int) (cases [][2]*value.Value, all bool) {
	all = p.Explore(false, MaxRuns, func(q *Path) []*value.Value {
		if s, ok := at.(*ssa.Store); ok {
			return []*value.Value{q.Way.Eval(addr, at), q.Settler.Force(q.Way.Eval(s.Val, s), 4)}
		}
		return []*value.Value{q.Way.Eval(addr, at), q.Settler.Force(q.left(at.(*ssa.Call), param), 4)}
	}, func(_ *Path, vs []*value.Value) {
		cases = append(cases, [2]*value.Value{vs[0], vs[1]})
	})
	return cases, all
}
