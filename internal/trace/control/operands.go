package control

import "golang.org/x/tools/go/ssa"

// ReadAt returns the instruction before which a variable is read: where a statement takes
// it as an operand, that which does. In return v, json.Unmarshal(data, &v) the load stands
// before the call. Go leaves their order open, and its compiler reads variables after the
// calls of their statement. See https://go.dev/ref/spec#Order_of_evaluation.
func (p *Graphs) ReadAt(load *ssa.UnOp) ssa.Instruction {
	at := ssa.Instruction(load)
	for _, r := range *load.Referrers() {
		_, debug := r.(*ssa.DebugRef)
		if debug || r.Block() != load.Block() || p.IndexOf(r) < p.IndexOf(load) {
			continue
		}
		if !r.Pos().IsValid() || r.Pos() >= load.Pos() {
			return load // it need not be of the same statement: a variable keeps what was read
		}
		if at == load || p.IndexOf(r) < p.IndexOf(at) {
			at = r
		}
	}
	for _, instr := range load.Block().Instrs[p.IndexOf(load):p.IndexOf(at)] {
		if _, call := instr.(ssa.CallInstruction); call {
			return at
		}
	}
	return load
}
