package event

import (
	"go/ast"

	"golang.org/x/tools/go/ssa"
)

// stated makes the event of what code writes down of tables for others to apply; nil
// of nothing.
func (p *Tracer) stated(op string, fn *ssa.Function, instr ssa.Instruction, s *Statement) *Event {
	if s == nil {
		return nil
	}
	e := p.NewEvent(op, fn, instr)
	e.Node = s.Node
	e.Evaluate(s.Resolve)
	return e
}

// filled makes the event of an entry of a table's configuration, if callers supply
// the family.
func (p *Tracer) filled(fn *ssa.Function, up *ssa.MapUpdate) *Event {
	e := p.stated(Filled, fn, up, p.Confs.Entry(up))
	if e == nil || len(e.Link.Open) == 0 || !e.Link.Open[0].Args[1].HasParams() {
		return nil // its own
	}
	return e
}

// InRow returns the expression for a policy in the row of a table of literals in
// which its family is named; nil where it is not of that row.
func (e *Event) InRow(family, policy ast.Expr) ast.Expr {
	return e.tracer.Confs.InRow(family, policy)
}
