package memory

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/heap"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Field resolves a field of a struct value of type t.
func (p *Reader) Field(v *value.Value, f *types.Var, t types.Type) *value.Value {
	if f == nil {
		return value.UnknownFor("a field")
	}
	key := kind.FieldKey(f, t)
	p.p.fieldVars[key] = fieldVar{f, t}
	r := value.FieldOf(v, key, kind.ClassOf(f.Type()))
	if r.Kind == value.Field && p.closed.close {
		if c := p.closed.closeField(r, f, t); c != nil {
			r = c
		} else if c := p.closed.foreignField(f, t); c != nil {
			r = c
		} else if c := p.p.countedBy(f, t); c != nil {
			r = c
		}
	}
	if r.Is(value.Zero) {
		r = kind.ZeroOf(f.Type())
	}
	return ViaHandle(key, r, f.Type())
}

// A creation is the choice of the place at which an object was made, shared
// by all its fields.
type creation struct {
	object string
	typ    *types.TypeName
}

// A closed resolves fields of objects that are not known by what the package stores in
// them, wherever that is.
type closed struct {
	r       *Reader
	p       *Memory
	Way     *way.Way
	close   bool                   // whether any are
	closing map[creationStore]bool // the fields that are being resolved by their stores
	near    *heap.Place            // where the field lies that is being resolved; nil where that is not known
	nearAt  *ssa.Function          // which asks for it
}

// closeField resolves a field of an object that comes from outside the
// function by everything that stores to it in the package: where objects of
// the type are made, and assignments elsewhere. It returns nil when the type
// is not this package's.
func (p *closed) closeField(field *value.Value, f *types.Var, t types.Type) *value.Value {
	name := kind.StructName(kind.Deref(t))
	if name == nil || !p.p.Prog.Owns(name) {
		return nil
	}
	if !p.p.isReceiver(field.Args[0].Base(), f, t) {
		if kind.TableLike(f.Type()) {
			return p.givenTable(field, f, name)
		}
		if isWrapper(f) {
			return p.onlyWrapper(f, name)
		}
		return nil // whoever calls the function says what it is given
	}
	if element := p.r.lookedUp(field.Args[0]); element != nil {
		return value.FieldOf(element, field.Name, field.Class)
	}
	if ofNone(field.Args[0], f) {
		return nil
	}
	if p.p.Prog.NestedIn[f] {
		return nil // its parts are resolved one by one
	}
	if sets := p.p.setInPlace(f, name); len(sets) > 0 {
		s := sets[p.Way.Choose(creationStore{f, field.Args[0].String()}, len(sets))]
		return p.r.withSet(value.UnknownFor(madeElsewhere), *s.Set, s.At, s.Fn, p.r.SetBinder(s))
	}
	guard := creationStore{f, field.Args[0].String()}
	if p.closing[guard] {
		return kind.UnknownOf(f.Type(), way.Itself)
	}
	p.closing[guard] = true
	defer delete(p.closing, guard)
	near := p.near
	if near != nil && p.nearAt != nil && near.MadeIn(kind.Outermost(p.nearAt)) {
		// What all of the package stores in fields of that name says little of it.
		return kind.UnknownOf(f.Type(), perhapsBefore)
	}
	p.near = nil // of what is asked for meanwhile another place is
	defer func() { p.near = near }()
	made := p.madeThere(near, name, kind.FieldIndex(kind.Deref(t), f))
	var allocs []*ssa.Alloc
	for _, m := range made {
		allocs = append(allocs, m.Alloc)
	}
	var stores []program.FieldStore
	for _, s := range p.p.Prog.Fields[f] {
		if (near == nil || mayBe(near, p.p.Prog.Heap().Place(s.At.(*ssa.Store).Addr))) && (p.p.Prog.IsTest(name.Pos()) || !p.p.Prog.IsTest(s.At.Pos())) && !p.p.Objects.ByOption(s, allocs) {
			stores = append(stores, s)
		}
	}
	var left []addressed
	for _, s := range p.p.byAddress(f).stored {
		if root, _ := p.p.Prog.Address(s.addr); near == nil || mayBe(near, p.p.Prog.Heap().Place(s.addr)) {
			if _, made := root.(*ssa.Alloc); !made { // or it is read there
				left = append(left, s)
			}
		}
	}
	if built := p.p.built(stores, name, kind.FieldIndex(kind.Deref(t), f)); len(built) > 0 {
		// An object for which nobody has called the builder's method has no table.
		if table := p.onlyOpenedBy(append(built, p.p.setBeside(stores, made, f, t)...)); table != nil && kind.TableLike(f.Type()) {
			return table
		}
		return kind.UnknownOf(f.Type(), setByBuilder)
	}
	switch {
	case len(made)+len(stores)+len(left) == 0:
		return kind.UnknownOf(f.Type(), madeElsewhere)
	case len(made)+len(stores)+len(left) > way.MaxElements:
		return kind.UnknownOf(f.Type(), "a field that is stored to in too many places")
	}
	index := kind.FieldIndex(kind.Deref(t), f)
	if len(stores)+len(left) > 0 {
		// What methods assign is what the field holds when anything reads
		// it; what creation gives it may count too. A flag or an error is
		// asked for before anybody has set it, too.
		n := len(stores) + len(left)
		if p.p.creates(made, index) || flags(f.Type()) {
			n++
		}
		i := p.Way.Choose(creationStore{f, field.Args[0].String()}, n)
		if i < len(stores) {
			if step, ok := kind.Increment(stores[i].Val); ok {
				return value.Apply(value.Count, value.IntOf(step))
			}
			p.Way.AssumeStore(stores[i].At, nil, func(v ssa.Value) bool { return loadsField(v, f) }, &p.Way.When)
			return p.Way.Eval(stores[i].Val, nil)
		}
		if i -= len(stores); i < len(left) {
			p.Way.AssumeStore(left[i].at, nil, func(v ssa.Value) bool { return loadsField(v, f) }, &p.Way.When)
			return left[i].value
		}
	}
	if len(made) == 0 {
		return kind.UnknownOf(f.Type(), madeElsewhere)
	}
	m := made[p.Way.Choose(creation{field.Args[0].String(), name}, len(made))]
	p.Way.AssumeBlock(m.Block(), nil, &p.Way.When)
	if !f.Exported() && len(p.p.Prog.Fields[f]) == 0 && !p.p.creates(made, index) && len(p.p.Prog.Addressed[f]) == 0 && !p.p.copySets(name, index) {
		return kind.ZeroOf(f.Type()) // nobody sets it
	}
	if !p.p.filled(m, index) && !p.p.Objects.TakesOptions(m.Alloc) {
		// Zero there, but what is made there need not come here.
		if len(stores) == 0 {
			return kind.UnknownOf(f.Type(), value.Unsupplied)
		}
		return kind.UnknownOf(f.Type(), "a field that is not set where the object is made")
	}
	v := p.r.loadAlloc(m.Alloc, append(m.Path[:len(m.Path):len(m.Path)], index), program.HandedOut(p.p.Prog, m.Alloc))
	if kind.TableLike(f.Type()) {
		v = p.suppliedTable(v, m.Alloc)
	}
	return p.sinceMade(v, field, f)
}

