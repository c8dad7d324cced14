package trace

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// load resolves what is stored at an address when the instruction at reads
// it. Pointers count as what they point to, so that it also serves for the
// address itself.
func (p *path) load(addr ssa.Value, at ssa.Instruction) *value.Value {
	root, path := p.p.address(addr)
	v := p.loadFrom(root, path, at)
	if fa, ok := addr.(*ssa.FieldAddr); ok {
		v = viaHandle(fieldKey(fieldOf(fa), fa.X.Type()), v, deref(fa.Type()))
	}
	return v
}

// loadFrom resolves the part at path of what root denotes.
func (p *path) loadFrom(root ssa.Value, path pathTo, at ssa.Instruction) *value.Value {
	switch r := root.(type) {
	case *ssa.Alloc:
		return p.loadAlloc(r, path, at)
	case *ssa.Global:
		return p.global(r, path)
	}
	// A field that this function sets before it reads it.
	if stores := p.p.stores[root]; len(stores) > 0 && len(path) > 0 {
		if v := p.loadStored(root, stores, path, at); v != nil {
			return v
		}
	}
	t := deref(root.Type())
	v := p.modified(root, p.eval(root, at), at)
	if ia, ok := root.(*ssa.IndexAddr); ok { // of a slice
		v = p.element(p.eval(ia.X, ia), ia.Index, ia)
	}
	return p.part(v, t, path)
}

// part descends into a value along path. t is the value's type.
func (p *path) part(v *value.Value, t types.Type, path pathTo) *value.Value {
	for _, step := range path {
		t = deref(t)
		switch u := t.Underlying().(type) {
		case *types.Struct:
			if step < 0 || step >= u.NumFields() {
				return unknown("a part of memory")
			}
			v = p.field(v, u.Field(step).Origin(), t)
			t = u.Field(step).Type()
		case *types.Array:
			t = u.Elem()
			if step == anyElement {
				v = value.Apply(value.Elem, v)
			} else {
				v = value.Apply(value.Index, v, value.IntOf(int64(-1-step)))
			}
		default:
			return unknown("a part of memory")
		}
	}
	return v
}

// loadStored resolves a part of a parameter, or of what a pointer points to,
// that this function has stored itself. It returns nil when the part may
// come from before the function.
func (p *path) loadStored(root ssa.Value, stores []store, path pathTo, at ssa.Instruction) *value.Value {
	defs, entry := reaching(stores, path, at, nil)
	if entry || len(defs) == 0 || at == nil {
		return nil
	}
	return p.fromDefs(root, defs, path, deref(root.Type()), at)
}

// loadAlloc resolves a part of a local variable or of what new made.
func (p *path) loadAlloc(a *ssa.Alloc, path pathTo, at ssa.Instruction) *value.Value {
	if at != nil && at.Parent() != a.Parent() {
		at = nil // read in a closure, or somewhere else: at any time
	}
	t := deref(a.Type())
	if len(path) == 0 && p.p.setInParts(a, at) {
		return p.composite(a, path, t, at)
	}
	if s, n := p.p.onlyStore(a, path, at); n == 1 && !p.p.takesOptions(a) {
		return p.fromDefs(a, []store{s}, path, t, at)
	} else if n == storedInParts && !p.p.takesOptions(a) {
		return p.composite(a, path, typeAt(t, path), at)
	} else if n == 0 && !p.p.takesOptions(a) {
		return p.zeroPart(a, path, typeAt(t, path), at)
	}
	var set []setByCall
	defs, entry := reaching(p.p.stores[a], path, at, func(i ssa.Instruction) bool {
		s, stops := p.p.setsPart(i, a, path)
		if s.call != nil {
			set = append(set, s)
		}
		return stops
	})
	partType := typeAt(t, path)
	if at == nil && p.p.setSomewhere(a, path) {
		return unknownOf(typeAt(t, path), "a variable whose address is passed on")
	}
	options := p.p.optionCalls(a, path, at)
	if len(defs) == 0 && len(set) == 0 {
		v := zeroOf(partType)
		if len(options) == 0 {
			v = p.zeroPart(a, path, partType, at)
		}
		return p.withOptions(v, options, nil)
	}
	return p.alternatives(a, defs, set, options, path, t, at, entry && at != nil && p.mayBeZero(defs, partType))
}

