package program

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
)

// indexRows records which function literals are callbacks of ReadRows: each is given the
// rows of a read.
func (x *indexer) indexRows(call ssa.CallInstruction) {
	t, ok := x.p.Target(call.Common())
	if !ok || t.API != btapi.ReadRows || len(t.Args) < 4 {
		return
	}
	switch f := t.Args[3].(type) {
	case *ssa.MakeClosure:
		x.p.RowParams[f.Fn.(*ssa.Function)] = call
	case *ssa.Function:
		if f.Parent() != nil {
			x.p.RowParams[f] = call
		}
	}
}
