package eval

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// maxGiven bounds the functions that hand an object on, one to the other.
const maxGiven = 3

// given finds what a call of an interface's method runs on an object that a
// function is given, a constructor say, where all the calls of that function in
// view agree: the method of one type. Those that give it something else, which
// is never known to reach the client, do not count; nor do tests, which give
// fakes.
func (p *Evaluator) given(call ssa.CallInstruction) []program.Target {
	var found []program.Target
	p.Explore(true, maxTargets, func(q *Path) []*value.Value {
		for _, v := range q.objects(q.Way.Eval(call.Common().Value, call), maxGiven, nil) {
			m := p.Prog.Names.MethodOf(v, call.Common().Method)
			if m == nil {
				continue
			}
			t := p.Prog.MethodTarget(m, append([]ssa.Value{call.Common().Value}, call.Common().Args...))
			if s := p.Prog.Imported(t.Obj); t.Fn == nil && (s == nil || len(s.Effects) == 0) {
				continue
			}
			if len(found) == 0 || found[0].Fn != t.Fn || found[0].Obj != t.Obj {
				found = append(found, t)
			}
		}
		return nil
	}, func(*Path, []*value.Value) {})
	if len(found) > 1 {
		return nil
	}
	return found
}

// handler finds what a call runs of a function that its own is given, or of one in
// a field of what that is given, where all the calls in view hand over the same:
// the handler of a loop. Where they hand over several, or what is not known, that
// is judged at each of those calls.
func (p *Evaluator) handler(call ssa.CallInstruction) []program.Target {
	var found []program.Target
	open := false
	complete := p.Explore(true, maxTargets, func(q *Path) []*value.Value {
		given := q.Way.Eval(call.Common().Value, call)
		for _, v := range q.objects(given, maxGiven, calledElsewhere) {
			if v.Base().Kind == value.Nil {
				continue // nobody calls it
			}
			t, ok := p.runs(v.Base().Function(), call.Common().Args)
			open = open || !ok
			if len(found) == 0 || found[0].Fn != t.Fn || found[0].Obj != t.Obj || found[0].API != t.API {
				found = append(found, t)
			}
		}
		return nil
	}, func(*Path, []*value.Value) {})
	if open || !complete || len(found) != 1 {
		return nil
	}
	return found
}

// calledElsewhere reports whether a function may be called by other packages, which
// hand over anything.
func calledElsewhere(fn *ssa.Function) bool {
	if recv := kind.Receiver(kind.Object(fn)); recv != nil {
		named, ok := types.Unalias(kind.Deref(recv)).(*types.Named)
		return ast.IsExported(fn.Name()) && ok && named.Obj().Exported()
	}
	return ast.IsExported(fn.Name())
}

// objects returns what the calls in view put in the place of a value that hangs
// on a parameter, unless the function is one whose parameters they leave open.
func (p *Path) objects(v *value.Value, depth int, open func(*ssa.Function) bool) []*value.Value {
	fn := p.giver(v)
	if fn == nil || depth == 0 || p.p.Prog.Taken[fn] || open != nil && open(fn) {
		return []*value.Value{v}
	}
	var out []*value.Value
	for _, call := range p.p.Prog.Callers[fn] {
		t, ok := p.p.Prog.Target(call.Common())
		if !ok || t.Fn != fn || p.p.Prog.IsTest(call.Pos()) {
			continue
		}
		guards, when := p.Way.Guards, p.Way.When
		bound := p.Settler.Settle(v.Subst(p.Reader.Arguments(t, call).Binder(fn)), call)
		p.Way.Guards, p.Way.When = guards, when // of the other call, not of this one
		out = append(out, p.objects(bound, depth-1, open)...)
	}
	return out
}

// giver returns the function on whose parameter a value hangs: itself, or as a
// field of what it is given; nil where there is none.
func (p *Path) giver(v *value.Value) *ssa.Function {
	b := v.Base()
	for b.Kind == value.Field {
		b = b.Args[0].Base()
	}
	fn, ok := b.Site.(*ssa.Function)
	if !ok || b.Kind != value.Param || kind.Object(fn) == nil {
		return nil
	}
	return fn
}
