package program

import "go/types"

// Channels are a program with what is known of its channels.
type Channels struct {
	Prog *Program

	mailboxes map[*types.Var]bool // whether a field holds nothing but channels of its objects' own
}

// Of returns the channels of a program.
func Of(p *Program) *Channels {
	return &Channels{Prog: p, mailboxes: map[*types.Var]bool{}}
}
