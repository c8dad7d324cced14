package trace

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// resultsOf returns the combinations of results of a function of this
// package, over its parameters.
func (p *program) resultsOf(fn *ssa.Function) []ResultCase {
	r := p.results[fn]
	if r == nil {
		r = &results{busy: true}
		p.results[fn] = r
		r.cases = p.returns(fn)
		r.busy = false
	}
	if r.busy {
		return nil
	}
	return r.cases
}

func (p *program) returns(fn *ssa.Function) []ResultCase {
	var rets []*ssa.Return
	for _, b := range fn.Blocks {
		if len(b.Instrs) == 0 || b == fn.Recover {
			continue
		}
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && !fails(r) {
			rets = append(rets, r)
		}
	}
	if len(rets) == 0 {
		return nil
	}
	var cases []ResultCase
	seen := map[string]bool{}
	complete := p.explore(false, maxRuns, func(q *path) []*value.Value {
		ret := rets[q.choose(fn, len(rets))]
		q.assumeBlock(ret.Block(), nil, &q.guards)
		var vs []*value.Value
		for _, r := range ret.Results {
			vs = append(vs, q.force(q.eval(r, ret), 4))
		}
		return vs
	}, func(q *path, vs []*value.Value) {
		c := ResultCase{Guards: uniqueGuards(q.guards), Values: vs}
		key := guardString(c.Guards) + argString(vs)
		if !seen[key] && len(cases) < maxResults {
			seen[key] = true
			cases = append(cases, c)
		}
	})
	if !complete {
		return nil
	}
	return cases
}

// fails reports whether a return reports an error: its other results are
// not used then.
func fails(r *ssa.Return) bool {
	n := len(r.Results)
	if n < 2 || !isError(r.Results[n-1].Type()) {
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
		name := btapi.Func(calledFunc(&e.Call))
		return name == "fmt.Errorf" || name == "errors.New"
	}
	return knownNotNil(r.Results[n-1], r.Block())
}

// knownNotNil reports whether a block is reached only where v != nil held:
// if err != nil { return nil, err }.
func knownNotNil(v ssa.Value, b *ssa.BasicBlock) bool {
	refs := v.Referrers()
	if refs == nil {
		return false
	}
	for _, r := range *refs {
		cmp, ok := r.(*ssa.BinOp)
		if !ok || cmp.Op != token.NEQ || !isConst(cmp.X) && !isConst(cmp.Y) {
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

func calledFunc(c *ssa.CallCommon) *types.Func {
	if f := c.StaticCallee(); f != nil {
		return object(f)
	}
	return nil
}

func isError(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() == nil && n.Obj().Name() == "error"
}
