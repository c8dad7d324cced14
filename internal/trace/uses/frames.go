package uses

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// A frame is a call by which what is followed has come into a function. What one call of
// a helper gives beside a cell — a function, a checker, another time — is no matter of
// another call, and what the helper returns goes back to the one it was given by. Where
// there is no frame, it may be any call.
type frame struct {
	entry
	args  []ssa.Value // for the parameters of fn; nil where one is not given by the call
	depth int
}

// An entry tells frames apart.
type entry struct {
	call   ssa.CallInstruction // nil of whoever calls a method of an object
	fn     *ssa.Function
	caller *frame // in which the call stands
	made   *frame // in which fn was made, if it is a literal
}

// maxFrames bounds the calls that are told apart one within the other.
const maxFrames = 5

// enter returns the frame of a call that stands in the frame of what is followed.
func (w *forward) enter(call ssa.CallInstruction, t program.Target, made *frame) *frame {
	return w.frame(entry{call, t.Fn, w.at.in, made}, argumentsOf(t))
}

// argumentsOf returns what a target is given, receiver first; nil where the receiver is
// known by its value.
func argumentsOf(t program.Target) []ssa.Value {
	if t.Recv != nil {
		return append([]ssa.Value{nil}, t.Args...)
	}
	return t.Args
}

// frame returns the frame of an entry; nil of a recursion, and where too many are one
// within the other.
func (w *forward) frame(e entry, args []ssa.Value) *frame {
	depth := 1
	for _, outer := range []*frame{e.caller, e.made} {
		if outer != nil {
			depth = max(depth, outer.depth+1)
		}
	}
	for x := e.caller; x != nil; x = x.caller {
		if x.fn == e.fn {
			return nil
		}
	}
	if depth > maxFrames {
		return nil
	}
	f := w.frames[e]
	if f == nil {
		f = &frame{e, args, depth}
		w.frames[e] = f
	}
	return f
}

// of returns the frame of those around in whose function a value stands.
func (in *frame) of(v ssa.Value) *frame {
	fn := v.Parent()
	if fn == nil {
		return nil
	}
	for x := in; x != nil; x = x.made {
		for f := fn; f != nil; f = f.Parent() {
			if kind.Origin(f) == x.fn {
				return x
			}
		}
	}
	return nil
}

// argument returns what a frame's call gives for a parameter, and the frame of that;
// nil where that is not known.
func (in *frame) argument(param *ssa.Parameter) (ssa.Value, *frame) {
	x, i := in.of(param), kind.ParamIndex(param)
	if x == nil || x.fn != kind.Origin(param.Parent()) || i >= len(x.args) {
		return nil, nil
	}
	return x.args[i], x.caller
}

// source goes back from a value to where it comes from: through parameters in a frame, and
// variables that are set once.
func source(p *program.Program, v ssa.Value, in *frame) (ssa.Value, *frame) {
	for range 16 {
		var from ssa.Value
		of := in
		switch v := v.(type) {
		case *ssa.ChangeType:
			from = v.X
		case *ssa.ChangeInterface:
			from = v.X
		case *ssa.Parameter:
			from, of = in.argument(v)
		case *ssa.FreeVar:
			from = p.Binding(v)
		case *ssa.UnOp:
			if root, path := p.Address(v.X); len(path) == 0 && len(p.Stores[root]) == 1 && p.Stores[root][0].Val != ssa.Value(v) {
				from = p.Stores[root][0].Val
			}
		}
		if from == nil {
			return v, in
		}
		v, in = from, of.of(from)
	}
	return v, in
}
