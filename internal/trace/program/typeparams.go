package program

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A generic function asks the type that it is given for names, by the methods of a
// zero value: var z T; z.Family(). Its type parameters are parameters, from
// [value.FirstType] on.

// indexTypes records whose the type parameters of a function are.
func (x *indexer) indexTypes(fn *ssa.Function) {
	for _, list := range []*types.TypeParamList{fn.Signature.RecvTypeParams(), fn.Signature.TypeParams()} {
		for i := range list.Len() {
			x.p.typeParams[list.At(i)] = fn
		}
	}
}

// ZeroOf returns the zero value of a type: of a type parameter with methods, or of
// what it points to, the parameter.
func (p *Program) ZeroOf(t types.Type) *value.Value {
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok && hasMethods(tp) {
		return p.TypeParam(tp)
	}
	return kind.ZeroOf(t)
}

// TypeParam returns a type parameter as a value.
func (p *Program) TypeParam(tp *types.TypeParam) *value.Value {
	fn := p.typeParams[tp]
	if fn == nil {
		return kind.ZeroOf(tp)
	}
	return &value.Value{Kind: value.Param, Num: int64(value.FirstType + tp.Index()), Site: fn}
}

func hasMethods(tp *types.TypeParam) bool {
	u, ok := tp.Constraint().Underlying().(*types.Interface)
	return ok && u.NumMethods() > 0
}

// TypeArgument returns the zero value of the i-th type that a call supplies.
func (p *Program) TypeArgument(call ssa.CallInstruction, i int) *value.Value {
	callee := call.Common().StaticCallee()
	if callee == nil || i >= len(callee.TypeArgs()) {
		return value.UnknownFor("a type that a call supplies")
	}
	t := callee.TypeArgs()[i]
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok {
		return p.TypeParam(tp)
	}
	named, ok := types.Unalias(kind.Deref(t)).(*types.Named)
	if ok && named.TypeArgs().Len() == 0 && kind.ClassOf(t) == value.NoClass && (named.NumMethods() > 0 || kind.IsStruct(named)) {
		return (&value.Value{Kind: value.Struct, Name: kind.TypeKey(named)}).OfType(kind.DynamicKey(t))
	}
	return kind.ZeroOf(t).OfType(kind.DynamicKey(t))
}
