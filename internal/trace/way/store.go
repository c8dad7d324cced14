package way

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// AssumeStore records the conditions under which a store runs, from the
// dominator stop. What they say of the memory that it sets, which reads tells,
// holds of what was there before: if x == nil { x = f() } leaves an x that is
// f's.
func (w *Way) AssumeStore(at ssa.Instruction, stop *ssa.BasicBlock, reads func(ssa.Value) bool, guards *[]summary.Guard) {
	outer := w.before
	w.before = func(cond ssa.Value) bool {
		return dependsOn(cond, reads, 8) || outer != nil && outer(cond)
	}
	w.AssumeBlock(at.Block(), stop, guards)
	w.before = outer
}

// AssumeSet is AssumeStore for what a load finds; at is the load, nil where
// it may happen at any time: otherwise the order of instructions tells what a
// condition reads.
func (w *Way) AssumeSet(d program.Store, root ssa.Value, at ssa.Instruction) {
	stop := d.At.Block().Idom()
	if at != nil {
		w.pass(d.At.Block())
		if at.Parent() == d.At.Parent() {
			stop = w.leads(d.At.Block(), at.Block()).Idom()
		}
		w.AssumeBlock(d.At.Block(), stop, &w.Guards)
		return
	}
	w.AssumeStore(d.At, stop, func(v ssa.Value) bool {
		load, ok := v.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			return false
		}
		from, _ := w.Prog.Address(load.X)
		return from == root
	}, &w.Guards)
}

// dependsOn reports whether a value is made of one for which is holds.
func dependsOn(v ssa.Value, is func(ssa.Value) bool, depth int) bool {
	if depth == 0 || is(v) {
		return depth > 0
	}
	instr, ok := v.(ssa.Instruction)
	if !ok {
		return false
	}
	for _, op := range instr.Operands(nil) {
		if *op != nil && dependsOn(*op, is, depth-1) {
			return true
		}
	}
	return false
}
