package eval

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/program"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// slice resolves x[low:high].
func (p *Path) slice(v *ssa.Slice, at ssa.Instruction) *value.Value {
	x := p.Eval(v.X, v)
	if _, ok := v.X.(*ssa.Alloc); ok && p.filledLater(v) {
		return value.ListOf(spread(value.UnknownFor("elements of a slice that is filled later")))
	}
	bound := func(b ssa.Value) (int64, bool) {
		if b == nil {
			return 0, true
		}
		return p.Eval(b, v).IsInt()
	}
	low, okLow := bound(v.Low)
	high, okHigh := bound(v.High)
	list := x.Base()
	switch {
	case v.Low == nil && v.High == nil:
		return x
	case list.Kind == value.Str && okLow && okHigh:
		if v.High == nil {
			high = int64(len(list.Name))
		}
		if low >= 0 && low <= high && high <= int64(len(list.Name)) {
			return value.StrOf(list.Name[low:high])
		}
	case v.High != nil && okHigh && high == 0:
		return value.ListOf()
	case list.Kind == value.List && okLow && okHigh:
		if n := value.Apply(value.Len, list); n.Kind == value.Int {
			if v.High == nil {
				high = n.Num
			}
			if low >= 0 && low <= high && high <= n.Num {
				return value.ListOf(list.Args[low:high]...)
			}
		}
	}
	if _, isSlice := v.Type().Underlying().(*types.Slice); isSlice {
		// Some of the elements, in order.
		return value.ListOf(&value.Value{Kind: value.Call, Name: value.Spread, Args: []*value.Value{value.Apply(part, x)}})
	}
	return value.UnknownFor("a part of a string")
}

// filledLater reports whether elements of a new slice are stored by way of
// it: make([]T, 2) is a slice of an array.
func (p *Path) filledLater(v *ssa.Slice) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.IndexAddr:
			for _, use := range *r.Referrers() {
				if s, ok := use.(*ssa.Store); ok && s.Addr == r {
					return true
				}
			}
		case ssa.CallInstruction:
			if p.p.FillsElements(r, v) {
				return true
			}
		}
	}
	return false
}

// part is the operation that stands for some of the elements of a list.
const part = "part"

// makeSlice resolves make([]T, n) with what is stored to its elements.
func (p *Path) makeSlice(v *ssa.MakeSlice) *value.Value {
	list := value.ListOf()
	for _, r := range *v.Referrers() {
		if call, ok := r.(ssa.CallInstruction); ok && p.p.FillsElements(call, v) {
			return value.ListOf(spread(value.UnknownFor("elements of a slice that is filled elsewhere")))
		}
		ia, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, s := range p.p.Stores[ia] {
			if len(s.Path) == 0 && len(list.Args) < maxElements {
				list.Args = append(list.Args, p.Eval(s.Val, s.At))
			}
		}
	}
	if n, ok := p.Eval(v.Len, v).IsInt(); !ok || int(n) != len(list.Args) {
		if !ok || n > 0 {
			list.Args = append(list.Args, spread(value.UnknownFor("elements of a slice that is filled in a loop")))
		}
	}
	return list
}

func spread(v *value.Value) *value.Value {
	return &value.Value{Kind: value.Call, Name: value.Spread, Args: []*value.Value{v}}
}

// makeMap resolves a map by what is stored in it where it is made, and
// through the variable or field that it is stored in.
func (p *Path) makeMap(v *ssa.MakeMap) *value.Value {
	m := &value.Value{Kind: value.Map, Site: v}
	open := ""
	add := func(up *ssa.MapUpdate) {
		if len(m.Args) < 2*maxElements {
			m.Args = append(m.Args, p.Eval(up.Key, up), p.elementAt(up.Value, up, up.Pos()))
		} else {
			open = "a map of more elements than are followed"
		}
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.MapUpdate:
			if r.Map == v {
				add(r)
			}
		case *ssa.Store:
			// What is added to it by way of the field or variable that holds
			// it.
			if r.Val != v {
				continue
			}
			root, path := p.p.Address(r.Addr)
			for _, up := range p.p.MapUpdates[root] {
				if at, path2 := p.p.Address(up.Map.(*ssa.UnOp).X); at == root && path2.Equal(path) {
					add(up)
				}
			}
			if p.p.UpdatesElsewhere(r) {
				open = "a map that is filled elsewhere"
			}
		case ssa.CallInstruction:
			if p.p.FillsElements(r, v) {
				open = "a map that is filled elsewhere"
			}
		}
	}
	if open != "" {
		m.Args = append(m.Args, value.UnknownFor(open), value.UnknownFor(open)) // under any key
	}
	return m
}

// elementAt resolves an element of a literal, with its expression.
func (p *Path) elementAt(v ssa.Value, at ssa.Instruction, pos token.Pos) *value.Value {
	r := p.Eval(v, at)
	if r.Expr == nil {
		r = r.At(p.p.Syntax.Elements[pos])
	}
	return r
}

// lookup resolves m[key] of a map or string.
func (p *Path) lookup(v *ssa.Lookup) *value.Value {
	if step, ok := p.p.counted(v); ok {
		return value.Apply(value.Count, value.IntOf(step))
	}
	r := p.indexed(p.Eval(v.X, v), v.X.Type(), p.Eval(v.Index, v))
	if v.CommaOk {
		ok := value.UnknownFor("whether a map has a key")
		if m := p.Eval(v.X, v); m.Base().Kind == value.Map {
			ok = value.Apply(value.Has, m, p.Eval(v.Index, v))
		}
		return &value.Value{Kind: value.Tuple, Args: []*value.Value{r, ok}}
	}
	return r
}

