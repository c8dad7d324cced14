package program

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// Copies reports whether an allocation holds a copy of a whole struct rather
// than a new one.
func (p *Program) Copies(a *ssa.Alloc) bool {
	for _, s := range p.Stores[a] {
		if len(s.Path) == 0 {
			return true
		}
	}
	return false
}

// A Made is a struct that is made: a variable, or the part of one at a path.
type Made struct {
	*ssa.Alloc
	Path kind.PathTo
}

// MadeOf lists where structs of a type are made, those aside that are copies of
// others, and in tests where the type is not a test's.
func (p *Program) MadeOf(name *types.TypeName) []Made {
	var out []Made
	add := func(m Made) {
		if p.IsTest(m.Pos()) && !p.IsTest(name.Pos()) {
			return
		}
		for _, s := range p.Stores[m.Alloc] {
			if m.Path.HasPrefix(s.Path) {
				return // stored whole
			}
		}
		out = append(out, m)
	}
	for _, a := range p.Created[name] {
		add(Made{a, nil})
	}
	for _, m := range p.CreatedIn[name] {
		add(m)
	}
	return out
}

// FillsField reports whether there is a store to a field of the struct where it is
// made.
func (p *Program) FillsField(m Made, field int) bool {
	for _, s := range p.Stores[m.Alloc] {
		if n := len(m.Path); len(s.Path) > n && s.Path.HasPrefix(m.Path) && s.Path[n] == field {
			return true
		}
	}
	return false
}

// StoredIn lists what the package, its tests aside, stores in a field of a type: where
// objects are made, and of others.
func (p *Program) StoredIn(f *types.Var, name *types.TypeName) (stored []ssa.Value) {
	for _, s := range p.Fields[f] {
		if !p.IsTest(s.At.Pos()) {
			stored = append(stored, s.Val)
		}
	}
	if name == nil {
		return stored
	}
	made := slices.Clone(p.CreatedIn[name])
	for _, a := range p.Created[name] {
		made = append(made, Made{a, nil})
	}
	index := kind.FieldIndex(name.Type(), f)
	for _, m := range made {
		path := append(m.Path[:len(m.Path):len(m.Path)], index)
		for _, s := range p.Stores[m.Alloc] {
			if s.Path.Equal(path) && !p.IsTest(s.At.Pos()) {
				stored = append(stored, s.Val)
			}
		}
	}
	return stored
}

// A Store is an assignment to a place in memory: to the part at path of what
// its root denotes.
type Store struct {
	Path kind.PathTo
	Val  ssa.Value
	At   ssa.Instruction
}

// Address splits an address into its root — an allocation, a parameter, a
// global, or a pointer that was loaded — and the path from there. The root of
// a captured variable is the variable itself, in the enclosing function.
func (p *Program) Address(v ssa.Value) (root ssa.Value, path kind.PathTo) {
	root, path = kind.LocalAddress(v)
	free, ok := root.(*ssa.FreeVar)
	if !ok {
		return root, path
	}
	root, prefix := p.outer(free)
	return root, append(prefix[:len(prefix):len(prefix)], path...)
}

// outer is [Program.Address] for a captured variable. What the innermost of many
// literals captures is asked for again and again, and is many steps away.
func (p *Program) outer(free *ssa.FreeVar) (root ssa.Value, path kind.PathTo) {
	if at, ok := p.captured[free]; ok {
		return at.root, at.path
	}
	root = free
	if b := p.Binding(free); b != nil {
		root, path = p.Address(b)
	}
	if p.captured != nil {
		p.captured[free] = address{root, path}
	}
	return root, path
}

// An address is a root and the path from there.
type address struct {
	root ssa.Value
	path kind.PathTo
}

// Binding returns what a captured variable is bound to where its function
// literal is made, or nil.
func (p *Program) Binding(v *ssa.FreeVar) ssa.Value {
	mc := p.Closures[v.Parent()]
	if mc == nil {
		return nil
	}
	for i, f := range v.Parent().FreeVars {
		if f == v {
			return mc.Bindings[i]
		}
	}
	return nil
}

