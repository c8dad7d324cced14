package program

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A Target is what a call runs.
type Target struct {
	API  string        // the name in btapi of a call whose meaning is known
	Fn   *ssa.Function // a function with a body in this package
	Obj  *types.Func   // a function of another package
	Args []ssa.Value   // the arguments, receiver first
	Recv *value.Value  // instead of args[0], where the receiver was resolved
}

// Signature returns the type of a function of the program.
func (t Target) Signature() *types.Signature {
	if t.Fn != nil {
		return t.Fn.Signature
	}
	return t.Obj.Signature()
}

// Generic reports whether what is given as the i-th argument, the receiver among them,
// supplies a type parameter: what is in an interface that the function makes of it has
// the type that is given.
func (t Target) Generic(i int) bool {
	if t.Fn == nil && t.Obj == nil {
		return false
	}
	sig := t.Signature()
	if sig.Recv() != nil {
		i--
	}
	if i < 0 || i >= sig.Params().Len() {
		return false
	}
	_, ok := types.Unalias(sig.Params().At(i).Type()).(*types.TypeParam)
	return ok
}

// ArgumentExpr returns the expression of the i-th argument of a call at an instruction,
// receiver first, or nil where it is not written.
func (t Target) ArgumentExpr(call *ast.CallExpr, at ssa.Instruction, i int) ast.Expr {
	instr, ok := at.(ssa.CallInstruction)
	if !ok || call == nil {
		return nil
	}
	n := len(t.Args)
	if t.Recv != nil {
		n++
	}
	if n > instr.Common().Signature().Params().Len() { // the receiver stands before the name
		if i == 0 {
			if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
				return sel.X
			}
			return nil
		}
		i--
	}
	if i < len(call.Args) {
		return call.Args[i]
	}
	return nil
}

// Target finds what a call runs as far as its instruction tells; false when
// only values can tell.
func (p *Program) Target(common *ssa.CallCommon) (Target, bool) {
	if common.IsInvoke() {
		args := append([]ssa.Value{common.Value}, common.Args...)
		if name := btapi.ShapeOf(common.Method); name != "" {
			return Target{API: name, Args: args}, true
		}
		if name := btapi.Func(common.Method); name != "" {
			return Target{API: name, Args: args}, true
		}
		if t, generic := types.Unalias(common.Value.Type()).(*types.TypeParam); generic && !p.constrains(t) {
			return Target{Args: args}, false // the caller says of which type it is
		}
		if fn := p.Behind.implementation(common); fn != nil {
			return p.FunctionTarget(fn, args), true
		}
		if p.Behind.importedMethod(common) {
			return Target{Obj: common.Method, Args: args}, true
		}
		if name := p.opener(common); name != "" {
			return Target{API: name, Args: args}, true
		}
		return Target{Args: args}, false
	}
	args := common.Args
	callee := common.StaticCallee()
	if callee == nil {
		return Target{Args: args}, false
	}
	if mc, ok := common.Value.(*ssa.MakeClosure); ok && kind.IsBound(callee) {
		args = append(append([]ssa.Value{}, mc.Bindings...), args...)
	}
	return p.FunctionTarget(callee, args), true
}

// Given lists what the calls in view give for a parameter, those of tests aside where the
// function is not one of theirs.
func (p *Program) Given(param *ssa.Parameter) (out []ssa.Value) {
	fn := kind.Origin(param.Parent())
	for _, call := range p.Callers[fn] {
		args := call.Common().Args
		i := len(args) - len(fn.Params) + kind.ParamIndex(param) // the receiver may not be among them
		if i >= 0 && i < len(args) && (p.IsTest(fn.Pos()) || !p.IsTest(call.Pos())) {
			out = append(out, args[i])
		}
	}
	return out
}

// FunctionTarget finds what a function is: one of the client's, one of this
// package, or another.
func (p *Program) FunctionTarget(fn *ssa.Function, args []ssa.Value) Target {
	obj := kind.Object(fn)
	if name := p.apiName(obj); name != "" {
		return Target{API: name, Args: args}
	}
	if fn.Synthetic != "" && obj != nil {
		// A bound method, a thunk or an instance: what it stands for.
		if decl := p.Pkg.Prog.FuncValue(obj); decl != nil {
			fn = decl
		}
	}
	fn = kind.Origin(fn)
	if p.HasBody(fn) {
		return Target{Fn: fn, Args: args}
	}
	return Target{Obj: obj, Args: args}
}

// MethodTarget finds what a method is, of this package or another.
func (p *Program) MethodTarget(m *types.Func, args []ssa.Value) Target {
	if fn := p.Pkg.Prog.FuncValue(m); fn != nil {
		return p.FunctionTarget(fn, args)
	}
	if name := p.apiName(m.Origin()); name != "" {
		return Target{API: name, Args: args}
	}
	return Target{Obj: m.Origin(), Args: args}
}

// apiName returns the name in btapi of one of the client's functions; "" of
// others.
func (p *Program) apiName(obj *types.Func) string {
	name, ok := p.apiNames[obj]
	if !ok {
		if name = btapi.Func(obj); name != "" {
			name = kind.Canonical(name, obj)
		} else if kind.OfInterface(obj) {
			name = btapi.ShapeOf(obj) // the value of an interface's method
		}
		p.apiNames[obj] = name
	}
	return name
}

// constrains reports whether a type parameter is constrained by an interface
// of this package.
func (p *Program) constrains(t *types.TypeParam) bool {
	named, ok := types.Unalias(t.Constraint()).(*types.Named)
	return ok && named.Obj().Pkg() == p.Pass.Pkg
}
