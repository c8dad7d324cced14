package kind

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// ChanKey names a channel by what it carries; "" when that is nothing of
// interest.
func ChanKey(v ssa.Value) string {
	ch, ok := v.Type().Underlying().(*types.Chan)
	if !ok || !Interesting(ch.Elem(), 3) && !IsPlain(ch.Elem()) && !Generic(ch.Elem()) {
		return ""
	}
	return types.TypeString(ch.Elem(), nil)
}

// IsPlain reports whether a type is a whole number or a text of nobody's own: one that
// may become a sequence number, or name a family.
func IsPlain(t types.Type) bool {
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsString) != 0
}
