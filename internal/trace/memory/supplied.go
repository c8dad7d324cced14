package memory

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// suppliedTable returns a table that a constructor puts into what it makes as
// far as it hangs on a parameter of the constructor: a field of a struct of
// tables is the one that the package opens, and what all calls in view supply
// is what there is: what others may supply is judged at their calls.
func (p *closed) suppliedTable(table *value.Value, a *ssa.Alloc) *value.Value {
	if !table.HasParams() {
		return table
	}
	if b := table.Base(); b.Kind == value.Field {
		if fv, ok := p.p.fieldVars[b.Name]; ok && b.Args[0].Base().Kind == value.Param && p.p.Prog.Owns(fv.field) && fv.field.Exported() {
			if opened := p.p.ofAnyClient(p.r.OwnField(fv.field, fv.owner)); opened != nil {
				return opened
			}
		}
	}
	if same := p.agreed(table, kind.Origin(a.Parent())); same != nil {
		return same
	}
	return table
}

// givenTable returns the table in a field f of an object, of the package's type,
// that a function is given: of a constructor, not the function at hand, the one that
// all calls of it in view supply, and of a function that is called by way of what
// holds it the one that the package puts there. It is nil where they do not agree.
func (p *closed) givenTable(field *value.Value, f *types.Var, name *types.TypeName) *value.Value {
	object := field.Args[0].Base()
	for object.Kind == value.Field {
		object = object.Args[0].Base()
	}
	fn, ok := object.Site.(*ssa.Function)
	if !ok || object.Kind != value.Param {
		return nil
	}
	if p.p.Prog.Taken[fn] && !p.p.calledByName(fn) {
		return p.onlyOpened(f, name)
	}
	if !f.Exported() {
		if table := p.onlyOpened(f, name); table != nil {
			return table
		}
	}
	if p.Way.In() == nil || kind.Outermost(p.Way.In()) == kind.Outermost(fn) {
		return nil
	}
	return p.agreed(field, fn)
}

// calledByName reports whether a call names a function, rather than run it as a
// value.
func (p *Memory) calledByName(fn *ssa.Function) bool {
	return slices.ContainsFunc(p.Prog.Callers[fn], func(call ssa.CallInstruction) bool {
		t, ok := p.Prog.Target(call.Common())
		return ok && t.Fn == fn
	})
}

// onlyOpened returns the table that the package puts into a field of every object
// of a type of its own; nil where it puts several there, or what is not known.
func (p *closed) onlyOpened(f *types.Var, name *types.TypeName) *value.Value {
	return p.onlyOf(f, name, func(v *value.Value) *value.Value {
		opened := kind.OpenedName(v)
		if opened == nil {
			return p.p.ofAnyClient(v) // behind decorators
		}
		if opened = withoutMaker(opened); opened.Base().Kind == value.Unknown {
			return nil
		}
		return openedAs(v, opened)
	})
}

// onlyOf returns the one value that the package puts into a field of every object of
// a type of its own, apart from what as takes away; nil where it puts several there,
// or one that as does not know.
func (p *closed) onlyOf(f *types.Var, name *types.TypeName, as func(*value.Value) *value.Value) *value.Value {
	index := kind.FieldIndex(name.Type(), f)
	guard := creationStore{f, "whichever"}
	changed := func(a *ssa.Alloc) bool {
		return p.p.Prog.Copies(a) && p.p.Prog.FillsField(program.Made{Alloc: a}, index)
	}
	if p.p.Prog.NestedIn[f] || len(p.p.Prog.Addressed[f]) > 0 || p.closing[guard] || slices.ContainsFunc(p.p.Prog.Created[name], changed) {
		return nil
	}
	p.closing[guard] = true
	defer delete(p.closing, guard)
	guards, when := p.Way.Guards, p.Way.When
	defer func() { p.Way.Guards, p.Way.When = guards, when }() // whoever makes it, it is that one
	var only *value.Value
	agrees := func(v *value.Value) bool {
		if v.Kind == value.Nil {
			return true // by way of nil nothing is read or written
		}
		v = as(v)
		if v == nil || only != nil && only.String() != v.String() {
			return false
		}
		only = v
		return true
	}
	for _, m := range p.p.Prog.MadeOf(name) {
		path := append(m.Path[:len(m.Path):len(m.Path)], index)
		fills := func(s program.Store) bool { return s.Path.Equal(path) && !loadsField(s.Val, f) } // not out of another such object
		if slices.ContainsFunc(p.p.Prog.Stores[m.Alloc], fills) && !agrees(p.r.loadAlloc(m.Alloc, path, program.HandedOut(p.p.Prog, m.Alloc))) {
			return nil
		}
	}
	for _, s := range p.p.Prog.Fields[f] {
		if !p.p.Prog.IsTest(s.At.Pos()) && !loadsField(s.Val, f) && !agrees(p.Way.Eval(s.Val, nil)) {
			return nil
		}
	}
	return only
}

