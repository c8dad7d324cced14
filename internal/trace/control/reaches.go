package control

import "golang.org/x/tools/go/ssa"

// maxReaches bounds the uses of an object that are followed.
const maxReaches = 32

// Reaches returns the block that control passes through, in the function that
// makes an object, before the object gets anywhere: before it is given to a
// call that is not one of its own methods, stored or returned. It is nil where
// that is not known. wraps reports of a call that its result stands for the
// object from there on.
func Reaches(made ssa.Value, wraps func(*ssa.Call) bool) *ssa.BasicBlock {
	var out *ssa.BasicBlock
	known := true
	n := 0
	seen := map[ssa.Value]bool{}
	var follow func(v ssa.Value)
	follow = func(v ssa.Value) {
		if seen[v] || v.Referrers() == nil {
			return
		}
		seen[v] = true
		for _, r := range *v.Referrers() {
			if n++; n > maxReaches || !known {
				known = false
				return
			}
			switch r := r.(type) {
			case *ssa.DebugRef:
				continue
			case *ssa.Phi:
				follow(r)
				continue
			case *ssa.Call:
				if isReceiver(r, v) {
					continue
				}
				if wraps(r) {
					follow(r)
					continue
				}
			}
			if r.Parent() != made.Parent() {
				known = false
				return
			}
			if out = commonDominator(out, r.Block()); out == nil {
				known = false
			}
		}
	}
	if made.Parent() == nil {
		return nil
	}
	follow(made)
	if !known {
		return nil
	}
	return out
}

// isReceiver reports whether a call is one of v's methods, and takes v as
// nothing else.
func isReceiver(call *ssa.Call, v ssa.Value) bool {
	callee := call.Call.StaticCallee()
	if callee == nil || callee.Signature.Recv() == nil || len(call.Call.Args) == 0 || call.Call.Args[0] != v {
		return false
	}
	for _, a := range call.Call.Args[1:] {
		if a == v {
			return false
		}
	}
	return callee.Signature.Results().Len() == 0
}

// commonDominator returns the last block through which control passes on the
// way to either; a may be nil.
func commonDominator(a, b *ssa.BasicBlock) *ssa.BasicBlock {
	if a == nil {
		return b
	}
	for a != nil && !a.Dominates(b) {
		a = a.Idom()
	}
	return a
}
