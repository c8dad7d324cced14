package trace

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// fieldKey names a field as registries write handles: "path.Type.field".
func fieldKey(f *types.Var, structType types.Type) string {
	if f == nil {
		return ""
	}
	return typeKey(deref(structType)) + "." + f.Name()
}

// viaHandle marks a table with the field, variable or function that it came
// through.
func viaHandle(key string, v *value.Value, t types.Type) *value.Value {
	if key == "" || !tableLike(t) {
		return v
	}
	return value.ViaOf(key, v)
}

// tableLike reports whether values of a type are tables: the client's, or
// what has their methods.
func tableLike(t types.Type) bool {
	switch btapi.Type(t) {
	case "bigtable.Table", "bigtable.TableAPI", "bigtable.TableShim":
		return true
	}
	t = types.Unalias(t)
	if ptr, ok := t.(*types.Pointer); ok {
		t = types.Unalias(ptr.Elem())
	}
	switch t.Underlying().(type) {
	case *types.Interface, *types.Struct:
	default:
		return false
	}
	if _, ok := t.(*types.Named); !ok {
		return false
	}
	for _, name := range []string{"ReadRow", "ReadRows", "Apply", "ApplyBulk", "ApplyReadModifyWrite"} {
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, nil, name)
		if types.IsInterface(t) {
			obj, _, _ = types.LookupFieldOrMethod(t, true, nil, name)
		}
		if m, ok := obj.(*types.Func); ok && btapi.ShapeOf(m) != "" {
			return true
		}
	}
	return false
}

// field resolves a field of a struct value of type t.
func (p *path) field(v *value.Value, f *types.Var, t types.Type) *value.Value {
	if f == nil {
		return unknown("a field")
	}
	key := fieldKey(f, t)
	p.p.fieldVars[key] = fieldVar{f, t}
	r := value.FieldOf(v, key, classOf(f.Type()))
	if r.Kind == value.Field && p.close {
		if c := p.closeField(r, f, t); c != nil {
			r = c
		}
	}
	if r.Is(value.Zero) {
		r = zeroOf(f.Type())
	}
	return viaHandle(key, r, f.Type())
}

// A creation is the choice of the place at which an object was made, shared
// by all its fields.
type creation struct {
	object string
	typ    *types.TypeName
}

// closeField resolves a field of an object that comes from outside the
// function by everything that stores to it in the package: where objects of
// the type are made, and assignments elsewhere. It returns nil when the type
// is not this package's.
func (p *path) closeField(field *value.Value, f *types.Var, t types.Type) *value.Value {
	name := structName(deref(t))
	if name == nil || !p.p.owns(name) {
		return nil
	}
	if !p.p.isReceiver(field.Args[0].Base(), f) {
		return nil // whoever calls the function says what it is given
	}
	guard := creationStore{f, field.Args[0].String()}
	if p.closing[guard] {
		return unknownOf(f.Type(), "a field that depends on itself")
	}
	p.closing[guard] = true
	defer delete(p.closing, guard)
	var allocs []*ssa.Alloc
	for _, a := range p.p.created[name] {
		if (p.p.isTest(name.Pos()) || !p.p.isTest(a.Pos())) && !p.p.copies(a) {
			allocs = append(allocs, a)
		}
	}
	var stores []fieldStore
	for _, s := range p.p.fields[f] {
		if (p.p.isTest(name.Pos()) || !p.p.isTest(s.at.Pos())) && !p.p.byOption(s, allocs) {
			stores = append(stores, s)
		}
	}
	switch {
	case len(allocs)+len(stores) == 0:
		return unknownOf(f.Type(), "a field of an object that is made elsewhere")
	case len(allocs)+len(stores) > maxElements:
		return unknownOf(f.Type(), "a field that is stored to in too many places")
	}
	index := fieldIndex(deref(t), f)
	if len(stores) > 0 {
		// What methods assign is what the field holds when anything reads
		// it; what creation gives it may count too.
		n := len(stores)
		fromCreation := p.p.creates(allocs, index)
		if fromCreation {
			n++
		}
		if i := p.choose(creationStore{f, field.Args[0].String()}, n); i < len(stores) {
			if step, ok := increment(stores[i].val); ok {
				return value.Apply(value.Count, value.IntOf(step))
			}
			p.assumeBlock(stores[i].at.Block(), nil, &p.when)
			return p.eval(stores[i].val, nil)
		}
	}
	if len(allocs) == 0 {
		return unknownOf(f.Type(), "a field of an object that is made elsewhere")
	}
	a := allocs[p.choose(creation{field.Args[0].String(), name}, len(allocs))]
	p.assumeBlock(a.Block(), nil, &p.when)
	if !f.Exported() && len(p.p.fields[f]) == 0 && !p.p.creates(allocs, index) && !p.p.addressed[f] {
		return zeroOf(f.Type()) // nobody sets it
	}
	if !p.p.creates([]*ssa.Alloc{a}, index) {
		// Zero there, but what is made there need not come here.
		return unknownOf(f.Type(), "a field that is not set where the object is made")
	}
	return p.loadAlloc(a, pathTo{index}, p.p.handedOut(a))
}

// handedOut returns where a function is done with what it has made: its only
// return that reports no error; nil where it has several.
func (p *program) handedOut(a *ssa.Alloc) ssa.Instruction {
	var found ssa.Instruction
	for _, b := range a.Parent().Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || b == a.Parent().Recover || fails(ret) || !a.Block().Dominates(b) {
			continue
		}
		if found != nil {
			return nil
		}
		found = ret
	}
	return found
}

