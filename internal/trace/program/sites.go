package program

import (
	"fmt"
	"go/token"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Resited tells apart what a call made by way of sites in its callee, so that
// two calls make two objects. callee is nil for a function of another
// package.
func (t *Sites) Resited(v *value.Value, call ssa.Instruction, callee *ssa.Function) *value.Value {
	args := v.Each(func(a *value.Value) *value.Value { return t.Resited(a, call, callee) })
	if n := len(v.Args); v.Kind == value.Call && kind.Makers[v.Name] && n > 0 && madeIn(v.Site, callee) {
		if args == nil {
			args = slices.Clone(v.Args)
		}
		args[n-1] = value.StrOf(t.Site(CallSite{call, args[n-1].Name, callee == nil}))
	}
	if args == nil {
		return v
	}
	c := *v
	c.Args = args
	if kind.Makers[v.Name] {
		c.Site = call
	}
	return &c
}

// madeIn reports whether a site is one of the callee's: what a function
// literal does to its function's mutation is no new mutation.
func madeIn(site any, callee *ssa.Function) bool {
	var in *ssa.Function
	switch site := site.(type) {
	case ssa.Instruction:
		in = site.Parent()
	case *ssa.Function: // a literal
		in = site.Parent()
	}
	return callee == nil || in == nil || in == callee || kind.Within(in, callee)
}

// Sites are the places where mutations and rows come to be, so that values
// which look alike are told apart. The identity of what comes to be there is
// the place in the source, with its package, behind the calls that lead to
// it: it means the same in every package that learns of it.
type Sites struct {
	pass   *analysis.Pass
	graphs *control.Graphs
	ids    map[any]string
	Parent map[string]string // of a site made by a call: the site in the callee
}

func newSites(pass *analysis.Pass, graphs *control.Graphs) *Sites {
	return &Sites{pass, graphs, map[any]string{}, map[string]string{}}
}

// A CallSite is what a call makes by way of a site in its callee.
type CallSite struct {
	Call    ssa.Instruction
	ID      string
	Foreign bool // the site is one of another package, whose findings it keeps to itself
}

// Site returns the identity of what is made at a site: an instruction, a [CallSite],
// a function literal.
func (t *Sites) Site(key any) string {
	id, ok := t.ids[key]
	if ok {
		return id
	}
	switch site := key.(type) {
	case CallSite:
		id = t.Site(site.Call) + ">" + site.ID
		if !site.Foreign {
			t.Parent[id] = site.ID
		}
	case ssa.Instruction:
		id = t.place(site)
	case *ssa.Function:
		id = t.placeOf(site.Pos())
	}
	t.ids[key] = id
	return id
}

// place names an instruction by where it stands, whatever the directory in
// which the source lies.
func (t *Sites) place(instr ssa.Instruction) string {
	if !instr.Pos().IsValid() {
		return fmt.Sprintf("%s:%s:%d:%d", t.pass.Pkg.Path(), instr.Parent(), instr.Block().Index, t.graphs.IndexOf(instr))
	}
	return t.placeOf(instr.Pos())
}

func (t *Sites) placeOf(pos token.Pos) string {
	at := t.pass.Fset.PositionFor(pos, false)
	return fmt.Sprintf("%s/%s:%d:%d", t.pass.Pkg.Path(), filepath.Base(at.Filename), at.Line, at.Column)
}

// Known returns the identity of what is made at a site, "" where nobody has asked for
// it before.
func (t *Sites) Known(key any) string { return t.ids[key] }
