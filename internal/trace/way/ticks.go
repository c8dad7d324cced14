package way

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// tick resolves what comes out of a channel of package time: the time at which
// it is sent. It returns nil for other channels.
func tick(ch ssa.Value) *value.Value {
	ticks := false
	switch ch := ch.(type) {
	case *ssa.UnOp: // the field C of a Ticker or a Timer
		if fa, ok := ch.X.(*ssa.FieldAddr); ok {
			f := kind.FieldOf(fa)
			ticks = f != nil && btapi.Ticks(f)
		}
	case *ssa.Call:
		fn := kind.CalledFunc(&ch.Call)
		ticks = fn != nil && btapi.Ticks(fn)
	}
	if !ticks {
		return nil
	}
	r := value.UnknownFor("the time that a timer sends")
	r.Class = value.Time
	return &value.Value{Kind: value.Call, Name: value.Clock, Args: []*value.Value{r}, Class: value.Time}
}
