package program

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// An indexer looks at the code of a program, once, for all that is looked up in it.
type indexer struct{ p *Program }

func (x *indexer) run() {
	x.collect()
	for _, fn := range x.p.Funcs {
		x.indexClosures(fn)
		x.indexTypes(fn)
	}
	for id, inst := range x.p.Pass.TypesInfo.Instances {
		for t := range inst.TypeArgs.Types() {
			x.convert(t, id.Pos())
		}
	}
	x.p.captured = map[*ssa.FreeVar]address{}
	for _, fn := range x.p.Funcs {
		x.index(fn)
	}
	for _, fn := range x.p.Funcs {
		for _, call := range x.p.Calls[fn] {
			x.indexCall(call)
		}
	}
}

// indexClosures records where function literals are made, which addresses of
// captured variables depend on.
func (x *indexer) indexClosures(fn *ssa.Function) {
	for instr := range kind.Instructions(fn) {
		if mc, ok := instr.(*ssa.MakeClosure); ok {
			x.p.Closures[mc.Fn.(*ssa.Function)] = mc
		}
	}
}

// index records what the function's instructions tell of memory and calls.
func (x *indexer) index(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			x.indexTaken(instr)
			switch instr := instr.(type) {
			case *ssa.Alloc:
				if name := kind.StructName(instr.Type()); name != nil && x.p.Owns(name) {
					x.p.Created[name] = append(x.p.Created[name], instr)
				}
			case *ssa.MakeInterface:
				if len(*instr.Referrers()) > 0 {
					x.convert(instr.X.Type(), fn.Pos())
				}
			case *ssa.Store:
				x.indexStore(fn, instr)
			case *ssa.UnOp:
				if fa, ok := instr.X.(*ssa.FieldAddr); ok {
					if f := kind.FieldOf(fa); f != nil {
						x.p.FieldLoads[f] = append(x.p.FieldLoads[f], instr)
					}
				}
				if instr.Op == token.MUL && kind.IsPointer(instr.Type()) {
					root, path := x.p.Address(instr.X)
					x.p.PartLoads[root] = append(x.p.PartLoads[root], instr)
					if len(path) == 0 {
						x.p.PointerLoads[root] = append(x.p.PointerLoads[root], instr)
					}
				}
			case *ssa.FieldAddr:
				givenAway := func(use ssa.Instruction) bool { return givesAway(use, instr) }
				if f := kind.FieldOf(instr); f != nil && slices.ContainsFunc(*instr.Referrers(), givenAway) {
					x.p.Addressed[f] = append(x.p.Addressed[f], instr)
				}
			case *ssa.Field:
				if f := kind.StructField(instr.X.Type(), instr.Field); f != nil {
					x.p.FieldLoads[f] = append(x.p.FieldLoads[f], instr)
				}
			case *ssa.Send:
				x.send(instr.Chan, instr.X)
			case *ssa.Select:
				for _, s := range instr.States {
					if s.Dir == types.SendOnly {
						x.send(s.Chan, s.Send)
					}
				}
			case ssa.CallInstruction:
				x.p.Calls[fn] = append(x.p.Calls[fn], instr)
			}
		}
	}
}

// givesAway reports whether an instruction hands an address to a call or an interface, or
// keeps it.
func givesAway(use ssa.Instruction, addr ssa.Value) bool {
	switch use := use.(type) {
	case ssa.CallInstruction, *ssa.MakeInterface:
		return true
	case *ssa.Store:
		return use.Addr != addr
	}
	return false
}

// convert records that code at a place uses a type as an interface, or as what constrains
// a type parameter.
func (x *indexer) convert(t types.Type, at token.Pos) {
	if named, ok := types.Unalias(kind.Deref(t)).(*types.Named); ok && !x.p.IsTest(at) {
		x.p.Behind.converted[named.Origin().Obj()] = true
	}
}

