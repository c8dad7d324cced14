package eval

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A function type with a method that calls it makes an interface of a function,
// as http.HandlerFunc does: clock.Func(time.Now).

// adapter returns a function that is made an interface as an object of its
// type, which holds the function; x where it is none.
func adapter(mi *ssa.MakeInterface, x *value.Value) *value.Value {
	named, ok := types.Unalias(mi.X.Type()).(*types.Named)
	if !ok || named.NumMethods() == 0 || named.TypeArgs().Len() > 0 {
		return x
	}
	sig, ok := named.Underlying().(*types.Signature)
	handles := ok && (kind.TakesWrites(sig) || kind.TakesCommands(sig) && memory.OptionType(sig) == nil)
	if !ok || !handles && (sig.Results().Len() == 0 || !memory.Meaningful(sig.Results().At(0).Type(), 3)) {
		return x
	}
	if b := x.Base(); b.Kind != value.Func && !b.HasParams() {
		return x
	}
	return &value.Value{Kind: value.Struct, Name: kind.TypeKey(named), Keys: []string{value.Adapted}, Args: []*value.Value{x}, Expr: x.Expr}
}