// isWrapper reports whether a field that only its package sets holds an object
// around a table.
func isWrapper(f *types.Var) bool {
	ptr, ok := types.Unalias(f.Type()).(*types.Pointer)
	return ok && !f.Exported() && kind.StructName(ptr) != nil && kind.HoldsTable(ptr.Elem(), 2)
}

// onlyWrapper returns the object around a table that the package puts into a field
// of every object of a type of its own, whatever it is made with; nil where it puts
// several there, or what is not known.
func (p *closed) onlyWrapper(f *types.Var, name *types.TypeName) *value.Value {
	return p.onlyOf(f, name, func(v *value.Value) *value.Value {
		made := withoutMaker(v)
		if made.Base().Kind == value.Unknown {
			return nil
		}
		return made
	})
}

// onlyOpenedBy returns the one table that all the values are, whoever supplies the
// client; nil where they are several, or what is not known.
func (p *closed) onlyOpenedBy(values []ssa.Value) *value.Value {
	guards, when := p.Way.Guards, p.Way.When
	defer func() { p.Way.Guards, p.Way.When = guards, when }()
	var only *value.Value
	for _, v := range values {
		table := p.p.ofAnyClient(p.Way.Eval(v, nil))
		if table == nil || only != nil && only.String() != table.String() {
			return nil
		}
		only = table
	}
	return only
}

// agreed returns what all calls of a function in view make of a table that hangs
// on its parameters; nil where they do not agree.
func (p *closed) agreed(table *value.Value, fn *ssa.Function) *value.Value {
	if kind.Object(fn) == nil || p.p.Prog.Taken[fn] {
		return nil
	}
	guards, when := p.Way.Guards, p.Way.When
	same := p.agreedBy(table, fn)
	if same == nil {
		p.Way.Guards, p.Way.When = guards, when // what the calls hang on has told nothing
	}
	return same
}

func (p *closed) agreedBy(table *value.Value, fn *ssa.Function) *value.Value {
	var same *value.Value
	for _, call := range p.p.Prog.Callers[fn] {
		if p.p.Prog.IsTest(call.Pos()) {
			continue
		}
		t, ok := p.p.Prog.Target(call.Common())
		if !ok || t.Fn != fn {
			return nil
		}
		bound := p.p.ofAnyClient(p.r.settle.Settle(table.Subst(p.r.Arguments(t, call).Binder(fn)), call))
		if bound == nil || same != nil && bound.String() != same.String() {
			return nil
		}
		same = bound
	}
	return same
}

// withoutMaker returns a value as it is whatever its object is made with.
func withoutMaker(v *value.Value) *value.Value {
	return v.Subst(func(leaf *value.Value) *value.Value {
		if leaf.Kind == value.Param {
			return value.UnknownFor("what an object is made with")
		}
		return nil
	})
}

// openedAs returns a table as one that some client opens under a name.
func openedAs(table, name *value.Value) *value.Value {
	b := *table.Base()
	b.Args = append([]*value.Value{value.UnknownFor("a client"), name}, b.Args[2:]...)
	return &b
}

// ofAnyClient returns a table whose name is known as one that some client opens, also
// where it is behind decorators; nil where the name is not known.
func (p *Memory) ofAnyClient(table *value.Value) *value.Value {
	b := table.Base()
	if b.Kind == value.Struct {
		return p.aroundAny(b)
	}
	name := kind.OpenedName(b)
	if name == nil || !name.Known() {
		return nil
	}
	return openedAs(b, name)
}

// aroundAny returns an object around one table as what has that in its field, and of
// which nothing else is known; nil of other objects.
func (p *Memory) aroundAny(object *value.Value) *value.Value {
	var out *value.Value
	for i, key := range object.Keys {
		if f, _ := p.Prog.Names.FieldNamed(object.Name + "." + key); object.Lazy != nil && (f == nil || !kind.TableLike(f.Type())) {
			continue
		}
		field := object.Get(key)
		if field == nil {
			continue
		}
		table := p.ofAnyClient(field)
		switch {
		case table == nil:
			continue
		case out != nil:
			return nil
		}
		out = &value.Value{Kind: value.Struct, Name: object.Name, Keys: object.Keys, Args: make([]*value.Value, len(object.Keys))}
		for j := range out.Args {
			out.Args[j] = value.UnknownFor("a field of an object around a table")
		}
		out.Args[i] = value.ViaOf(object.Name+"."+key, table)
	}
	return out
}