// indexTaken records the functions that an instruction uses as values, rather
// than calls.
func (x *indexer) indexTaken(instr ssa.Instruction) {
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
			if decl := x.p.Pkg.Prog.FuncValue(obj); decl != nil {
				fn = decl // a method value
			}
		}
		x.p.Taken[kind.Origin(fn)] = true
	}
}

// indexCall records what a call tells: who is called, which function is the
// callback of a read, which variables are given away.
func (x *indexer) indexCall(call ssa.CallInstruction) {
	t, ok := x.p.Target(call.Common())
	if !ok && call.Common().IsInvoke() {
		for _, fn := range x.p.Behind.Implementations(call.Common()) {
			x.p.Invokes[fn] = append(x.p.Invokes[fn], call)
		}
	}
	if ok && t.Fn != nil {
		x.p.Callers[t.Fn] = append(x.p.Callers[t.Fn], call)
	}
	x.indexRows(call)
	for _, a := range append(kind.Variadic(call.Common()), call.Common().Args...) {
		root, _ := x.p.Address(kind.Stripped(a))
		x.p.CalledWith[root] = true
	}
	for i, a := range t.Args {
		if g, ok := a.(*ssa.Global); ok && t.API == "" && !x.p.readsOnly(t, i) && x.p.counts(g, call.Pos()) {
			x.p.AddressTaken[g] = append(x.p.AddressTaken[g], call)
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

func (x *indexer) indexStore(fn *ssa.Function, s *ssa.Store) {
	root, path := x.p.Address(s.Addr)
	x.p.Stores[root] = append(x.p.Stores[root], Store{path, s.Val, s})
	if a, local := root.(*ssa.Alloc); local && len(path) > 1 {
		x.indexParts(a, path)
	}
	// A store to a field of what is not made here sets the field of some
	// object of its type.
	if fa, ok := s.Addr.(*ssa.FieldAddr); ok {
		if _, local := root.(*ssa.Alloc); !local {
			if f := kind.FieldOf(fa); f != nil {
				x.p.Fields[f] = append(x.p.Fields[f], FieldStore{fn, s.Val, s})
			}
			if outer, ok := fa.X.(*ssa.FieldAddr); ok && kind.FieldOf(outer) != nil {
				x.p.NestedIn[kind.FieldOf(outer)] = true
			}
		}
	}
}

// indexParts records the structs of this package in a variable to a field of
// which there is a store.
func (x *indexer) indexParts(a *ssa.Alloc, path kind.PathTo) {
	for n := 1; n < len(path); n++ {
		part := path[:n:n]
		name := kind.StructName(types.NewPointer(kind.TypeAt(kind.Deref(a.Type()), part)))
		if name == nil || !x.p.Owns(name) {
			continue
		}
		known := slices.ContainsFunc(x.p.CreatedIn[name], func(m Made) bool { return m.Alloc == a && m.Path.Equal(part) })
		if !known {
			x.p.CreatedIn[name] = append(x.p.CreatedIn[name], Made{a, part})
		}
	}
}

// A Sending puts a value into a channel.
type Sending struct{ Chan, Value ssa.Value }

// send records what is sent on a channel.
func (x *indexer) send(ch, val ssa.Value) {
	if key := kind.ChanKey(ch); key != "" {
		x.p.Sends[key] = append(x.p.Sends[key], Sending{ch, val})
	}
}

// collect lists the functions of the package in source order: the package's
// initialiser, declared functions and methods, and the literals in each.
func (x *indexer) collect() {
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		x.p.Funcs = append(x.p.Funcs, fn)
		for _, anon := range fn.AnonFuncs {
			add(anon)
		}
	}
	if init := x.p.Pkg.Func("init"); init != nil {
		add(init)
	}
	for _, file := range x.p.Pass.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				obj, _ := x.p.Pass.TypesInfo.Defs[decl.Name].(*types.Func)
				if fn := x.p.Pkg.Prog.FuncValue(obj); fn != nil {
					add(fn)
				}
			}
		}
	}
}