// mayBeZero reports whether the zero value of a variable is one of the
// values that a load can find, given that some way leads there past all
// stores. It is not when the stores are those of closures, which real code
// runs before it reads, nor where parts of a struct are stored.
func (p *path) mayBeZero(defs []store, t types.Type) bool {
	if _, isStruct := t.Underlying().(*types.Struct); isStruct {
		return false
	}
	for _, d := range defs {
		if d.at.Parent().Parent() != nil {
			return false
		}
	}
	return true
}

// alternatives chooses among the stores that reach a load.
func (p *path) alternatives(root ssa.Value, defs []store, set []setByCall, options []optionCall, path pathTo, t types.Type, at ssa.Instruction, zero bool) *value.Value {
	// Stores to parts make up a whole: a struct field by field.
	for _, d := range defs {
		if len(d.path) > len(path) {
			return p.composite(root, path, typeAt(t, path), at)
		}
	}
	n := len(defs) + len(set)
	if zero {
		n++
	}
	type key struct {
		root ssa.Value
		at   ssa.Instruction
	}
	i := p.choose(key{root, at}, n)
	var from ssa.Instruction
	var others []ssa.Instruction
	for j, d := range defs {
		if j != i {
			others = append(others, d.at)
		} else if from = d.at; n > 1 {
			p.assumeBlock(from.Block(), from.Block().Idom(), &p.guards)
		}
	}
	for j, s := range set {
		if len(defs)+j != i {
			others = append(others, s.call)
		} else {
			from = s.call
		}
	}
	p.assumeSkipped(others, from, at)
	switch {
	case i < len(defs):
		return p.withOptions(p.fromDefs(root, defs[i:i+1], path, t, at), options, defs[i].at)
	case i < len(defs)+len(set):
		s := set[i-len(defs)]
		return p.withOptions(p.setValue(root.(*ssa.Alloc), s, path), options, s.call)
	}
	return p.withOptions(zeroOf(typeAt(t, path)), options, nil)
}

// fromDefs resolves one of the stores that reach a load.
func (p *path) fromDefs(root ssa.Value, defs []store, path pathTo, t types.Type, at ssa.Instruction) *value.Value {
	for _, d := range defs {
		if len(d.path) > len(path) {
			return p.composite(root, path, typeAt(t, path), at)
		}
	}
	d := defs[p.choose(defs[0].at, len(defs))]
	if step, ok := increment(d.val); ok && sameAddress(p.p, d, root) {
		return value.Apply(value.Count, value.IntOf(step))
	}
	if len(defs) > 1 {
		p.assumeBlock(d.at.Block(), d.at.Block().Idom(), &p.guards)
	}
	v := p.eval(d.val, d.at)
	if v.Expr == nil {
		v = v.At(p.p.syntax.elements[d.at.Pos()])
	}
	return p.part(v, typeAt(t, d.path), path[len(d.path):])
}

// increment reports whether a stored value is what was there plus a
// constant, and the constant.
func increment(v ssa.Value) (int64, bool) {
	b, ok := v.(*ssa.BinOp)
	if !ok || b.Op != token.ADD {
		return 0, false
	}
	c, ok := b.Y.(*ssa.Const)
	if _, load := b.X.(*ssa.UnOp); !ok || !load {
		return 0, false
	}
	return intConst(c)
}

// intConst returns the value of an integer constant.
func intConst(c *ssa.Const) (int64, bool) {
	if c.Value == nil || c.Value.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(c.Value)
}

// sameAddress reports whether a store's increment loads from where it
// stores.
func sameAddress(prog *program, d store, root ssa.Value) bool {
	load := d.val.(*ssa.BinOp).X.(*ssa.UnOp)
	r, path := prog.address(load.X)
	return load.Op == token.MUL && r == root && path.equal(d.path)
}

// composite makes a struct or array out of the stores to its parts.
func (p *path) composite(root ssa.Value, path pathTo, t types.Type, at ssa.Instruction) *value.Value {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		s := &value.Value{Kind: value.Struct, Name: typeKey(t), Site: root}
		fields := map[string]int{}
		for i := 0; i < u.NumFields(); i++ {
			fields[u.Field(i).Name()] = i
		}
		s.Lazy = func(name string) *value.Value {
			i, ok := fields[name]
			if !ok {
				return nil
			}
			part := append(path[:len(path):len(path)], i)
			v := p.loadFrom(root, part, at)
			return viaHandle(fieldKey(u.Field(i).Origin(), t), v, u.Field(i).Type())
		}
		s.Keys = structKeys(u)
		return s
	case *types.Array:
		return p.arrayOf(root, path, u, at)
	}
	return unknownOf(t, "a part of memory")
}

