package program

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// indexClosures records where function literals are made, which addresses of
// captured variables depend on.
func (p *Program) indexClosures(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if mc, ok := instr.(*ssa.MakeClosure); ok {
				p.Closures[mc.Fn.(*ssa.Function)] = mc
			}
		}
	}
}

// index records what the function's instructions tell of memory and calls.
func (p *Program) index(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			p.indexTaken(instr)
			switch instr := instr.(type) {
			case *ssa.Alloc:
				if name := kind.StructName(instr.Type()); name != nil && p.Owns(name) {
					p.Created[name] = append(p.Created[name], instr)
				}
			case *ssa.Store:
				p.indexStore(fn, instr)
			case *ssa.UnOp:
				if fa, ok := instr.X.(*ssa.FieldAddr); ok {
					if f := kind.FieldOf(fa); f != nil {
						p.FieldLoads[f] = append(p.FieldLoads[f], instr)
					}
				}
				if instr.Op == token.MUL && kind.IsPointer(instr.Type()) {
					root, path := p.Address(instr.X)
					p.PartLoads[root] = append(p.PartLoads[root], instr)
					if len(path) == 0 {
						p.PointerLoads[root] = append(p.PointerLoads[root], instr)
					}
				}
			case *ssa.FieldAddr:
				for _, use := range *instr.Referrers() {
					switch use.(type) {
					case ssa.CallInstruction, *ssa.MakeInterface, *ssa.Store:
						if s, ok := use.(*ssa.Store); ok && s.Addr == instr {
							continue
						}
						if f := kind.FieldOf(instr); f != nil {
							p.Addressed[f] = true
						}
					}
				}
			case *ssa.Field:
				if f := kind.StructField(instr.X.Type(), instr.Field); f != nil {
					p.FieldLoads[f] = append(p.FieldLoads[f], instr)
				}
			case *ssa.MapUpdate:
				if load, ok := instr.Map.(*ssa.UnOp); ok && load.Op == token.MUL {
					root, _ := p.Address(load.X)
					p.MapUpdates[root] = append(p.MapUpdates[root], instr)
				}
			case *ssa.Send:
				p.send(instr.Chan, instr.X)
			case *ssa.Select:
				for _, s := range instr.States {
					if s.Dir == types.SendOnly {
						p.send(s.Chan, s.Send)
					}
				}
			case ssa.CallInstruction:
				p.Calls[fn] = append(p.Calls[fn], instr)
			}
		}
	}
}

// indexTaken records the functions that an instruction uses as values, rather
// than calls.
func (p *Program) indexTaken(instr ssa.Instruction) {
	var callee ssa.Value
	if call, ok := instr.(ssa.CallInstruction); ok {
		callee = call.Common().Value
	}
	for _, op := range instr.Operands(nil) {
		fn, ok := (*op).(*ssa.Function)
		if !ok || *op == callee {
			continue
		}
		if obj := kind.Object(fn); obj != nil && fn.Synthetic != "" {
			if decl := p.Pkg.Prog.FuncValue(obj); decl != nil {
				fn = decl // a method value
			}
		}
		p.Taken[kind.Origin(fn)] = true
	}
}

// indexCall records what a call tells: who is called, which function is the
// callback of a read, which variables are given away.
func (p *Program) indexCall(call ssa.CallInstruction) {
	t, ok := p.Target(call.Common())
	if !ok && call.Common().IsInvoke() {
		for _, fn := range p.Implementations(call.Common()) {
			p.Invokes[fn] = append(p.Invokes[fn], call)
		}
	}
	if ok && t.Fn != nil {
		p.Callers[t.Fn] = append(p.Callers[t.Fn], call)
	}
	p.indexRows(call)
	for _, a := range append(kind.Variadic(call.Common()), call.Common().Args...) {
		root, _ := p.Address(kind.Stripped(a))
		p.CalledWith[root] = true
	}
	for i, a := range t.Args {
		if g, ok := a.(*ssa.Global); ok && t.API == "" && !p.readsOnly(t, i) && p.counts(g, call.Pos()) {
			p.AddressTaken[g] = true
		}
	}
}

// counts reports whether what is done to a package variable at pos says what it
// holds: a test that replaces it says nothing of the code that it tests.
func (p *Program) counts(g *ssa.Global, pos token.Pos) bool {
	return p.IsTest(g.Pos()) || !p.IsTest(pos)
}

// Assigned lists the stores to a package variable, of this or another package.
func (p *Program) Assigned(g *ssa.Global) []Store {
	var out []Store
	for _, s := range p.Stores[g] {
		if p.counts(g, s.At.Pos()) {
			out = append(out, s)
		}
	}
	return out
}

func (p *Program) indexStore(fn *ssa.Function, s *ssa.Store) {
	root, path := p.Address(s.Addr)
	p.Stores[root] = append(p.Stores[root], Store{path, s.Val, s})
	if a, local := root.(*ssa.Alloc); local && len(path) > 1 {
		p.indexParts(a, path)
	}
	// A store to a field of what is not made here sets the field of some
	// object of its type.
	if fa, ok := s.Addr.(*ssa.FieldAddr); ok {
		if _, local := root.(*ssa.Alloc); !local {
			if f := kind.FieldOf(fa); f != nil {
				p.Fields[f] = append(p.Fields[f], FieldStore{fn, s.Val, s})
			}
			if outer, ok := fa.X.(*ssa.FieldAddr); ok && kind.FieldOf(outer) != nil {
				p.NestedIn[kind.FieldOf(outer)] = true
			}
		}
	}
}

// indexParts records the structs of this package in a variable to a field of
// which there is a store.
func (p *Program) indexParts(a *ssa.Alloc, path kind.PathTo) {
	for n := 1; n < len(path); n++ {
		part := path[:n:n]
		name := kind.StructName(types.NewPointer(kind.TypeAt(kind.Deref(a.Type()), part)))
		if name == nil || !p.Owns(name) {
			continue
		}
		known := slices.ContainsFunc(p.CreatedIn[name], func(m Made) bool { return m.Alloc == a && m.Path.Equal(part) })
		if !known {
			p.CreatedIn[name] = append(p.CreatedIn[name], Made{a, part})
		}
	}
}

// A Sending puts a value into a channel.
type Sending struct{ Chan, Value ssa.Value }

// send records what is sent on a channel.
func (p *Program) send(ch, val ssa.Value) {
	if key := kind.ChanKey(ch); key != "" {
		p.Sends[key] = append(p.Sends[key], Sending{ch, val})
	}
}
