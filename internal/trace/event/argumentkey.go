package event

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// ArgumentKey returns a text that is the same for all events that are given the same
// as e is, by [Event.SameArgument], as their i-th argument; "" where that is false of
// any. Events are looked up by it, rather than each compared with all others.
func (e *Event) ArgumentKey(i int) string {
	if e.Depth > 0 || e.Target.Recv != nil || i >= len(e.Target.Args) || e.Target.Args[i] == nil {
		return ""
	}
	return fmt.Sprintf("%p %s", e.In, reckoning(e.Target.Args[i], maxAlike))
}

// maxAlike is how deeply SameArgument looks into how values are reckoned.
const maxAlike = 6

// reckoning returns a text that two values share which are reckoned alike.
func reckoning(v ssa.Value, depth int) string {
	if depth == 0 {
		return "…"
	}
	key := func(v ssa.Value) string { return reckoning(v, depth-1) }
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value != nil {
			return v.Value.ExactString()
		}
	case *ssa.BinOp:
		return "(" + key(v.X) + v.Op.String() + key(v.Y) + ")"
	case *ssa.Convert:
		return "convert " + key(v.X)
	case *ssa.ChangeType:
		return "type " + key(v.X)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return "*" + key(v.X)
		}
	case *ssa.FieldAddr:
		return fmt.Sprint(key(v.X), ".", v.Field)
	case *ssa.Field:
		return fmt.Sprint(key(v.X), ":", v.Field)
	case *ssa.IndexAddr:
		return key(v.X) + "[" + key(v.Index) + "]"
	case *ssa.Call:
		if fn := kind.CalledFunc(&v.Call); fn != nil {
			text := fn.FullName() + "("
			for _, a := range v.Call.Args {
				text += key(a) + ","
			}
			return text + ")"
		}
	}
	return fmt.Sprintf("%p", v)
}
