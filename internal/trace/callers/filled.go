package callers

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// An Object is a struct of another package that is filled here and handed on as an
// interface: whoever gets it may call its methods.
type Object struct {
	Alloc    *ssa.Alloc
	Literal  *ast.CompositeLit  // which fills it
	HandedOn *ssa.MakeInterface // at the first place that makes it an interface
	Uncalled []*types.Func      // those of the interface's methods that no call of the package runs
}

// Filled lists such objects, in the order of the program.
func (p *Escapes) Filled() []Object {
	var objects []Object
	var called map[*types.Func]bool
	seen := map[*ast.CompositeLit]bool{}
	for _, fn := range p.Funcs {
		if p.IsTest(fn.Pos()) {
			continue
		}
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				mi, ok := instr.(*ssa.MakeInterface)
				if !ok {
					continue
				}
				object := madeOf(mi)
				lit := p.filled(mi, object)
				if lit == nil || seen[lit] {
					continue
				}
				seen[lit] = true
				if called == nil {
					called = p.called()
				}
				objects = append(objects, Object{object, lit, mi, p.uncalled(mi, called)})
			}
		}
	}
	return objects
}

// uncalled returns the methods of an object that is made an interface which no call
// of the package runs.
func (p *Escapes) uncalled(mi *ssa.MakeInterface, called map[*types.Func]bool) []*types.Func {
	var methods []*types.Func
	outer := p.decorated(mi)
	iface := mi.Type().Underlying().(*types.Interface)
	for i := range iface.NumMethods() {
		m := iface.Method(i)
		obj, _, _ := types.LookupFieldOrMethod(mi.X.Type(), true, m.Pkg(), m.Name())
		method, ok := obj.(*types.Func)
		if ok && (outer == nil && !called[method.Origin()] || outer != nil && !called[p.decorating(outer, m)]) {
			methods = append(methods, method.Origin())
		}
	}
	return methods
}

// filled returns the literal of a struct of another package that is made an
// interface, or nil.
func (p *Escapes) filled(mi *ssa.MakeInterface, object *ssa.Alloc) *ast.CompositeLit {
	name := kind.StructName(types.NewPointer(kind.Deref(mi.X.Type())))
	if name == nil || name.Pkg() == nil || p.Owns(name) || object == nil {
		return nil
	}
	return p.Syntax.Literals[object.Pos()]
}

// madeOf returns the object that is made an interface, or nil.
func madeOf(mi *ssa.MakeInterface) *ssa.Alloc {
	v := mi.X
	if load, ok := v.(*ssa.UnOp); ok {
		v = load.X
	}
	a, _ := v.(*ssa.Alloc)
	return a
}

// called returns the methods of other packages that calls of this one run.
func (p *Escapes) called() map[*types.Func]bool {
	out := map[*types.Func]bool{}
	for _, fn := range p.Funcs {
		for _, call := range p.Calls[fn] {
			for _, t := range p.Targets(call) {
				if t.Obj != nil {
					out[t.Obj.Origin()] = true
				}
			}
		}
	}
	return out
}

// decorated returns the struct of another package into which an interface goes,
// where it goes nowhere else: that package's methods call it, whatever this one
// calls of the same type.
func (p *Escapes) decorated(mi *ssa.MakeInterface) *types.TypeName {
	var found *types.TypeName
	for _, r := range *mi.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			fa, ok := r.Addr.(*ssa.FieldAddr)
			if !ok {
				return nil
			}
			name := kind.StructName(fa.X.Type())
			if name == nil || p.Owns(name) {
				return nil
			}
			found = name
		default:
			return nil
		}
	}
	return found
}

// decorating returns the method of a struct that passes calls of an interface's
// method on to what is stored in it; nil where it is not known to.
func (p *Escapes) decorating(outer *types.TypeName, m *types.Func) *types.Func {
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(outer.Type()), true, m.Pkg(), m.Name())
	method, ok := obj.(*types.Func)
	if !ok {
		return nil
	}
	if s := p.Imported(method.Origin()); s == nil || len(s.Effects) == 0 {
		return nil
	}
	return method.Origin()
}