// mayBe reports whether a place may be the one at hand: what is not made in view may be
// anything.
func mayBe(near, place *heap.Place) bool { return !near.Inside() || near.Meets(place) }

// madeThere lists where structs of a type are made that may be the one at hand.
func (p *closed) madeThere(near *heap.Place, name *types.TypeName, field int) (out []program.Made) {
	for _, m := range p.p.Prog.MadeOf(name) {
		if near == nil || mayBe(near, p.p.Prog.Heap().At(m.Alloc, append(m.Path[:len(m.Path):len(m.Path)], field))) {
			out = append(out, m)
		}
	}
	return out
}

// Closed returns a field that a parameter hangs in as what the package stores
// in it, v where it is not known, or not asked for.
func (p *Reader) Closed(v *value.Value) *value.Value {
	// What an element of a list has is what this function would see in it.
	of := v.Args[0].Base()
	if !p.closed.close || !v.HasParams() && !of.Is(value.Elem) && !of.Is(value.Index) {
		return v
	}
	fv, ok := p.p.fieldVars[v.Name]
	if ok {
		if c := p.closed.closeField(v, fv.field, fv.owner); c != nil {
			return c
		}
	} else if fv.field, fv.owner = p.p.Prog.Names.FieldNamed(v.Name); fv.field == nil {
		return v
	}
	if c := p.p.countedBy(fv.field, fv.owner); c != nil {
		return c
	}
	return v
}

// ofNone reports whether an object is what a call out of view fills, or an element of a
// list or map that has none, or of one that is not known: when something happened to it,
// no other object tells, nor what one holds that others may have put there. Of an element
// that may be another than those that are known, others tell nothing. A mutation is no
// such value: all that are put in objects of the type are applied where one is.
func ofNone(object *value.Value, f *types.Var) bool {
	b := object.Base()
	mutation := btapi.Type(f.Type()) == "bigtable.Mutation"
	if b.Kind == value.Unknown {
		return (b.Name == way.UnknownElement || b.Name == writtenByCall) && !mutation
	}
	if !b.Is(value.Elem) && !b.Is(value.Index) {
		return false
	}
	in := b.Args[0].Base()
	return in.Kind == value.Nil || in.Is(value.Zero) ||
		in.Kind == value.Unknown && (kind.MayBeTime(f.Type()) || filledByOthers[in.Name] && !mutation)
}

// Reasons for which a field is not known.
const (
	madeElsewhere = "a field of an object that is made elsewhere"
	setByBuilder  = "a field that whoever builds the object may set"
)

// filledByOthers are the reasons for which a list is not known that say that others than
// those who make lists of its type here fill it.
var filledByOthers = map[string]bool{perhapsBefore: true, madeElsewhere: true, setByBuilder: true}

