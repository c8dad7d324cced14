package control

import "golang.org/x/tools/go/ssa"

// maxGets bounds the places at which what a call makes gets anywhere.
const maxGets = 4

// A Get is a place at which what a call makes gets anywhere: the edge by which it gets
// into a variable that other ways set to something else, or, where To is nil, the
// block in which it is used.
type Get struct{ From, To *ssa.BasicBlock }

// Gets lists the places at which what a call makes gets anywhere, in the function that
// makes it, all of them behind a branch. It is nil where one of them is not, or where
// that is not known. groups reports of a call that what is given to it, as the elements
// of a list, too, becomes part of its result.
func Gets(made *ssa.Call, groups func(*ssa.Call) bool) (out []Get) {
	seen := map[ssa.Value]bool{}
	var follow func(v ssa.Value) bool
	add := func(g Get) bool {
		if len(out) == maxGets || g.From == made.Block() && g.To == nil || !made.Block().Dominates(g.From) {
			return false
		}
		out = append(out, g)
		return true
	}
	use := func(v ssa.Value, r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef:
			return true
		case *ssa.Phi:
			for i, edge := range r.Edges {
				if edge == v && !add(Get{r.Block().Preds[i], r.Block()}) {
					return false
				}
			}
			return true
		case *ssa.Store:
			element, ok := r.Addr.(*ssa.IndexAddr)
			if !ok || r.Val != v {
				return false
			}
			if group := listedIn(element); group != nil && groups(group) {
				return follow(group)
			}
		case *ssa.Call:
			if groups(r) {
				return follow(r)
			}
		}
		return r.Parent() == made.Parent() && add(Get{r.Block(), nil})
	}
	follow = func(v ssa.Value) bool {
		if seen[v] {
			return true
		}
		seen[v] = true
		for _, r := range *v.Referrers() {
			if !use(v, r) {
				return false
			}
		}
		return true
	}
	if !follow(made) {
		return nil
	}
	return out
}

// listedIn returns the call to which a list is given that is made for it.
func listedIn(element *ssa.IndexAddr) *ssa.Call {
	list, ok := element.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	for _, r := range *list.Referrers() {
		if s, ok := r.(*ssa.Slice); ok {
			call, _ := OnlyUse(s).(*ssa.Call)
			return call
		}
	}
	return nil
}

// OnlyUse returns the instruction that alone uses a value, or nil.
func OnlyUse(v ssa.Value) ssa.Instruction {
	var only ssa.Instruction
	for _, r := range *v.Referrers() {
		if _, ok := r.(*ssa.DebugRef); ok || r == only {
			continue
		}
		if only != nil {
			return nil
		}
		only = r
	}
	return only
}
