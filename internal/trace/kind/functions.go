package kind

import (
	"go/constant"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
)

func IsConst(v ssa.Value) bool {
	_, ok := v.(*ssa.Const)
	return ok
}

// IntConst returns the value of an integer constant.
func IntConst(c *ssa.Const) (int64, bool) {
	if c.Value == nil || c.Value.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(c.Value)
}

// Stripped returns v without a conversion to an interface.
func Stripped(v ssa.Value) ssa.Value {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		return mi.X
	}
	return v
}

// EditOf returns which parameter of a function literal is the mutation that it is
// given to change; false of others, and of those that are given several.
func EditOf(fn *ssa.Function) (i int, ok bool) {
	if fn.Parent() == nil {
		return 0, false
	}
	for j, param := range fn.Params {
		if t := btapi.Type(Deref(param.Type())); t == "bigtable.Mutation" || t == "bigtable.ReadModifyWrite" {
			if ok {
				return 0, false
			}
			i, ok = j, true
		}
	}
	return i, ok
}

// Within reports whether f is a function literal in g, however deep.
func Within(f, g *ssa.Function) bool {
	for f != nil {
		if f = f.Parent(); f == g && f != nil {
			return true
		}
	}
	return false
}

// Origin returns the generic function of an instance, or fn.
func Origin(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

// Outermost returns the declared function in which a literal stands.
func Outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// Returns reports whether a function returns a literal in it.
func Returns(fn, literal *ssa.Function) bool {
	for _, ret := range ReturnsOf(fn) {
		for _, r := range ret.Results {
			if converted, ok := r.(*ssa.ChangeType); ok {
				r = converted.X
			}
			if mc, ok := r.(*ssa.MakeClosure); ok && mc.Fn == literal || r == ssa.Value(literal) {
				return true
			}
		}
	}
	return false
}

// Instructions are those of a function, in order.
func Instructions(fn *ssa.Function) iter.Seq[ssa.Instruction] {
	return func(yield func(ssa.Instruction) bool) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if !yield(instr) {
					return
				}
			}
		}
	}
}

// Builtin returns the call that a value is of one of the built-in functions of those
// names, nil of others.
func Builtin(v any, names ...string) *ssa.Call {
	call, ok := v.(*ssa.Call)
	if !ok {
		return nil
	}
	if b, ok := call.Call.Value.(*ssa.Builtin); !ok || !slices.Contains(names, b.Name()) {
		return nil
	}
	return call
}

// CallOf returns the call of which a value is a result, nil of others.
func CallOf(v ssa.Value) ssa.Instruction {
	if e, ok := v.(*ssa.Extract); ok {
		v = e.Tuple
	}
	if call, ok := v.(*ssa.Call); ok {
		return call
	}
	return nil
}
