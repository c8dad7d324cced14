package memory

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Load resolves what is stored at an address when the instruction at reads
// it. Pointers count as what they point to, so that it also serves for the
// address itself.
func (p *Reader) Load(addr ssa.Value, at ssa.Instruction) *value.Value {
	if c := p.p.countedElement(addr); c != nil {
		return c
	}
	if v := p.tabled(addr, at); v != nil {
		return v
	}
	root, path := p.p.Prog.Address(addr)
	v := p.loadFrom(root, path, at)
	if fa, ok := addr.(*ssa.FieldAddr); ok {
		v = ViaHandle(kind.FieldKey(kind.FieldOf(fa), fa.X.Type()), v, kind.Deref(fa.Type()))
	}
	return v
}

// loadFrom resolves the part at path of what root denotes.
func (p *Reader) loadFrom(root ssa.Value, path kind.PathTo, at ssa.Instruction) *value.Value {
	switch r := root.(type) {
	case *ssa.Alloc:
		return p.loadAlloc(r, path, at)
	case *ssa.Global:
		return p.Global(r, path)
	}
	whole := len(path) == 0 && (kind.IsStruct(kind.Deref(root.Type())) || !kind.IsPointer(root.Type()))
	if a, in := p.p.pointee(root, at); a != nil {
		if at != nil && at.Parent() != a.Parent() && !whole {
			if v := p.loadStored(root, p.p.storesBy(root), path, at); v != nil {
				return v
			}
		}
		return p.loadAlloc(a, append(in[:len(in):len(in)], path...), at)
	}
	if ia, ok := root.(*ssa.IndexAddr); ok && at != nil && kind.LoopVariable(ia.Index) == nil {
		if e := p.history.element(p.Way.Eval(ia.X, ia), p.Way.Eval(ia.Index, ia)); e != nil && (at.Parent() == e.Parent() || kind.Within(at.Parent(), e.Parent())) {
			return p.loadAlloc(e.Alloc, append(e.Path[:len(e.Path):len(e.Path)], path...), at)
		}
	}
	// A field that this function sets before it reads it.
	if stores := p.p.storesBy(root); len(stores) > 0 && !whole {
		if v := p.loadStored(root, stores, path, at); v != nil {
			return v
		}
	}
	t := kind.Deref(root.Type())
	v := p.Way.Eval(root, at)
	if part := p.pointsTo(root, v, at); part != nil {
		return p.loadAlloc(part.Alloc, append(part.Path[:len(part.Path):len(part.Path)], path...), at)
	}
	v = p.modified(root, v, path, at)
	if ia, ok := root.(*ssa.IndexAddr); ok { // of a slice
		v = way.Element(p.Way, p.Way.Eval(ia.X, ia), ia.Index, ia)
	}
	for i := range path {
		near, in := p.closed.near, p.closed.nearAt
		p.closed.near, p.closed.nearAt = p.p.Prog.Heap().Part(root, path[:i+1]), nil
		if at != nil {
			p.closed.nearAt = at.Parent()
		}
		v = p.part(v, kind.TypeAt(t, path[:i]), path[i:i+1])
		p.closed.near, p.closed.nearAt = near, in
	}
	if !whole && p.p.writtenBeside(root, path, at, nil) {
		return kind.UnknownOf(kind.TypeAt(t, path), perhapsBefore)
	}
	return v
}

// storesBy lists the stores to parts of what a pointer points to.
func (p *Memory) storesBy(root ssa.Value) []program.Store {
	var out []program.Store
	for _, same := range p.sameAs(root) {
		out = append(out, p.Prog.Stores[same]...)
	}
	return out
}

// part descends into a value along path. t is the value's type.
func (p *Reader) part(v *value.Value, t types.Type, path kind.PathTo) *value.Value {
	for i, step := range path {
		if v.Kind == value.Unknown && v.Name == perhapsBefore {
			// What its type's fields hold elsewhere says nothing of it.
			return kind.UnknownOf(kind.TypeAt(t, path[i:]), perhapsBefore)
		}
		t = kind.Deref(t)
		switch u := t.Underlying().(type) {
		case *types.Struct:
			if step < 0 || step >= u.NumFields() {
				return value.UnknownFor("a part of memory")
			}
			v = p.Field(v, u.Field(step).Origin(), t)
			t = u.Field(step).Type()
		case *types.Array:
			t = u.Elem()
			if step == kind.AnyElement {
				v = value.Apply(value.Elem, v)
			} else {
				v = value.Apply(value.Index, v, value.IntOf(int64(-1-step)))
			}
		default:
			return value.UnknownFor("a part of memory")
		}
	}
	return v
}

