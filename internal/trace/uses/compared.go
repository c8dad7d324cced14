package uses

import (
	"go/token"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// A Comparison looks for where the time of a cell is compared with a time.
type Comparison struct {
	*CellTimes
	asked *ssa.Function // what it returns, its callers follow, each its own
	kept  map[Held]bool // where what it returns and is given holds such a time
	seen  map[partOf]bool
	// filler is the call that filled the objects which are looked at.
	filler ssa.CallInstruction
	// Perhaps is set where an object goes to a function that callers give: one in the
	// package may compare it.
	Perhaps bool
}

func (p *CellTimes) Comparison(asked *ssa.Function) *Comparison {
	return &Comparison{CellTimes: p, asked: asked, kept: map[Held]bool{}, seen: map[partOf]bool{}}
}

// Keep remembers where a function leaves times of cells for its callers.
func (p *CellTimes) Keep(fn *ssa.Function, c *Comparison) {
	if fn == nil || len(c.kept) == 0 {
		return
	}
	if p.times[fn] == nil {
		p.times[fn] = map[Held]bool{}
	}
	maps.Copy(p.times[fn], c.kept)
}

// Compared reports whether the timestamp of a cell, v or a number or time
// made of it, is compared with a time that is not another cell's.
func (p *Comparison) Compared(v ssa.Value, depth int) bool {
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
				if !p.fromCell(other, 6) && !smallConst(other) {
					return true
				}
			case token.ADD, token.SUB, token.MUL, token.QUO:
				if p.Compared(r, depth-1) {
					return true
				}
			}
		case *ssa.Convert, *ssa.MultiConvert, *ssa.ChangeType, *ssa.Phi:
			if p.Compared(r.(ssa.Value), depth-1) {
				return true
			}
		case *ssa.UnOp:
			if r.Op == token.MUL && p.Compared(r, depth-1) { // of a pointer to the time
				return true
			}
		case *ssa.Store:
			if r.Val == v && p.comparedWhereStored(r.Addr, depth) {
				return true
			}
		case *ssa.MapUpdate:
			if r.Value == v && p.comparedInMap(r.Map, depth) {
				return true
			}
		case *ssa.MakeInterface:
			if p.comparedWhereStored(r, depth) {
				return true
			}
		case *ssa.Return:
			if p.comparedByCallers(r, v, depth) {
				return true
			}
		case *ssa.Call:
			if p.comparedBy(r, v, depth) {
				return true
			}
		}
	}
	return false
}

// comparedWhereStored reports whether what is stored at an address may be
// compared with a time: always, where that cannot be seen.
func (p *Comparison) comparedWhereStored(addr ssa.Value, depth int) bool {
	switch a := addr.(type) {
	case *ssa.Alloc:
		for _, load := range p.Loads(a) {
			if p.Compared(load, depth-1) {
				return true
			}
		}
	case *ssa.FieldAddr:
		return p.comparedInStruct(a, depth)
	case *ssa.IndexAddr:
		return true
	}
	return false
}

// comparedByCallers reports whether callers may compare the time that a
// function returns with a time.
func (p *Comparison) comparedByCallers(ret *ssa.Return, v ssa.Value, depth int) bool {
	fn := kind.Origin(ret.Parent())
	obj := kind.Object(fn)
	if obj == nil || depth == 0 {
		return false
	}
	if p.asked != nil && fn == p.asked {
		p.kept[Held{}] = true
		return false
	}
	for i, r := range ret.Results {
		if r != v {
			continue
		}
		for _, call := range p.Callers[fn] {
			c, ok := call.(*ssa.Call)
			if !ok {
				continue
			}
			if len(ret.Results) == 1 && p.Compared(c, depth-1) {
				return true
			}
			for _, use := range *c.Referrers() {
				if e, ok := use.(*ssa.Extract); ok && e.Index == i && p.Compared(e, depth-1) {
					return true
				}
			}
		}
	}
	return false
}

// comparedBy reports whether a call compares the time of a cell, or passes
// it on to where it is compared.
func (p *Comparison) comparedBy(call *ssa.Call, v ssa.Value, depth int) bool {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		return kind.IsExtreme(b) && (slices.ContainsFunc(call.Call.Args, func(a ssa.Value) bool {
			return a != v && !kind.IsConst(a) && !p.fromCell(a, 6)
		}) || p.Compared(call, depth-1))
	}
	t, ok := p.Target(&call.Call)
	if !ok {
		return false
	}
	switch t.API {
	case "bigtable.Timestamp.Time", "time.Time.Add", "time.Time.UnixMilli", "time.Time.Unix", "time.Time.UTC", "time.Time.Truncate":
		return p.Compared(call, depth-1)
	case "time.Time.Before", "time.Time.After", "time.Time.Compare":
		for _, a := range t.Args {
			if a != v && p.fromCell(a, 6) {
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
		return p.Compared(call, depth-1)
	}
	for i, a := range t.Args {
		switch {
		case a != v:
		case t.Fn != nil && i < len(t.Fn.Params) && p.Compared(t.Fn.Params[i], depth-1):
			return true
		case t.Obj != nil && p.checksParam(t.Obj, i):
			return true
		case t.Obj != nil && !p.Analysed(t.Obj) && t.Obj.Name() != "IsZero" && kind.IsBool(call.Type()):
			return true // expired(t)
		}
	}
	return false
}

// comparedInMap reports whether elements of a map are compared with a time in
// the function that puts them there.
func (p *Comparison) comparedInMap(m ssa.Value, depth int) bool {
	for _, r := range *m.Referrers() {
		switch r := r.(type) {
		case *ssa.Lookup:
			if !r.CommaOk && p.Compared(r, depth-1) {
				return true
			}
			for _, use := range *r.Referrers() {
				if e, ok := use.(*ssa.Extract); ok && e.Index == 0 && p.Compared(e, depth-1) {
					return true
				}
			}
		case *ssa.Range:
			for _, next := range *r.Referrers() {
				n, ok := next.(*ssa.Next)
				if !ok {
					continue
				}
				for _, use := range *n.Referrers() {
					if e, ok := use.(*ssa.Extract); ok && e.Index == 2 && p.Compared(e, depth-1) {
						return true
					}
				}
			}
		}
	}
	return false
}
