package trace

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
)

// checksTime reports whether a function, or a function of this package that
// it gives cells to, compares the timestamp of a cell with a time: an expiry
// that is checked by hand.
func (p *program) checksTime(fn *ssa.Function, depth int) bool {
	if known, ok := p.checks[fn]; ok {
		return known
	}
	p.checks[fn] = false
	found := false
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.FieldAddr:
				if isCellTimestamp(deref(instr.X.Type()), instr.Field) {
					for _, r := range *instr.Referrers() {
						if load, ok := r.(*ssa.UnOp); ok && p.compared(load, 6) {
							found = true
						}
					}
				}
			case *ssa.Field:
				if isCellTimestamp(instr.X.Type(), instr.Field) && p.compared(instr, 6) {
					found = true
				}
			case ssa.CallInstruction:
				if depth == 0 || found {
					continue
				}
				t, ok := p.target(instr.Common())
				if !ok || t.fn == nil {
					continue
				}
				for _, a := range t.args {
					if carriesCells(a.Type()) && p.checksTime(t.fn, depth-1) {
						found = true
					}
				}
			case *ssa.MakeClosure:
				if depth > 0 && p.checksTime(instr.Fn.(*ssa.Function), depth-1) {
					found = true
				}
			}
		}
	}
	p.checks[fn] = found
	return found
}

func isCellTimestamp(t types.Type, field int) bool {
	if btapi.Type(t) != "bigtable.ReadItem" {
		return false
	}
	f := structField(t, field)
	return f != nil && f.Name() == "Timestamp"
}

func carriesCells(t types.Type) bool {
	if s, ok := t.Underlying().(*types.Slice); ok {
		t = s.Elem()
	}
	name := btapi.Type(t)
	return name == "bigtable.ReadItem" || name == "bigtable.Row"
}

// compared reports whether the timestamp of a cell, v or a number or time
// made of it, is compared with a time that is not another cell's.
func (p *program) compared(v ssa.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.BinOp:
			other := r.X
			if other == v {
				other = r.Y
			}
			switch r.Op {
			case token.LSS, token.LEQ, token.GTR, token.GEQ:
				if !fromCell(other, 6) && !smallConst(other) {
					return true
				}
			case token.ADD, token.SUB, token.MUL, token.QUO:
				if p.compared(r, depth-1) {
					return true
				}
			}
		case *ssa.Convert:
			if p.compared(r, depth-1) {
				return true
			}
		case *ssa.ChangeType:
			if p.compared(r, depth-1) {
				return true
			}
		case *ssa.Phi:
			if p.compared(r, depth-1) {
				return true
			}
		case *ssa.Store:
			if a, ok := r.Addr.(*ssa.Alloc); ok && r.Val == v {
				for _, l := range *a.Referrers() {
					if load, ok := l.(*ssa.UnOp); ok && p.compared(load, depth-1) {
						return true
					}
				}
			}
		case *ssa.Call:
			if p.comparedBy(r, v, depth) {
				return true
			}
		}
	}
	return false
}

// comparedBy reports whether a call compares the time of a cell, or passes
// it on to where it is compared.
func (p *program) comparedBy(call *ssa.Call, v ssa.Value, depth int) bool {
	t, ok := p.target(&call.Call)
	if !ok {
		return false
	}
	switch t.api {
	case "bigtable.Timestamp.Time", "time.Time.Add", "time.Time.UnixMilli", "time.Time.Unix", "time.Time.UTC", "time.Time.Truncate":
		return p.compared(call, depth-1)
	case "time.Time.Before", "time.Time.After", "time.Time.Compare":
		for _, a := range t.args {
			if a != v && fromCell(a, 6) {
				return false
			}
		}
		return true
	case "time.Since", "time.Until", "time.Time.Sub":
		// An age or a remaining life that is compared in its turn.
		for _, r := range *call.Referrers() {
			if b, ok := r.(*ssa.BinOp); ok && b.Op != token.ADD && b.Op != token.SUB {
				return true
			}
		}
		return p.compared(call, depth-1)
	}
	if t.fn != nil {
		for i, a := range t.args {
			if a == v && i < len(t.fn.Params) && p.compared(t.fn.Params[i], depth-1) {
				return true
			}
		}
	}
	return false
}

// fromCell reports whether a value is made of the timestamp of a cell.
func fromCell(v ssa.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		if fa, ok := v.X.(*ssa.FieldAddr); ok {
			return isCellTimestamp(deref(fa.X.Type()), fa.Field)
		}
		return fromCell(v.X, depth-1)
	case *ssa.Field:
		return isCellTimestamp(v.X.Type(), v.Field)
	case *ssa.Convert:
		return fromCell(v.X, depth-1)
	case *ssa.Phi:
		for _, e := range v.Edges {
			if fromCell(e, depth-1) {
				return true
			}
		}
	case *ssa.Call:
		if btapi.Func(calledFunc(&v.Call)) == "bigtable.Timestamp.Time" {
			return fromCell(v.Call.Args[0], depth-1)
		}
	}
	return false
}

// smallConst reports whether v is a constant that is no time, such as 0.
func smallConst(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	if !ok {
		return false
	}
	n, ok := intConst(c)
	return ok && n <= 0
}