// loadStored resolves a part of a parameter, or of what a pointer points to,
// that this function has stored itself. It returns nil when the part may
// come from before the function.
func (p *Reader) loadStored(root ssa.Value, stores []program.Store, path kind.PathTo, at ssa.Instruction) *value.Value {
	byCall, same := false, p.p.sameAs(root)
	defs, entry := p.p.Prog.Reaching(stores, path, at, func(i ssa.Instruction) bool {
		stops := slices.ContainsFunc(same, func(pointer ssa.Value) bool { _, sets := p.p.Objects.SetsPart(i, pointer, path); return sets })
		byCall = byCall || stops
		return stops
	})
	if entry || byCall || len(defs) == 0 || at == nil || p.p.writtenBeside(root, path, at, defs) {
		return nil
	}
	return p.fromDefs(root, defs, path, kind.Deref(root.Type()), at)
}

// loadAlloc resolves a part of a local variable or of what new made. A struct that was
// copied there is that part's.
func (p *Reader) loadAlloc(a *ssa.Alloc, path kind.PathTo, at ssa.Instruction) *value.Value {
	v := p.stored(a, path, at)
	if len(path) > 0 && kind.IsStruct(kind.TypeAt(kind.Deref(a.Type()), path)) {
		return identified(v, p.p.Prog.PartOf(a, path))
	}
	return v
}

func (p *Reader) stored(a *ssa.Alloc, path kind.PathTo, at ssa.Instruction) *value.Value {
	asked, o := at, p.p.others(a, path)
	if at != nil && at.Parent() != a.Parent() {
		place, part := p.p.Prog.Heap().At(a, path), kind.TypeAt(kind.Deref(a.Type()), path)
		if at = p.p.asOf(a, place, at); at == nil && isInteger(part) {
			if c := countedAt(p.p, place); c != nil {
				return c
			}
		}
		switch aside := o == nil && at == nil && p.p.writtenAside(a, place); {
		case aside && kind.IsStruct(part):
			return p.composite(a, path, part, asked)
		case aside:
			return kind.UnknownOf(part, perhapsBefore)
		}
	}
	t := kind.Deref(a.Type())
	if o != nil {
		return p.shared(a, path, at, o)
	}
	if len(path) == 0 && kind.ClassOf(t) != value.Time && p.p.Objects.SetInParts(a, at) {
		return p.composite(a, path, t, at)
	}
	if len(path) > 0 && p.p.Objects.OptionsOn(a, path) {
		if part := kind.TypeAt(t, path); kind.IsStruct(part) {
			return p.composite(a, path, part, at)
		}
	}
	var set []SetByCall
	defs, entry := p.p.Prog.Reaching(p.p.Prog.Stores[a], path, at, func(i ssa.Instruction) bool {
		s, stops := p.p.Objects.SetsPart(i, a, path)
		if s.Call != nil {
			set = append(set, s)
		}
		return stops
	})
	// What a way does not make it does not find.
	entry = entry && at != nil && p.p.Prog.Graphs.Before(a, at)
	partType := kind.TypeAt(t, path)
	if len(defs) > 1 && len(set) == 0 && !kind.IsStruct(partType) && anyTime(defs, a, at == nil && asked != nil) {
		return p.whichever(a, path, at, lastWrites{stores: defs}, p.p.Objects.OptionCalls(a, path, at))
	}
	if at == nil && p.p.Objects.SetSomewhere(a, path) {
		return kind.UnknownOf(kind.TypeAt(t, path), "a variable whose address is passed on")
	}
	options := p.p.Objects.OptionCalls(a, path, at)
	if len(defs) == 0 && len(set) == 0 {
		v := p.p.Prog.ZeroOf(partType)
		if len(options) == 0 {
			v = p.zeroPart(a, path, partType, at)
		}
		return p.withOptions(v, options, nil)
	}
	return p.alternatives(a, defs, set, options, path, t, at, entry && p.mayBeZero(defs, partType))
}

// anyTime reports whether nothing tells which of several stores is the last before a
// load: a function literal reads what is stored afterwards too, or has one of the stores.
// Of a variable that counts all are steps.
func anyTime(defs []program.Store, a *ssa.Alloc, inLiteral bool) bool {
	for _, d := range defs {
		if _, counts := kind.Increment(d.Val); counts {
			return false
		}
		inLiteral = inLiteral || d.At.Parent() != a.Parent()
	}
	return inLiteral
}

// mayBeZero reports whether the zero value of a variable is one of the
// values that a load can find, given that some way leads there past all
// stores. It is not when the stores are those of closures, which real code
// runs before it reads, nor where parts of a struct are stored.
func (p *Reader) mayBeZero(defs []program.Store, t types.Type) bool {
	if kind.IsStruct(t) {
		return false
	}
	for _, d := range defs {
		if d.At.Parent().Parent() != nil {
			return false
		}
	}
	return true
}

