package eval

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/program"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
)

// assumeStore records the conditions under which a store runs, from the
// dominator stop. What they say of the memory that it sets, which reads tells,
// holds of what was there before: if x == nil { x = f() } leaves an x that is
// f's.
func (p *Path) assumeStore(at ssa.Instruction, stop *ssa.BasicBlock, reads func(ssa.Value) bool, guards *[]summary.Guard) {
	outer := p.before
	p.before = func(cond ssa.Value) bool {
		return dependsOn(cond, reads, 8) || outer != nil && outer(cond)
	}
	p.AssumeBlock(at.Block(), stop, guards)
	p.before = outer
}

// assumeSet is assumeStore for what a load finds; at is the load, nil where
// it may happen at any time: otherwise the order of instructions tells what a
// condition reads.
func (p *Path) assumeSet(d program.Store, root ssa.Value, at ssa.Instruction) {
	stop := d.At.Block().Idom()
	if at != nil {
		p.AssumeBlock(d.At.Block(), stop, &p.Guards)
		return
	}
	p.assumeStore(d.At, stop, func(v ssa.Value) bool {
		load, ok := v.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			return false
		}
		from, _ := p.p.Address(load.X)
		return from == root
	}, &p.Guards)
}

// loadsField reports whether a value is what a field holds.
func loadsField(v ssa.Value, f *types.Var) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		fa, ok := v.X.(*ssa.FieldAddr)
		return ok && v.Op == token.MUL && program.FieldOf(fa) == f
	case *ssa.Field:
		return program.StructField(v.X.Type(), v.Field) == f
	}
	return false
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
