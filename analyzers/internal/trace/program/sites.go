package program

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// Operations of this package, as names of calls in values.
const (
	Row   = "row"   // the row that a read returned; Args[0]: the number of the read
	Cells = "cells" // the cells of family Args[1] of row Args[0]
)

// Makers are the calls whose results are told apart by where they are made.
var Makers = map[string]bool{
	"bigtable.NewMutation":        true,
	"bigtable.NewReadModifyWrite": true,
	btapi.NewCondMutation:         true,
	Row:                           true,
}

// Root returns the number of the site at which a mutation or row was made,
// or 0.
func Root(v *value.Value) int64 {
	b := v.Base()
	if b.Kind != value.Call || !Makers[b.Name] || len(b.Args) == 0 {
		return 0
	}
	return b.Args[len(b.Args)-1].Num
}

// Resited renumbers what a call made by way of sites in its callee, so that
// two calls make two objects. callee is nil for a function of another
// package.
func (p *Program) Resited(v *value.Value, call ssa.Instruction, callee *ssa.Function) *value.Value {
	if v.Kind != value.Call && len(v.Args) == 0 {
		return v
	}
	changed := false
	args := make([]*value.Value, len(v.Args))
	for i, a := range v.Args {
		args[i] = p.Resited(a, call, callee)
		changed = changed || args[i] != a
	}
	if v.Kind == value.Call && Makers[v.Name] && len(args) > 0 && madeIn(v.Site, callee) {
		args[len(args)-1] = value.IntOf(p.Site(CallSite{call, args[len(args)-1].Num, callee == nil}))
		changed = true
	}
	if !changed {
		return v
	}
	c := *v
	c.Args = args
	if Makers[v.Name] {
		c.Site = call
	}
	return &c
}

// madeIn reports whether a site is one of the callee's: what a function
// literal does to its function's mutation is no new mutation.
func madeIn(site any, callee *ssa.Function) bool {
	instr, ok := site.(ssa.Instruction)
	return callee == nil || !ok || instr.Parent() == callee || Within(instr.Parent(), callee)
}

// Sites numbers the places where mutations and rows come to be, so
// that values which look alike are told apart.
type Sites struct {
	ids    map[any]int64
	Parent map[int64]int64 // of a site made by a call: the site in the callee
}

// A CallSite is what a call makes by way of a site in its callee.
type CallSite struct {
	Call    ssa.Instruction
	ID      int64
	Foreign bool // the site is one of another package, which numbers its own
}

// Site returns the number of a site.
func (p *Program) Site(key any) int64 {
	t := &p.Sites
	if t.ids == nil {
		t.ids, t.Parent = map[any]int64{}, map[int64]int64{}
	}
	id, ok := t.ids[key]
	if !ok {
		id = int64(len(t.ids)) + 1
		t.ids[key] = id
		if cs, ok := key.(CallSite); ok && !cs.Foreign {
			t.Parent[id] = cs.ID
		}
	}
	return id
}