// flags reports whether fields of a type tell by their zero value that something
// has not happened yet: that the object is not closed, that nothing has failed.
func flags(t types.Type) bool {
	return kind.IsBool(t) || kind.IsError(t)
}

// loadsField reports whether a value is what a field holds.
func loadsField(v ssa.Value, f *types.Var) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		fa, ok := v.X.(*ssa.FieldAddr)
		return ok && v.Op == token.MUL && kind.FieldOf(fa) == f
	case *ssa.Field:
		return kind.StructField(v.X.Type(), v.Field) == f
	}
	return false
}

// chains reports whether a function is a method of a builder: it returns its receiver.
func chains(fn *ssa.Function) bool {
	sig := fn.Signature
	if sig.Recv() == nil || sig.Results().Len() != 1 || !types.Identical(sig.Results().At(0).Type(), sig.Recv().Type()) {
		return false
	}
	return slices.ContainsFunc(kind.ReturnsOf(fn), func(r *ssa.Return) bool { return r.Results[0] == ssa.Value(fn.Params[0]) })
}

// built lists what methods of a builder store in a field: of one that they return, or by
// value in a copy of it that they return.
func (p *Memory) built(stores []program.FieldStore, name *types.TypeName, index int) (out []ssa.Value) {
	for _, s := range stores {
		if chains(s.At.Parent()) {
			out = append(out, s.Val)
		}
	}
	for _, a := range p.Prog.Created[name] {
		fn := a.Parent()
		sig := fn.Signature
		if sig.Recv() == nil || sig.Results().Len() != 1 || !types.Identical(sig.Results().At(0).Type(), sig.Recv().Type()) {
			continue
		}
		receiver := false
		var set []ssa.Value
		for _, s := range p.Prog.Stores[a] {
			from := s.Val
			if load, ok := from.(*ssa.UnOp); ok && load.Op == token.MUL {
				from = load.X
			}
			receiver = receiver || len(s.Path) == 0 && from == ssa.Value(fn.Params[0])
			if len(s.Path) > 0 && s.Path[0] == index {
				set = append(set, s.Val)
			}
		}
		if receiver {
			out = append(out, set...)
		}
	}
	return out
}

// setBeside lists what is stored in a field where objects are made, and elsewhere.
func (p *Memory) setBeside(stores []program.FieldStore, made []program.Made, f *types.Var, t types.Type) (out []ssa.Value) {
	index := kind.FieldIndex(kind.Deref(t), f)
	for _, s := range stores {
		out = append(out, s.Val)
	}
	for _, m := range made {
		path := append(m.Path[:len(m.Path):len(m.Path)], index)
		for _, s := range p.Prog.Stores[m.Alloc] {
			if s.Path.Equal(path) && !loadsField(s.Val, f) {
				out = append(out, s.Val)
			}
		}
	}
	return out
}

// copySets reports whether the field is set in a copy of an object.
func (p *Memory) copySets(name *types.TypeName, index int) bool {
	return slices.ContainsFunc(p.Prog.Created[name], func(a *ssa.Alloc) bool { return p.Prog.FillsField(program.Made{Alloc: a}, index) })
}

// isReceiver reports whether v is the receiver of a method, or unknown, or a
// field of such an object: what the package's constructors make.
func (p *Memory) isReceiver(v *value.Value, f *types.Var, owner types.Type) bool {
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
	method := v.Num == 0 && fn.Signature.Recv() != nil
	switch f.Type().Underlying().(type) {
	case *types.Slice, *types.Map, *types.Chan:
		return method || !p.filledWhereMade(f, owner) // filled by methods, whoever calls this function
	}
	if !method {
		return false
	}
	obj := kind.Object(fn)
	return obj == nil || obj.Exported() || len(p.Prog.Callers[fn]) == 0 // otherwise the calls in view tell more
}

// filledWhereMade reports whether objects of a type come with a list or map of
// their own that has something in it: what one of them holds is not another's.
func (p *Memory) filledWhereMade(f *types.Var, owner types.Type) bool {
	index := kind.FieldIndex(kind.Deref(owner), f)
	for _, a := range p.Prog.Created[kind.StructName(kind.Deref(owner))] {
		for _, s := range p.Prog.Stores[a] {
			if len(s.Path) > 0 && s.Path[0] == index && !madeEmpty(s.Val) {
				return true
			}
		}
	}
	return false
}

// madeEmpty reports whether a list, map or channel has nothing in it where it is
// made.
func madeEmpty(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.MakeMap:
		for _, r := range *v.Referrers() {
			if up, ok := r.(*ssa.MapUpdate); ok && up.Map == v {
				return false
			}
		}
		return true
	case *ssa.MakeChan, *ssa.MakeSlice:
		return true
	}
	return kind.IsConst(v)
}

// creationStore is the key of the choice among the stores to a field.
type creationStore struct {
	field  *types.Var
	object string
}

// creates reports whether a creation stores to the field.
func (p *Memory) creates(made []program.Made, index int) bool {
	return slices.ContainsFunc(made, func(m program.Made) bool { return p.filled(m, index) })
}
