package program

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// The body of a loop over an iterator is a function literal of its own. A
// return in it stores the results and a number, returns false, and the
// function around it asks for the number behind the loop and returns.

// leadingTo returns those of the stores of function literals that may be what
// is read at an instruction: not those of a return in a loop over an iterator
// where another return takes effect.
func leadingTo(stores []Store, at ssa.Instruction) []Store {
	behind, ok := exitAt(at.Block())
	if !ok {
		return stores
	}
	var out []Store
	for _, s := range stores {
		body := s.At.Parent()
		e, ok := exitOf(s.At.Block())
		if !ok || !kind.IsRangeBody(body) || body.Parent() != at.Parent() || e.jump != behind.jump || e.number == behind.number {
			out = append(out, s)
		}
	}
	return out
}

// A rangeExit is a way out of a loop over an iterator: the variable and the
// number in it.
type rangeExit struct {
	jump   string
	number int64
}

// exitOf returns the exit that a block of a loop's body stores which leaves
// the loop.
func exitOf(b *ssa.BasicBlock) (e rangeExit, ok bool) {
	for _, instr := range b.Instrs {
		s, isStore := instr.(*ssa.Store)
		if !isStore {
			continue
		}
		to, isFree := s.Addr.(*ssa.FreeVar)
		if c, isConst := s.Val.(*ssa.Const); isConst && isFree && isJump(to.Name()) {
			if k, isInt := kind.IntConst(c); isInt && k > 0 {
				e, ok = rangeExit{to.Name(), k}, true
			}
		}
	}
	return e, ok
}

// exitAt returns the exit that a function has found behind a loop over an
// iterator where it reaches a block.
func exitAt(b *ssa.BasicBlock) (e rangeExit, ok bool) {
	for ; b != nil; b = b.Idom() {
		if len(b.Preds) != 1 {
			continue
		}
		from := b.Preds[0]
		branch, isIf := from.Instrs[len(from.Instrs)-1].(*ssa.If)
		if !isIf || from.Succs[0] != b {
			continue
		}
		cmp, isCmp := branch.Cond.(*ssa.BinOp)
		if !isCmp || cmp.Op != token.EQL {
			continue
		}
		load, isLoad := cmp.X.(*ssa.UnOp)
		if !isLoad {
			continue
		}
		jump, isAlloc := load.X.(*ssa.Alloc)
		c, isConst := cmp.Y.(*ssa.Const)
		if isAlloc && isConst && isJump(jump.Comment) {
			if k, isInt := kind.IntConst(c); isInt && k > 0 {
				return rangeExit{jump.Comment, k}, true
			}
		}
	}
	return e, false
}

// isJump reports whether a variable's name is that of the number's: no variable
// of Go's can be called so.
func isJump(name string) bool { return len(name) > 5 && name[:5] == "jump$" }

// runsOthers reports whether an instruction may run function literals.
func runsOthers(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Call:
		_, builtin := instr.Call.Value.(*ssa.Builtin)
		return !builtin
	case *ssa.Go, *ssa.Defer, *ssa.RunDefers, *ssa.Send, *ssa.Select:
		return true
	case *ssa.UnOp:
		return instr.Op == token.ARROW
	}
	return false
}
