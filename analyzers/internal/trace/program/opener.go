package program

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
)

// opener returns the client's call that a call of an interface's method stands
// for which opens tables as *bigtable.Client does; "" where it is another, and
// where a type of this package says under which name it opens them.
func (p *Program) opener(common *ssa.CallCommon) string {
	name := btapi.OpenerOf(common.Method)
	if name == "" {
		return ""
	}
	if fns, complete := p.LocalMethods(common); len(fns) > 0 || !complete {
		return ""
	}
	return name
}
