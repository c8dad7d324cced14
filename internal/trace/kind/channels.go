package kind

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/value"
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

// IsPlain reports whether a type is a whole number or a text of nobody's own, which may
// become a sequence number, or name a family, or a time or duration.
func IsPlain(t types.Type) bool {
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsString) != 0 || ClassOf(t) == value.Time || ClassOf(t) == value.Duration
}