// structKeys lists the fields that a lazy struct may have.
func structKeys(u *types.Struct) []string {
	var keys []string
	for i := 0; i < u.NumFields(); i++ {
		keys = append(keys, u.Field(i).Name())
	}
	return keys
}

// maxElements bounds the literals whose elements are followed.
const maxElements = 64

func (p *path) arrayOf(root ssa.Value, path pathTo, u *types.Array, at ssa.Instruction) *value.Value {
	if u.Len() > maxElements {
		return unknown("an array of many elements")
	}
	list := value.ListOf()
	for i := int64(0); i < u.Len(); i++ {
		part := append(path[:len(path):len(path)], -1-int(i))
		list.Args = append(list.Args, p.loadFrom(root, part, at))
	}
	return list
}

// alloc resolves a pointer to a local variable or to what new made, as what
// it points to.
func (p *path) alloc(a *ssa.Alloc, at ssa.Instruction) *value.Value {
	t := deref(a.Type())
	switch btapi.Type(t) {
	case "bigtable.Mutation", "bigtable.ReadModifyWrite":
		if len(p.p.stores[a]) == 0 {
			return p.made("bigtable.New"+btapi.Type(t)[len("bigtable."):], a)
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if at != nil && at.Parent() != a.Parent() {
			at = nil
		}
		// A struct that is stored whole is that struct.
		if defs, entry := reaching(p.p.stores[a], nil, at, nil); !entry && len(defs) > 0 {
			whole := true
			for _, d := range defs {
				whole = whole && len(d.path) == 0
			}
			whole = whole && !p.p.setInParts(a, at)
			if c, isZero := defs[0].val.(*ssa.Const); whole && !(len(defs) == 1 && isZero && c.Value == nil) {
				return p.fromDefs(a, defs, nil, t, at)
			}
		}
		s := p.composite(a, nil, t, at)
		s.Expr = nil
		if lit := p.p.syntax.literals[a.Pos()]; lit != nil {
			s.Expr = lit
		}
		return s
	case *types.Array:
		return p.arrayOf(a, nil, u, at)
	}
	return p.loadAlloc(a, nil, at)
}

// zeroPart resolves a part to which nothing is stored on the way: its zero
// value, unless somebody else was given the address.
func (p *path) zeroPart(a *ssa.Alloc, path pathTo, t types.Type, at ssa.Instruction) *value.Value {
	if len(path) == 1 && btapi.IsRootType(a.Type()) && len(p.p.fields[structField(deref(a.Type()), path[0])]) > 0 {
		return unknownOf(t, "a field of a message that is set elsewhere")
	}
	if len(p.p.stores[a]) == 0 || at == nil {
		if p.p.escapes(a) {
			return unknownOf(t, "a variable whose address is passed on")
		}
	} else if p.p.escapesBefore(a, at) {
		return unknownOf(t, "a variable whose address is passed on")
	}
	if _, ok := t.Underlying().(*types.Struct); ok {
		if v := zeroOf(t); v.Kind != value.Struct {
			return v
		}
		return &value.Value{Kind: value.Struct, Name: typeKey(t)}
	}
	return zeroOf(t)
}

// zeroOf returns the zero value of a type.
func zeroOf(t types.Type) *value.Value {
	if c := classOf(t); c != value.NoClass {
		return value.ZeroOf(c)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return value.StrOf("")
		case u.Info()&types.IsInteger != 0:
			return value.IntOf(0)
		case u.Info()&types.IsFloat != 0:
			return value.FloatOf(0)
		case u.Info()&types.IsBoolean != 0:
			return value.BoolOf(false)
		}
	case *types.Struct:
		return &value.Value{Kind: value.Struct, Name: typeKey(t)}
	case *types.Array:
		return unknown("an array of zeros")
	}
	return value.NilValue()
}

// typeAt returns the type of the part at path of a value of type t.
func typeAt(t types.Type, path pathTo) types.Type {
	for _, step := range path {
		switch u := deref(t).Underlying().(type) {
		case *types.Struct:
			if step >= 0 && step < u.NumFields() {
				t = u.Field(step).Type()
			}
		case *types.Array:
			t = u.Elem()
		}
	}
	return t
}

func deref(t types.Type) types.Type {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		return ptr.Elem()
	}
	return t
}
