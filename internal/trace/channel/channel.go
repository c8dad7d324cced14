package channel

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// Channels are a program with what is known of its channels.
type Channels struct {
	*program.Program

	mailboxes map[*types.Var]bool             // whether a field holds nothing but channels of its objects' own
	beside    map[*ssa.Alloc][]*ssa.Parameter // see [Channels.Beside]
}

// Of returns the channels of a program.
func Of(p *program.Program) *Channels {
	return &Channels{Program: p, mailboxes: map[*types.Var]bool{}, beside: map[*ssa.Alloc][]*ssa.Parameter{}}
}
