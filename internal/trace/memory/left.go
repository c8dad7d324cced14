package memory

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// What a function stores by way of a pointer that it is given is what is there when it returns:
// over its parameters, and together with its results.

// Leaves resolves what a function leaves where a parameter points to when it returns.
func (p *Reader) Leaves(param *ssa.Parameter, ret *ssa.Return) *value.Value {
	place := p.p.Prog.Heap().Place(param)
	for _, call := range p.p.Prog.Calls[ret.Parent()] {
		if d, ok := call.(*ssa.Defer); ok && place.Written(d) {
			return value.UnknownFor("what a deferred call stores")
		}
	}
	return p.Load(param, ret)
}

// left returns what a call leaves where one of its arguments points to.
func (p *Reader) left(at ssa.Instruction, param int) *value.Value {
	call, ok := at.(*ssa.Call)
	turn := leftBefore{call, param}
	if !ok || p.leaving[turn] { // or what the call has left the time before
		return value.UnknownFor(writtenByCall)
	}
	p.leaving[turn] = true
	defer delete(p.leaving, turn)
	return p.settle.Left(call, param)
}

// A leftBefore is what a call leaves where an argument points to, which may hang on what was
// there before.
type leftBefore struct {
	call  *ssa.Call
	param int
}

// A setBefore is a field that a call sets, with what it was before.
type setBefore struct {
	object *ssa.Alloc
	call   ssa.Instruction
	field  int
}

// setValue resolves what the part at path of a holds after a call that is
// given its address.
func (p *Reader) setValue(a *ssa.Alloc, s SetByCall, path kind.PathTo) *value.Value {
	if s.Set == nil {
		return value.UnknownFor("what a call stores")
	}
	t, set := *s.Set, s.Set.Set
	if set != nil && set.Field == whole {
		v := p.left(s.Call, set.Param)
		return p.part(v, kind.TypeAt(kind.Deref(a.Type()), s.Prefix), path[len(s.Prefix):])
	}
	if set == nil {
		set = &summary.FieldSet{Field: t.Field}
	}
	if set.Value == nil && !strings.Contains(t.Field, ".") { // else a field in it is not known
		return value.UnknownFor("what a call stores")
	}
	if c := counts(set); c != nil {
		return c
	}
	field := kind.StructField(kind.Deref(a.Type()), path[0])
	// In a loop what was there before the call is what the call before has left.
	turn := setBefore{a, s.Call, path[0]}
	if p.setting[turn] {
		return kind.UnknownOf(field.Type(), way.Itself)
	}
	before := &value.Value{Kind: value.Struct, Lazy: func(string) *value.Value {
		p.setting[turn] = true
		defer delete(p.setting, turn)
		return p.loadAlloc(a, path[:1], s.Call)
	}}
	after := p.withSet(before, *set, t.At, t.Fn, p.SetBinder(t))
	v := value.FieldOf(after, "."+field.Name(), kind.ClassOf(field.Type()))
	return p.part(v, field.Type(), path[1:])
}