// counted reports whether the elements of a map are counters: whether the
// function that asks for one stores it back with a constant added, and how
// much.
func (p *Evaluator) counted(v *ssa.Lookup) (step int64, ok bool) {
	load, ok := v.X.(*ssa.UnOp)
	if b, isBasic := v.Type().Underlying().(*types.Basic); !ok || v.CommaOk || !isBasic || b.Info()&types.IsInteger == 0 {
		return 0, false
	}
	root, path := p.Address(load.X)
	for _, up := range p.MapUpdates[root] {
		sum, ok := up.Value.(*ssa.BinOp)
		from, isLoad := up.Map.(*ssa.UnOp)
		if !ok || !isLoad || sum.Op != token.ADD {
			continue
		}
		old, ok := sum.X.(*ssa.Lookup)
		c, constant := sum.Y.(*ssa.Const)
		if !ok || !constant || old.CommaOk || up.Parent() != v.Parent() {
			continue
		}
		if _, path2 := p.Address(from.X); !path2.Equal(path) {
			continue
		}
		if n, ok := program.IntConst(c); ok {
			return n, true
		}
	}
	return 0, false
}

// indexed resolves an element of a map; of a row, the cells of a family.
func (p *Path) indexed(m *value.Value, t types.Type, key *value.Value) *value.Value {
	if btapi.Type(t) == "bigtable.Row" {
		return value.Apply(program.Cells, m, key)
	}
	return value.Apply(value.Index, m, key)
}

// next1 resolves the key (1) or the element (2) of a loop over a map.
func (p *Path) next1(n *ssa.Next, index int) *value.Value {
	r, ok := n.Iter.(*ssa.Range)
	if !ok || index == 0 {
		return value.UnknownFor("whether a loop goes on")
	}
	m := p.Eval(r.X, r)
	if btapi.Type(r.X.Type()) == "bigtable.Row" {
		family := value.UnknownFor("each family of a row")
		if index == 1 {
			return family
		}
		return value.Apply(program.Cells, m, family)
	}
	if b := m.Base(); b.Kind == value.Map && len(b.Args) > 0 {
		return b.Args[2*p.Choose(p.loopKey(n), len(b.Args)/2)+index-1]
	}
	if m.HasParams() {
		entry := value.Apply(value.Elem, value.Apply(value.Entries, m))
		return value.Apply(value.Index, entry, value.IntOf(int64(index-1)))
	}
	return value.UnknownFor("an element of a map that is not known")
}

// element resolves list[index].
func (p *Path) element(list *value.Value, index ssa.Value, at ssa.Instruction) *value.Value {
	l := list.Base()
	if phi := program.LoopVariable(index); phi != nil && l.Kind == value.List {
		var known []*value.Value
		open := false
		for _, e := range l.Args {
			if e.Is(value.Spread) {
				open = true
				continue
			}
			known = append(known, e)
		}
		n := len(known)
		if open {
			n++
		}
		if n > 0 {
			if i := p.Choose(p.loopKey(phi), n); i < len(known) {
				return known[i]
			}
		}
		return value.UnknownFor("an element of a list that is not known")
	}
	if program.LoopVariable(index) != nil {
		return value.Apply(value.Elem, list)
	}
	return value.Apply(value.Index, list, p.Eval(index, at))
}

// loopKey is the key of the choice of an element in a loop.
type loopKey struct {
	loop any
	turn int
}

func (p *Path) loopKey(loop any) any { return loopKey{loop, 0} }

// turns returns what the loop with that header runs over, the key of its
// element, and how often it runs when the list or map is known; −1 otherwise.
func (p *Path) turns(header *ssa.BasicBlock) (list *value.Value, key any, n int) {
	closed := func(v *value.Value) int {
		switch l := v.Base(); l.Kind {
		case value.Nil:
			return 0
		case value.Map:
			return len(l.Args) / 2
		case value.List:
			if n := value.Apply(value.Len, l); n.Kind == value.Int {
				return int(n.Num)
			}
		}
		return -1
	}
	for _, instr := range header.Instrs {
		switch instr := instr.(type) {
		case *ssa.Next:
			if r, ok := instr.Iter.(*ssa.Range); ok {
				m := p.Eval(r.X, r)
				return m, instr, closed(m)
			}
		case *ssa.If:
			// i < len(list), computed before the loop or in its header.
			cmp, ok := instr.Cond.(*ssa.BinOp)
			if !ok || cmp.Op != token.LSS {
				return nil, nil, -1
			}
			phi := program.LoopVariable(cmp.X)
			length, isCall := cmp.Y.(*ssa.Call)
			if phi == nil || !isCall {
				return nil, nil, -1
			}
			if b, ok := length.Call.Value.(*ssa.Builtin); !ok || b.Name() != "len" {
				return nil, nil, -1
			}
			l := p.Eval(length.Call.Args[0], length)
			return l, phi, closed(l)
		}
	}
	return nil, nil, -1
}

// receive resolves what comes out of a channel: what the package sends on
// it.
func (p *Path) receive(v *ssa.UnOp) *value.Value {
	key := p.p.ChanKey(v.X)
	sent := p.p.Sends[key]
	if len(sent) == 0 {
		return program.UnknownOf(v.Type(), "a value from a channel")
	}
	return p.Eval(sent[p.Choose(v, len(sent))], nil)
}
