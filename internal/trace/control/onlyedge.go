package control

import "golang.org/x/tools/go/ssa"

// OnlyEdge returns the edge by which alone what a call makes gets anywhere, in the
// function that makes it: into a variable that other ways set to something
// else. Without an edge from is the block in which alone it is used, behind a branch.
// Both are nil where that is not known. groups reports of a call that
// what is given to it, as the elements of a list, too, becomes part of its result.
func OnlyEdge(made *ssa.Call, groups func(*ssa.Call) bool) (from, to *ssa.BasicBlock) {
	v := made
	for range maxReaches {
		switch r := onlyUse(v).(type) {
		case *ssa.Phi:
			for i, edge := range r.Edges {
				switch {
				case edge != v:
				case from != nil || r.Block().Dominates(made.Block()):
					return nil, nil
				default:
					from, to = r.Block().Preds[i], r.Block()
				}
			}
			return from, to
		case *ssa.Store:
			element, ok := r.Addr.(*ssa.IndexAddr)
			if !ok || r.Val != ssa.Value(v) {
				return nil, nil
			}
			if v = listedIn(element); v == nil || !groups(v) {
				return nil, nil
			}
		case *ssa.Call:
			if v = r; !groups(v) {
				return nil, nil
			}
		default:
			if b := usedIn(v); b != nil && b != made.Block() && made.Block().Dominates(b) {
				return b, nil
			}
			return nil, nil
		}
	}
	return nil, nil
}

// usedIn returns the block in which a value is used, if that is one.
func usedIn(v ssa.Value) (in *ssa.BasicBlock) {
	for _, r := range *v.Referrers() {
		if _, ok := r.(*ssa.DebugRef); ok {
			continue
		}
		if _, phi := r.(*ssa.Phi); phi || in != nil && in != r.Block() {
			return nil
		}
		in = r.Block()
	}
	return in
}

// listedIn returns the call to which a list is given that is made for it.
func listedIn(element *ssa.IndexAddr) *ssa.Call {
	list, ok := element.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	for _, r := range *list.Referrers() {
		if s, ok := r.(*ssa.Slice); ok {
			call, _ := onlyUse(s).(*ssa.Call)
			return call
		}
	}
	return nil
}

// onlyUse returns the instruction that alone uses a value, or nil.
func onlyUse(v ssa.Value) ssa.Instruction {
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
