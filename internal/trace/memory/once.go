package memory

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"

	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// kept returns what the stores to a package variable give it, with its
// readings of the clock marked where they are taken once.
func (p *Reader) kept(stores []program.Store, v *value.Value) *value.Value {
	if len(stores) != 1 {
		return v // something may refresh it
	}
	if marked := value.TakenOnce(v); marked != v && p.p.Prog.RunsOnce(stores[0].At.Parent()) {
		return marked
	}
	return v
}

// setOnce returns an object after a sync.Once has run the literal that sets
// one of its fields; nil where that is not what happens before at.
func (p *Reader) setOnce(obj *value.Value, field string, ts []Touch, at ssa.Instruction) *value.Value {
	if len(ts) != 1 || ts[0].Store == nil {
		return nil
	}
	call := p.p.DoneOnce(ts[0].At.Parent(), at.Parent())
	if call == nil || !p.p.Prog.Graphs.Before(call, at) {
		return nil
	}
	return value.With(obj, field, p.Way.Eval(ts[0].Store.Val, ts[0].At))
}

// DoneOnce returns the call by which a function has a sync.Once run a literal in
// it; nil where there is none.
func (p *Memory) DoneOnce(literal, in *ssa.Function) *ssa.Call {
	made := p.Prog.Closures[literal]
	if made == nil || made.Parent() != in {
		return nil
	}
	for _, r := range *made.Referrers() {
		call, ok := r.(*ssa.Call)
		if !ok {
			continue
		}
		if callee := kind.CalledFunc(&call.Call); callee != nil && kind.FuncKey(callee) == "sync.Once.Do" {
			return call
		}
	}
	return nil
}
