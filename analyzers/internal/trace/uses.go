package trace

import (
	"go/types"
	"slices"
	"sort"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
)

// Uses says what a program does with the rows of a read.
type Uses struct {
	Families []string // families that are looked up by name
	All      bool     // all families may be used: the row is ranged over or handed on
	Exists   bool     // the row is compared with nil or its length is asked
	Keys     bool     // the row's key is asked
	Checked  bool     // timestamps of cells are compared with a time
	Returned bool     // the row is returned to callers, which use it further
	Callback int      // rows go to the callback that is this parameter, counted from 1
	// FamilyParams are the parameters that name further families that are
	// looked up.
	FamilyParams []int
}

func (u Uses) with(v Uses) Uses {
	u.All = u.All || v.All
	u.Exists = u.Exists || v.Exists
	u.Keys = u.Keys || v.Keys
	u.Checked = u.Checked || v.Checked
	u.Returned = v.Returned
	if v.Callback != 0 {
		u.Callback = v.Callback
	}
	for _, f := range v.Families {
		u.Families = insert(u.Families, f)
	}
	return u
}

func (u *Uses) familyParam(i int) {
	if !slices.Contains(u.FamilyParams, i) {
		u.FamilyParams = append(u.FamilyParams, i)
	}
}

func insert(list []string, s string) []string {
	i := sort.SearchStrings(list, s)
	if i < len(list) && list[i] == s {
		return list
	}
	out := append(append(append([]string(nil), list[:i]...), s), list[i:]...)
	return out
}

// usesOf finds what is done with the rows of a read.
func (p *program) usesOf(call ssa.CallInstruction, t target) Uses {
	u := p.newUseFinder(call.Parent())
	switch {
	case t.api == btapi.ReadRows && t.recv == nil && len(t.args) > 3:
		u.callback(t.args[3])
	case t.api == btapi.ReadRows && t.recv != nil && len(t.args) > 2:
		u.callback(t.args[2])
	default:
		u.result(call)
	}
	return u.finish()
}

// usesOfResult finds what is done with the row that a call returns.
func (p *program) usesOfResult(call ssa.CallInstruction) Uses {
	u := p.newUseFinder(call.Parent())
	u.result(call)
	return u.finish()
}

// usesOfCallback finds what a function does with a row that a call passes to
// it: its i-th argument, receiver first.
func (p *program) usesOfCallback(call ssa.CallInstruction, t target, i int) Uses {
	if t.recv != nil {
		i--
	}
	if i < 0 || i >= len(t.args) {
		return Uses{All: true}
	}
	u := p.newUseFinder(call.Parent())
	u.callback(t.args[i])
	return u.finish()
}

// usesOfParam finds what a function of this package does with a row that it
// is given as its i-th parameter.
func (p *program) usesOfParam(fn *ssa.Function, i int) Uses {
	key := paramOf{fn, i}
	if u, ok := p.paramUses[key]; ok {
		return u
	}
	p.paramUses[key] = Uses{} // recursion adds nothing
	u := p.newUseFinder(fn)
	u.follow(fn.Params[i])
	p.paramUses[key] = u.finish()
	return p.paramUses[key]
}

// A paramOf is a parameter of a function, receiver first.
type paramOf struct {
	fn    *ssa.Function
	index int
}

// usesByCallers finds what the callers of a function do with the rows that it
// returns, or passes to the callback that they give it. Callers in other
// packages may do anything.
func (p *program) usesByCallers(fn *ssa.Function, uses Uses, depth int) Uses {
	callers := p.callers[origin(fn)]
	if len(callers) == 0 && fn.Parent() != nil && uses.Returned {
		callers = p.givenTo(fn)
	}
	if depth == 0 || len(callers) == 0 || uses.Returned && uses.Callback != 0 {
		return Uses{All: true}
	}
	var u Uses
	for _, call := range callers {
		v := Uses{All: true}
		if uses.Returned {
			v = p.usesOfResult(call)
		} else if t, ok := p.target(call.Common()); ok {
			v = p.usesOfCallback(call, t, uses.Callback-1)
		}
		if v.Returned || v.Callback != 0 {
			v = v.with(p.usesByCallers(call.Parent(), v, depth-1))
			v.Returned, v.Callback = false, 0
		}
		u = u.with(v)
	}
	return u
}

// givenTo returns the calls that are given a function literal and return what
// it may return: retry(func() (bigtable.Row, error) { … }).
func (p *program) givenTo(fn *ssa.Function) []ssa.CallInstruction {
	var literal ssa.Value = fn
	if mc := p.closures[fn]; mc != nil {
		literal = mc
	}
	var out []ssa.CallInstruction
	for _, call := range p.calls[fn.Parent()] {
		v, ok := call.(*ssa.Call)
		if !ok || !returnsRow(v.Type()) {
			continue
		}
		for _, a := range call.Common().Args {
			if ct, ok := a.(*ssa.ChangeType); ok {
				a = ct.X
			}
			if a == literal {
				out = append(out, call)
			}
		}
	}
	return out
}

func returnsRow(t types.Type) bool {
	if tuple, ok := t.(*types.Tuple); ok {
		for i := range tuple.Len() {
			if carriesRow(tuple.At(i).Type()) {
				return true
			}
		}
		return false
	}
	return carriesRow(t)
}
