package program

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Channels are a program with what is known of its channels.
type Channels struct {
	Prog *Program

	mailboxes map[*types.Var]bool             // whether a field holds nothing but channels of its objects' own
	beside    map[*ssa.Alloc][]*ssa.Parameter // see [Channels.Beside]
}

// Of returns the channels of a program.
func Of(p *Program) *Channels {
	return &Channels{Prog: p, mailboxes: map[*types.Var]bool{}, beside: map[*ssa.Alloc][]*ssa.Parameter{}}
}