// alternatives chooses among the stores that reach a load.
func (p *Reader) alternatives(root ssa.Value, defs []program.Store, set []SetByCall, options []OptionCall, path kind.PathTo, t types.Type, at ssa.Instruction, zero bool) *value.Value {
	// Stores to parts make up a whole: a struct field by field.
	for _, d := range defs {
		if len(d.Path) > len(path) {
			return p.composite(root, path, kind.TypeAt(t, path), at)
		}
	}
	n := len(defs) + len(set)
	if zero {
		n++
	}
	// Parts that are set in the same places are set together.
	type key struct {
		root   ssa.Value
		at     ssa.Instruction
		places string
	}
	i := p.Way.Choose(key{root, at, places(defs, set)}, n)
	var from ssa.Instruction
	var others []ssa.Instruction
	for j, d := range defs {
		if j != i {
			others = append(others, d.At)
		} else if from = d.At; n > 1 {
			p.Way.AssumeSet(d, root, at)
		}
	}
	for j, s := range set {
		if len(defs)+j != i {
			others = append(others, s.Call)
		} else {
			from = s.Call
		}
	}
	p.Way.AssumeSkipped(others, from, at)
	partType := kind.TypeAt(kind.Deref(t), path)
	if at != nil && kind.Begins(partType) && p.p.Prog.Graphs.PassesLoop(others, at) && (i == n-1 && zero || i < len(defs) && kind.IsZero(defs[i].Val)) {
		return kind.UnknownOf(partType, "what a variable begins with")
	}
	if at != nil {
		if h := p.p.Prog.Graphs.LaterTurn(from, others, at); h != nil && p.Way.Past(h) {
			return kind.UnknownOf(partType, "what the first turn of a loop finds")
		}
	}
	switch {
	case i < len(defs):
		return p.withOptions(p.fromDefs(root, defs[i:i+1], path, t, at), options, defs[i].At)
	case i < len(defs)+len(set):
		s := set[i-len(defs)]
		return p.withOptions(p.setValue(root.(*ssa.Alloc), s, path), options, s.Call)
	}
	return p.withOptions(p.p.Prog.ZeroOf(kind.TypeAt(t, path)), options, nil)
}

// places tells apart where a part may be set.
func places(defs []program.Store, set []SetByCall) string {
	var b strings.Builder
	for _, d := range defs {
		fmt.Fprintf(&b, "%p ", d.At.Block())
	}
	for _, s := range set {
		fmt.Fprintf(&b, "%p ", s.Call.Block())
	}
	return b.String()
}

// fromDefs resolves one of the stores that reach a load.
func (p *Reader) fromDefs(root ssa.Value, defs []program.Store, path kind.PathTo, t types.Type, at ssa.Instruction) *value.Value {
	for _, d := range defs {
		if len(d.Path) > len(path) {
			return p.composite(root, path, kind.TypeAt(t, path), at)
		}
	}
	d := defs[p.Way.Choose(defs[0].At, len(defs))]
	if step, ok := kind.Increment(d.Val); ok && sameAddress(p.p, d, root) {
		return value.Apply(value.Count, value.IntOf(step))
	}
	if len(defs) > 1 {
		p.Way.AssumeSet(d, root, at)
	}
	rest := path[len(d.Path):]
	v := p.Way.Eval(d.Val, d.At)
	if from, ok := d.Val.(*ssa.UnOp); ok && from.Op == token.MUL && len(rest) > 0 && v.Kind == value.Unknown && v.Name == perhapsBefore {
		// Of a struct that is copied the part alone may be known.
		copied, prefix := p.p.Prog.Address(from.X)
		return p.loadFrom(copied, append(prefix[:len(prefix):len(prefix)], rest...), from)
	}
	if v.Expr == nil {
		v = v.At(p.p.Prog.Syntax.Elements[d.At.Pos()])
	}
	return p.part(v, kind.TypeAt(t, d.Path), rest)
}

// sameAddress reports whether a store's increment loads from where it
// stores.
func sameAddress(prog *Memory, d program.Store, root ssa.Value) bool {
	load := d.Val.(*ssa.BinOp).X.(*ssa.UnOp)
	r, path := prog.Prog.Address(load.X)
	return load.Op == token.MUL && r == root && path.Equal(d.Path)
}

// Made returns a new object, told apart from others like it by the site at
// which it is made: the last argument is its identity.
func (p *Reader) Made(name string, site any, args ...*value.Value) *value.Value {
	args = append(args, value.StrOf(p.p.Prog.Sites.Site(site)))
	return &value.Value{Kind: value.Call, Name: name, Args: args, Site: site}
}
