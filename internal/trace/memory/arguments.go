package memory

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Argument resolves an argument, with its expression where the value has
// none.
func (p *Reader) Argument(a ssa.Value, at ssa.Instruction) *value.Value {
	if sent := way.Sent(p.Way, a); sent != nil {
		return sent
	}
	return p.modified(a, p.Way.Eval(a, at), nil, at)
}

// Arguments are those of a call, receiver first. Each is resolved when it is
// asked for: most, such as contexts, nobody asks for.
type Arguments struct {
	path   *Reader
	target program.Target
	at     ssa.Instruction
	values []*value.Value
}

// Arguments returns the arguments of a call.
func (p *Reader) Arguments(t program.Target, at ssa.Instruction) *Arguments {
	n := len(t.Args)
	if t.Recv != nil {
		n++
	}
	return &Arguments{p, t, at, make([]*value.Value, n)}
}

// At returns the i-th argument, or nil where there are fewer; from
// [value.FirstType] on, what the call supplies for type parameters.
func (a *Arguments) At(i int) *value.Value {
	if i >= value.FirstType {
		call, ok := a.at.(ssa.CallInstruction)
		if !ok {
			return nil
		}
		return a.path.p.Prog.TypeArgument(call, i-value.FirstType)
	}
	if i >= len(a.values) {
		return nil
	}
	if a.values[i] == nil {
		a.values[i] = a.resolve(i)
	}
	return a.values[i]
}

func (a *Arguments) resolve(i int) *value.Value {
	given := i
	if a.target.Recv != nil {
		if i == 0 {
			if call, ok := a.at.(ssa.CallInstruction); ok && call.Common().IsInvoke() {
				return a.path.asNow(call.Common().Value, a.target.Recv, a.at)
			}
			if fn := a.target.Fn; fn != nil && kind.IsPointer(fn.Params[0].Type()) {
				return a.path.current(a.target.Recv, a.at)
			}
			return a.target.Recv
		}
		i--
	}
	arg := a.target.Args[i]
	v := a.path.Argument(arg, a.at)
	if a.target.Generic(i) && !types.IsInterface(arg.Type()) {
		v = v.OfType(kind.DynamicKey(arg.Type()))
	}
	if call, ok := a.at.(ssa.CallInstruction); ok && v.Kind == value.Str && v.Expr == nil {
		// What stands beside a name, and where, is asked of where it is written.
		v = v.At(a.target.ArgumentExpr(a.path.p.Prog.Syntax.Calls[call.Common().Pos()], a.at, given))
	}
	return v
}

// All returns all arguments.
func (a *Arguments) All() []*value.Value {
	for i := range a.values {
		a.At(i)
	}
	return a.values
}

// Binder puts the arguments in the place of a function's parameters. site is
// the function, nil for one of another package.
func (a *Arguments) Binder(site *ssa.Function) func(*value.Value) *value.Value {
	return func(leaf *value.Value) *value.Value {
		if !binds(leaf, site) {
			return nil
		}
		return a.At(int(leaf.Num))
	}
}

// Binder puts args in the place of a function's parameters. site is the
// function, nil for one of another package.
func Binder(args []*value.Value, site *ssa.Function) func(*value.Value) *value.Value {
	return func(leaf *value.Value) *value.Value {
		if int(leaf.Num) >= len(args) || !binds(leaf, site) {
			return nil
		}
		return args[leaf.Num]
	}
}

// binds reports whether a leaf is a parameter of the function.
func binds(leaf *value.Value, site *ssa.Function) bool {
	if leaf.Kind != value.Param {
		return false
	}
	if site == nil {
		return leaf.Site == nil
	}
	return leaf.Site == any(site)
}
