package trace

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// assumeBlock records the branch conditions under which block is reached
// from the dominator stop (exclusive; nil for the function's entry).
func (p *path) assumeBlock(block, stop *ssa.BasicBlock, guards *[]Guard) {
	for b := block; b != nil && b != stop; b = b.Idom() {
		if len(b.Preds) == 1 {
			p.assumeEdge(b.Preds[0], b, guards)
		}
	}
}

// assumeEdge records the condition under which control passes from one block
// to another.
func (p *path) assumeEdge(from, to *ssa.BasicBlock, guards *[]Guard) {
	if len(from.Instrs) == 0 {
		return
	}
	branch, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok || from.Succs[0] == from.Succs[1] {
		return
	}
	p.assume(branch.Cond, from.Succs[0] == to, guards)
}

// assumePhi records the conditions under which control reaches block by its
// i-th edge.
func (p *path) assumePhi(block *ssa.BasicBlock, i int) {
	pred := block.Preds[i]
	p.assumeEdge(pred, block, &p.guards)
	p.assumeBlock(pred, block.Idom(), &p.guards)
}

// assume records that cond has that truth. It blocks the path when that
// contradicts what is known, and leaves a guard when parameters decide it.
func (p *path) assume(cond ssa.Value, want bool, guards *[]Guard) {
	if not, ok := cond.(*ssa.UnOp); ok && not.Op == token.NOT {
		p.assume(not.X, !want, guards)
		return
	}
	cheap := p.cheap(cond, 6)
	if instr, ok := cond.(ssa.Instruction); ok && !cheap && p.p.inLoop(instr.Block()) {
		return // true in one turn, false in another
	}
	if was, ok := p.assumed[cond]; ok {
		p.blocked = p.blocked || was != want
		return
	}
	p.assumed[cond] = want
	if !cheap {
		return
	}
	switch v := p.eval(cond, nil); {
	case v.Kind == value.Bool:
		p.blocked = p.blocked || (v.Num != 0) != want
	case v.HasParams():
		*guards = append(*guards, Guard{v, want})
	}
}

// contradicted reports whether the choices of the run decide one of the
// conditions on the way otherwise than the way needs: len(list) == 1 where
// the list was chosen to have two elements.
func (p *path) contradicted() bool {
	memo := p.memo
	defer func() { p.memo, p.frozen = memo, false }()
	p.frozen = true
	for cond, want := range p.assumed {
		b, ok := cond.(*ssa.BinOp)
		if !ok || !isConst(b.X) && !isConst(b.Y) {
			continue
		}
		p.undecided = false
		p.memo = make(map[ssa.Value]*value.Value, len(memo))
		for k, v := range memo {
			p.memo[k] = v
		}
		v := p.eval(cond, nil)
		if !p.undecided && v.Kind == value.Bool && (v.Num != 0) != want {
			return true
		}
	}
	return false
}

func isConst(v ssa.Value) bool {
	_, ok := v.(*ssa.Const)
	return ok
}

// inLoop reports whether control can come back to a block.
func (p *program) inLoop(b *ssa.BasicBlock) bool {
	if in, ok := p.loops[b]; ok {
		return in
	}
	seen := map[*ssa.BasicBlock]bool{}
	var walk func(c *ssa.BasicBlock) bool
	walk = func(c *ssa.BasicBlock) bool {
		for _, s := range c.Succs {
			if s == b {
				return true
			}
			if !seen[s] {
				seen[s] = true
				if walk(s) {
					return true
				}
			}
		}
		return false
	}
	p.loops[b] = walk(b)
	return p.loops[b]
}

// cheap reports whether a condition depends on nothing but parameters,
// constants and fields of them, so that evaluating it makes no choices.
func (p *path) cheap(v ssa.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const, *ssa.Parameter:
		return true
	case *ssa.FreeVar:
		b := p.p.binding(v)
		return b != nil && p.cheap(b, depth-1)
	case *ssa.BinOp:
		return p.cheap(v.X, depth-1) && p.cheap(v.Y, depth-1)
	case *ssa.UnOp:
		return p.cheap(v.X, depth-1)
	case *ssa.FieldAddr:
		return p.cheap(v.X, depth-1)
	case *ssa.Field:
		return p.cheap(v.X, depth-1)
	case *ssa.Alloc:
		// A captured or addressed parameter lives in memory: one store.
		ss := p.p.stores[v]
		return len(ss) == 0 || len(ss) == 1 && p.cheap(ss[0].val, depth-1)
	case *ssa.ChangeType:
		return p.cheap(v.X, depth-1)
	case *ssa.Convert:
		return p.cheap(v.X, depth-1)
	case *ssa.Call:
		switch fn := v.Call.Value.(type) {
		case *ssa.Builtin:
			return fn.Name() == "len" && p.cheap(v.Call.Args[0], depth-1)
		case *ssa.Function:
			return object(fn) != nil && object(fn).Name() == "IsZero" && len(v.Call.Args) == 1 && p.cheap(v.Call.Args[0], depth-1)
		}
	}
	return false
}

// bindGuards puts values in the place of parameters in guards. It reports
// false when one is then known not to hold.
func bindGuards(guards []Guard, bind func(*value.Value) *value.Value) (open []Guard, ok bool) {
	for _, g := range guards {
		switch v := g.Cond.Subst(bind); {
		case v.Kind == value.Bool:
			if (v.Num != 0) != g.Want {
				return nil, false
			}
		case v.HasParams():
			open = append(open, Guard{v, g.Want})
		}
	}
	return open, true
}
