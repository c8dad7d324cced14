package kind

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
)

// not used then.
func Fails(r *ssa.Return) bool {
	n := len(r.Results)
	if n < 2 || !IsError(r.Results[n-1].Type()) {
		return false
	}
	switch e := r.Results[n-1].(type) {
	case *ssa.MakeInterface:
		return true
	case *ssa.UnOp:
		if _, ok := e.X.(*ssa.Global); ok {
			return true // io.EOF and the like
		}
	case *ssa.Call:
		name := btapi.Func(CalledFunc(&e.Call))
		return name == "fmt.Errorf" || name == "errors.New"
	}
	return knownNotNil(r.Results[n-1], r.Block())
}

// if err != nil { return nil, err }.
func knownNotNil(v ssa.Value, b *ssa.BasicBlock) bool {
	refs := v.Referrers()
	if refs == nil {
		return false
	}
	for _, r := range *refs {
		cmp, ok := r.(*ssa.BinOp)
		if !ok || cmp.Op != token.NEQ || !IsConst(cmp.X) && !IsConst(cmp.Y) {
			continue
		}
		for _, use := range *cmp.Referrers() {
			if branch, ok := use.(*ssa.If); ok && branch.Block().Succs[0].Dominates(b) {
				return true
			}
		}
	}
	return false
}
