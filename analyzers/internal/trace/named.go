package trace

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// Named returns a value with its parameters under their names, for people to
// read.
func Named(v *value.Value) *value.Value {
	return v.Subst(func(leaf *value.Value) *value.Value {
		fn, ok := leaf.Site.(*ssa.Function)
		if !ok || leaf.Kind != value.Param || int(leaf.Num) >= len(fn.Params) {
			return nil
		}
		name := fn.Params[leaf.Num].Name()
		if name == "" {
			name = "_"
		}
		return &value.Value{Kind: value.Global, Name: name, Class: leaf.Class}
	})
}