// isReceiver reports whether v is the receiver of a method, or unknown, or a
// field of such an object: what the package's constructors make.
func (p *program) isReceiver(v *value.Value, f *types.Var) bool {
	for v.Kind == value.Field || v.Is(value.Elem) || v.Is(value.Index) {
		v = v.Args[0].Base()
	}
	if v.Kind != value.Param {
		return true
	}
	fn, ok := v.Site.(*ssa.Function)
	if !ok {
		return true
	}
	switch f.Type().Underlying().(type) {
	case *types.Slice, *types.Map, *types.Chan:
		return true // filled by methods, whoever calls this function
	}
	if v.Num != 0 || fn.Signature.Recv() == nil {
		return false
	}
	obj := object(fn)
	return obj == nil || obj.Exported() || len(p.callers[fn]) == 0 // otherwise the calls in view tell more
}

// copies reports whether an allocation holds a copy of a whole struct rather
// than a new one.
func (p *program) copies(a *ssa.Alloc) bool {
	for _, s := range p.stores[a] {
		if len(s.path) == 0 {
			return true
		}
	}
	return false
}

// creationStore is the key of the choice among the stores to a field.
type creationStore struct {
	field  *types.Var
	object string
}

// creates reports whether a creation stores to the field.
func (p *program) creates(allocs []*ssa.Alloc, index int) bool {
	for _, a := range allocs {
		for _, s := range p.stores[a] {
			if len(s.path) > 0 && s.path[0] == index {
				return true
			}
		}
	}
	return false
}

func fieldIndex(t types.Type, f *types.Var) int {
	if s, ok := t.Underlying().(*types.Struct); ok {
		for i := 0; i < s.NumFields(); i++ {
			if s.Field(i).Origin() == f {
				return i
			}
		}
	}
	return -1
}

// setValue resolves what the part at path of a holds after a call that is
// given its address.
func (p *path) setValue(a *ssa.Alloc, s setByCall, path pathTo) *value.Value {
	if s.set == nil || s.set.set == nil || s.set.set.Value == nil {
		return unknown("what a call stores")
	}
	before := &value.Value{Kind: value.Struct, Lazy: func(string) *value.Value { return p.loadAlloc(a, path[:1], s.call) }}
	t := *s.set
	after := p.withSet(before, *t.set, t.at, t.fn, p.binder(t))
	field := structField(deref(a.Type()), path[0])
	v := value.FieldOf(after, "."+field.Name(), classOf(field.Type()))
	return p.part(v, field.Type(), path[1:])
}

// global resolves a package variable, or the part of it at path.
func (p *path) global(g *ssa.Global, path pathTo) *value.Value {
	t := deref(g.Type())
	if g.Pkg != p.p.pkg {
		return p.foreign(g, t, path)
	}
	key := g.Pkg.Pkg.Path() + "." + g.Name()
	var stores []store
	for _, s := range p.p.stores[g] {
		if p.p.isTest(g.Pos()) || !p.p.isTest(s.at.Pos()) {
			stores = append(stores, s)
		}
	}
	if p.p.addressTaken[g] {
		return viaHandle(key, unknownOf(typeAt(t, path), "a variable whose address is passed on"), typeAt(t, path))
	}
	for _, s := range stores {
		if len(s.path) > len(path) && s.path.hasPrefix(path) {
			return p.composite(g, path, typeAt(t, path), nil)
		}
	}
	var relevant []store
	for _, s := range stores {
		if path.hasPrefix(s.path) {
			relevant = append(relevant, s)
		}
	}
	if len(relevant) == 0 {
		if g.Object() != nil && g.Object().Exported() {
			return viaHandle(key, unknownOf(typeAt(t, path), "a variable that other packages may set"), t)
		}
		return viaHandle(key, zeroOf(typeAt(t, path)), t)
	}
	v := p.fromDefs(g, relevant, path, t, nil)
	return viaHandle(key, v, t)
}

// foreign resolves a variable of another package by its fact.
func (p *path) foreign(g *ssa.Global, t types.Type, path pathTo) *value.Value {
	obj, _ := g.Object().(*types.Var)
	if obj == nil {
		return unknownOf(typeAt(t, path), "a variable of another package")
	}
	key := obj.Pkg().Path() + "." + obj.Name()
	if p.p.addressTaken[g] || len(p.p.stores[g]) > 0 {
		return viaHandle(key, unknownOf(typeAt(t, path), "a variable of another package that is set here"), typeAt(t, path))
	}
	var fact Variable
	v := &value.Value{Kind: value.Global, Name: key, Class: classOf(t)}
	if p.p.pass.ImportObjectFact != nil && p.p.pass.ImportObjectFact(obj, &fact) && len(fact.Values) > 0 {
		v = fact.Values[p.choose(obj, len(fact.Values))]
	}
	return viaHandle(key, p.part(v, t, path), typeAt(t, path))
}

// interesting reports whether values of a type can carry something that the
// rules look at: mutations, filters, tables and the like. Structs count down
// to depth.
func interesting(t types.Type, depth int) bool { return carries(t, depth, 12) }

// carries bounds the layers too, of types that hold themselves.
func carries(t types.Type, depth, layers int) bool {
	if depth == 0 || layers == 0 {
		return false
	}
	if btapi.IsRootType(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return carries(u.Elem(), depth, layers-1)
	case *types.Slice:
		return carries(u.Elem(), depth, layers-1)
	case *types.Array:
		return carries(u.Elem(), depth, layers-1)
	case *types.Map:
		return carries(u.Elem(), depth, layers-1)
	case *types.Chan:
		return carries(u.Elem(), depth, layers-1)
	case *types.Struct:
		for i := 0; i < u.NumFields(); i++ {
			if carries(u.Field(i).Type(), depth-1, layers-1) {
				return true
			}
		}
	}
	return false
}
