package program

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// AtomicStep returns what is added, each time, to the number that a call reads by
// package atomic; false where the call reads none, or the package does anything else
// with what holds it, such as to begin anew with what it has read.
func (p *Program) AtomicStep(t Target) (step int64, ok bool) {
	if atomicOf(t.API) != "Load" || t.Recv != nil || len(t.Args) == 0 {
		return 0, false
	}
	key := p.heldBy(t.Args[0])
	if key == nil {
		return 0, false
	}
	counter, seen := p.atomics[key]
	if !seen {
		counter = p.atomicCounter(key)
		p.atomics[key] = counter
	}
	return counter.step, counter.known && counter.step != 0
}

// An atomicCounter is what is known of a number that package atomic reads.
type atomicCounter struct {
	step  int64
	known bool
}

// atomicOf returns what a call of package atomic does to a number: Load, Add and so
// on; "" of any other call.
func atomicOf(api string) string {
	name, ok := strings.CutPrefix(api, "atomic.")
	if !ok {
		return ""
	}
	if _, method, ok := strings.Cut(name, "."); ok {
		return method
	}
	for _, does := range []string{"Load", "Add"} {
		if strings.HasPrefix(name, does) {
			return does
		}
	}
	return name
}

// heldBy returns what holds the number at an address, or the pointer to it: a field of
// whatever object, a variable; nil of anything else.
func (p *Program) heldBy(addr ssa.Value) any {
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		if f := kind.FieldOf(addr); f != nil && !f.Exported() {
			return f // of others, who knows what other packages do
		}
	case *ssa.Global:
		if addr.Object() != nil && !addr.Object().Exported() {
			return addr
		}
	case *ssa.Alloc:
		return addr
	case *ssa.FreeVar:
		if b := p.Binding(addr); b != nil {
			return p.heldBy(b)
		}
	case *ssa.UnOp:
		if addr.Op == token.MUL && kind.IsPointer(addr.Type()) {
			return p.heldBy(addr.X)
		}
	}
	return nil
}

func (p *Program) atomicCounter(key any) atomicCounter {
	c := atomicCounter{known: true}
	for _, fn := range p.Funcs {
		if p.IsTest(fn.Pos()) {
			continue
		}
		for instr := range kind.Instructions(fn) {
			for _, op := range instr.Operands(nil) {
				if *op != nil && p.heldBy(*op) == key && !p.onlyCounts(instr, *op, &c) {
					return atomicCounter{}
				}
			}
		}
	}
	return c
}

// onlyCounts reports whether an instruction does nothing to a counter but to begin, read
// and increase it, always by the same.
func (p *Program) onlyCounts(instr ssa.Instruction, addr ssa.Value, c *atomicCounter) bool {
	switch instr := instr.(type) {
	case *ssa.DebugRef, *ssa.UnOp, *ssa.MakeClosure:
		return true
	case *ssa.Store:
		_, made := instr.Val.(*ssa.Alloc)
		return instr.Addr == addr && (made || kind.IsConst(instr.Val))
	case ssa.CallInstruction:
		t, ok := p.Target(instr.Common())
		if !ok || t.Recv != nil || len(t.Args) == 0 || t.Args[0] != addr {
			return false
		}
		switch atomicOf(t.API) {
		case "Load":
			return true
		case "Add":
			by, ok := t.Args[1].(*ssa.Const)
			if !ok {
				return false
			}
			n, ok := kind.IntConst(by)
			same := ok && (c.step == 0 || c.step == n)
			c.step = n
			return same
		}
	}
	return false
}