// Reaching returns the stores to path, or to something that holds it or is
// part of it, that reach the instruction at, and whether the beginning of
// the function reaches it past all of them. Without an instruction, or from
// another function, every store counts; those of closures where the way to the
// instruction runs something behind the last store of its own.
//
// barrier is asked for each other instruction on the way and stops the walk
// when it returns true: it stands for a store that is not one, such as a call
// that sets a field of its argument.
func (p *Program) Reaching(stores []Store, path kind.PathTo, at ssa.Instruction, barrier func(ssa.Instruction) bool) (defs []Store, entry bool) {
	byInstr := map[ssa.Instruction]Store{}
	var closures []Store
	runs := false
	for _, s := range stores {
		if !s.Path.HasPrefix(path) && !path.HasPrefix(s.Path) {
			continue
		}
		if at != nil && s.At.Parent() != at.Parent() {
			closures = append(closures, s)
			continue
		}
		byInstr[s.At] = s
	}
	if at == nil {
		for _, s := range stores {
			if _, ok := byInstr[s.At]; ok {
				defs = append(defs, s)
			}
		}
		return defs, len(defs) == 0
	}
	entry = control.Back(at, control.TakesTurn, func(instr ssa.Instruction) bool {
		if s, ok := byInstr[instr]; ok {
			defs = append(defs, s)
			return path.HasPrefix(s.Path) // of a store to a part other parts come from before
		}
		if s := p.certainlyRuns(instr, closures); s != nil && path.HasPrefix(s.Path) {
			defs = append(defs, *s)
			return true
		}
		runs = runs || len(closures) > 0 && p.mayRun(instr, closures)
		return barrier != nil && barrier(instr)
	})
	if runs || entry {
		defs = append(leadingTo(closures, at), defs...)
	}
	return defs, entry
}

// certainlyRuns returns the only one of the stores of function literals in the literal
// that an instruction calls, if that runs it each time; nil otherwise.
func (p *Program) certainlyRuns(instr ssa.Instruction, stores []Store) (found *Store) {
	call, ok := instr.(*ssa.Call)
	if !ok || len(stores) == 0 {
		return nil
	}
	fns := p.Heap().Calls(call)
	if callee := call.Call.StaticCallee(); len(fns) != 1 || callee != nil && callee != fns[0] {
		return nil
	}
	for i, s := range stores {
		switch {
		case s.At.Parent() != fns[0]:
		case found != nil || !control.Always(s.At):
			return nil
		default:
			found = &stores[i]
		}
	}
	return found
}

// mayRun reports whether an instruction may run one of the stores of function literals:
// a call of which it is known what it runs does if that is among it.
func (p *Program) mayRun(instr ssa.Instruction, stores []Store) bool {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return runsOthers(instr)
	}
	for _, s := range stores {
		if !p.Heap().Runs(s.At.Parent()) && runsOthers(instr) || p.Heap().MayReach(call, s.At.Parent()) {
			return true
		}
	}
	return false
}

// MayFill reports whether a function of another package may set what it is
// given the address of. Those of the client and of the standard library's
// time take what they are given as it is.
func (p *Program) MayFill(callee *ssa.Function, arg, root ssa.Value) bool {
	obj := kind.Object(callee)
	if obj == nil || btapi.OnlyReads(btapi.Func(obj)) || btapi.Encodes(obj) {
		return false
	}
	// Only this package can reach unexported fields, but by reflection,
	// which asks for an interface.
	if name := kind.StructName(root.Type()); name != nil && p.Owns(name) {
		_, reflected := arg.(*ssa.MakeInterface)
		return reflected
	}
	return true
}

// Escapes reports whether the address of a is given away at all.
func (p *Program) Escapes(a *ssa.Alloc) bool { return p.EscapesBefore(a, nil) }

// EscapesBefore reports whether the address of a is given to somebody who
// may store to it, before the instruction at.
func (p *Program) EscapesBefore(a *ssa.Alloc, at ssa.Instruction) bool {
	var visit func(v ssa.Value) bool
	visit = func(v ssa.Value) bool {
		for _, r := range *v.Referrers() {
			if r == at {
				continue
			}
			switch r := r.(type) {
			case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.MakeInterface:
				if visit(r.(ssa.Value)) {
					return true
				}
			case *ssa.Store:
				if r.Val == v && (at == nil || p.Graphs.Precedes(r, at)) && v != ssa.Value(a) {
					return true
				}
			case ssa.CallInstruction:
				if at != nil && !p.Graphs.Precedes(r, at) {
					continue
				}
				callee := r.Common().StaticCallee()
				if r.Common().IsInvoke() && btapi.OnlyReads(btapi.Func(r.Common().Method)) {
					continue // of a client's interface
				}
				if callee == nil || !p.HasBody(callee) && p.MayFill(callee, v, a) {
					return true
				}
			}
		}
		return false
	}
	return visit(a)
}
