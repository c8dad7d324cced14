package trace

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// A program is one package in SSA form with what tracing looks up in it.
type program struct {
	pass   *analysis.Pass
	pkg    *ssa.Package
	syntax *syntax
	funcs  []*ssa.Function // declared functions and literals, in source order

	stores   map[ssa.Value][]store                   // by the root of the address: an allocation, parameter or global
	fields   map[*types.Var][]fieldStore             // what is stored to a field of a struct that is not local
	created  map[*types.TypeName][]*ssa.Alloc        // where structs of a type are made
	invokes  map[*ssa.Function][]ssa.CallInstruction // calls of interface methods that several types implement
	calls    map[*ssa.Function][]ssa.CallInstruction // by the function in which they stand
	callers  map[*ssa.Function][]ssa.CallInstruction // by the function that is called
	closures map[*ssa.Function]*ssa.MakeClosure
	// mapUpdates are the assignments to elements of maps that are loaded from
	// somewhere, by the root of the address.
	mapUpdates map[ssa.Value][]*ssa.MapUpdate
	sends      map[string][]ssa.Value // by channel: what is sent on it
	rows       map[*ssa.Function]rowParam

	// addressTaken marks package variables whose address is given away.
	addressTaken map[*ssa.Global]bool
	implementers map[string][]*types.Named // by interface

	results map[*ssa.Function]*results
	imports map[*types.Func]*Summary
	sites   siteTable

	dynamics     map[ssa.CallInstruction][]target // what calls run that only values tell
	effects      map[*ssa.Function][]Effect
	effectKeys   map[*ssa.Function]map[string]bool
	flowing      map[*ssa.Function][]Flow // what functions put in their parameters
	holds        map[resultOf]contents
	filled       map[location]*fillings
	touched      map[ssa.Value][]touch          // what may set fields of what a pointer points to
	settings     map[*ssa.Function][]FieldSet   // what functions set of what they are given
	pointerLoads map[ssa.Value][]ssa.Value      // by the local variable that holds the pointer
	setters      map[*ssa.Function]*value.Value // what functions set on their last parameter
	addressed    map[*types.Var]bool            // fields whose address is given away
	fieldLoads   map[*types.Var][]ssa.Value     // what is read from a field
	paramUses    map[paramOf]Uses               // what functions do with rows that they are given
	order        sync.Mutex                     // of what follows, once the package is traced
	graphs       map[*ssa.Function]*flowGraph
	indexes      map[ssa.Instruction]int    // the places of instructions in their blocks
	applications map[ssa.Value]*application // of mutations
	calledWith   map[ssa.Value]bool         // what calls are given the address of
	traced       map[*types.Package]bool    // imports that have been traced
	taken        map[*ssa.Function]bool     // functions that are used as values
	inParts      map[*ssa.Alloc]bool        // whether calls set some fields of a local struct
	optioned     map[*ssa.Alloc]bool        // whether functional options are run on an object
	raw          map[any][]*value.Value     // the tables of raw requests, by the messages in them
	exported     map[*types.Func]*Summary
	fieldVars    map[string]fieldVar    // by the names of fields in values
	checks       map[*ssa.Function]bool // whether a function checks the time of cells by hand
	logging      *log
	steps        int // evaluated so far
}

// results is the memoised result of a function's returns.
type results struct {
	busy  bool
	cases []ResultCase
}

// A fieldStore is a store to a field through a pointer that is not a local
// allocation: what sets the field of objects made elsewhere.
type fieldStore struct {
	fn  *ssa.Function
	val ssa.Value
	at  ssa.Instruction
}

// newProgram builds the package's SSA form and indexes it.
func newProgram(pass *analysis.Pass) *program {
	prog := ssa.NewProgram(pass.Fset, ssa.BuilderMode(0))
	for _, p := range pass.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	pkg := prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)
	pkg.Build()

	p := &program{
		pass: pass, pkg: pkg, syntax: newSyntax(pass.Files),
		stores:       map[ssa.Value][]store{},
		fields:       map[*types.Var][]fieldStore{},
		created:      map[*types.TypeName][]*ssa.Alloc{},
		invokes:      map[*ssa.Function][]ssa.CallInstruction{},
		calls:        map[*ssa.Function][]ssa.CallInstruction{},
		callers:      map[*ssa.Function][]ssa.CallInstruction{},
		mapUpdates:   map[ssa.Value][]*ssa.MapUpdate{},
		closures:     map[*ssa.Function]*ssa.MakeClosure{},
		sends:        map[string][]ssa.Value{},
		rows:         map[*ssa.Function]rowParam{},
		addressTaken: map[*ssa.Global]bool{},
		implementers: map[string][]*types.Named{},
		results:      map[*ssa.Function]*results{},
		imports:      map[*types.Func]*Summary{},
		dynamics:     map[ssa.CallInstruction][]target{},
		effects:      map[*ssa.Function][]Effect{},
		effectKeys:   map[*ssa.Function]map[string]bool{},
		exported:     map[*types.Func]*Summary{},
		graphs:       map[*ssa.Function]*flowGraph{},
		indexes:      map[ssa.Instruction]int{},
		fieldVars:    map[string]fieldVar{},
		checks:       map[*ssa.Function]bool{},
		flowing:      map[*ssa.Function][]Flow{},
		holds:        map[resultOf]contents{},
		touched:      map[ssa.Value][]touch{},
		settings:     map[*ssa.Function][]FieldSet{},
		pointerLoads: map[ssa.Value][]ssa.Value{},
		setters:      map[*ssa.Function]*value.Value{},
		addressed:    map[*types.Var]bool{},
		fieldLoads:   map[*types.Var][]ssa.Value{},
		paramUses:    map[paramOf]Uses{},
		applications: map[ssa.Value]*application{},
		calledWith:   map[ssa.Value]bool{},
		traced:       map[*types.Package]bool{},
		taken:        map[*ssa.Function]bool{},
		inParts:      map[*ssa.Alloc]bool{},
		optioned:     map[*ssa.Alloc]bool{},
	}
	p.collect()
	for _, fn := range p.funcs {
		p.indexClosures(fn)
	}
	for _, fn := range p.funcs {
		p.index(fn)
	}
	for _, fn := range p.funcs {
		for _, call := range p.calls[fn] {
			p.indexCall(call)
		}
	}
	return p
}

// collect lists the functions of the package in source order: the package's
// initialiser, declared functions and methods, and the literals in each.
func (p *program) collect() {
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		p.funcs = append(p.funcs, fn)
		for _, anon := range fn.AnonFuncs {
			add(anon)
		}
	}
	if init := p.pkg.Func("init"); init != nil {
		add(init)
	}
	for _, file := range p.pass.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				obj, _ := p.pass.TypesInfo.Defs[decl.Name].(*types.Func)
				if fn := p.pkg.Prog.FuncValue(obj); fn != nil {
					add(fn)
				}
			}
		}
	}
}

// indexClosures records where function literals are made, which addresses of
// captured variables depend on.
func (p *program) indexClosures(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if mc, ok := instr.(*ssa.MakeClosure); ok {
				p.closures[mc.Fn.(*ssa.Function)] = mc
			}
		}
	}
}

// index records what the function's instructions tell of memory and calls.
func (p *program) index(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			p.indexTaken(instr)
			switch instr := instr.(type) {
			case *ssa.Alloc:
				if name := structName(instr.Type()); name != nil && p.owns(name) {
					p.created[name] = append(p.created[name], instr)
				}
			case *ssa.Store:
				p.indexStore(fn, instr)
			case *ssa.UnOp:
				if fa, ok := instr.X.(*ssa.FieldAddr); ok {
					if f := fieldOf(fa); f != nil {
						p.fieldLoads[f] = append(p.fieldLoads[f], instr)
					}
				}
				if instr.Op == token.MUL && isPointer(instr.Type()) {
					if root, path := p.address(instr.X); len(path) == 0 {
						p.pointerLoads[root] = append(p.pointerLoads[root], instr)
					}
				}
			case *ssa.FieldAddr:
				for _, use := range *instr.Referrers() {
					switch use.(type) {
					case ssa.CallInstruction, *ssa.MakeInterface, *ssa.Store:
						if s, ok := use.(*ssa.Store); ok && s.Addr == instr {
							continue
						}
						if f := fieldOf(instr); f != nil {
							p.addressed[f] = true
						}
					}
				}
			case *ssa.Field:
				if f := structField(instr.X.Type(), instr.Field); f != nil {
					p.fieldLoads[f] = append(p.fieldLoads[f], instr)
				}
			case *ssa.MapUpdate:
				if load, ok := instr.Map.(*ssa.UnOp); ok && load.Op == token.MUL {
					root, _ := p.address(load.X)
					p.mapUpdates[root] = append(p.mapUpdates[root], instr)
				}
			case *ssa.Send:
				if key := p.chanKey(instr.Chan); key != "" {
					p.sends[key] = append(p.sends[key], instr.X)
				}
			case ssa.CallInstruction:
				p.calls[fn] = append(p.calls[fn], instr)
			}
		}
	}
}

// indexTaken records the functions that an instruction uses as values, rather
// than calls.
func (p *program) indexTaken(instr ssa.Instruction) {
	var callee ssa.Value
	if call, ok := instr.(ssa.CallInstruction); ok {
		callee = call.Common().Value
	}
	for _, op := range instr.Operands(nil) {
		fn, ok := (*op).(*ssa.Function)
		if !ok || *op == callee {
			continue
		}
		if obj := object(fn); obj != nil && fn.Synthetic != "" {
			if decl := p.pkg.Prog.FuncValue(obj); decl != nil {
				fn = decl // a method value
			}
		}
		p.taken[origin(fn)] = true
	}
}

// indexCall records what a call tells: who is called, which function is the
// callback of a read, which variables are given away.
func (p *program) indexCall(call ssa.CallInstruction) {
	t, ok := p.target(call.Common())
	if !ok && call.Common().IsInvoke() {
		for _, fn := range p.implementations(call.Common()) {
			p.invokes[fn] = append(p.invokes[fn], call)
		}
	}
	if ok && t.fn != nil {
		p.callers[t.fn] = append(p.callers[t.fn], call)
	}
	p.indexRows(call)
	for _, a := range append(variadic(call.Common()), call.Common().Args...) {
		root, _ := p.address(stripped(a))
		p.calledWith[root] = true
	}
	for _, a := range call.Common().Args {
		if g, ok := a.(*ssa.Global); ok && t.api == "" {
			p.addressTaken[g] = true
		}
	}
}

func (p *program) indexStore(fn *ssa.Function, s *ssa.Store) {
	root, path := p.address(s.Addr)
	p.stores[root] = append(p.stores[root], store{path, s.Val, s})
	// A store to a field of what is not made here sets the field of some
	// object of its type.
	if fa, ok := s.Addr.(*ssa.FieldAddr); ok {
		if _, local := root.(*ssa.Alloc); !local {
			if f := fieldOf(fa); f != nil {
				p.fields[f] = append(p.fields[f], fieldStore{fn, s.Val, s})
			}
		}
	}
}

// owns reports whether a type or field is declared in this package.
func (p *program) owns(obj types.Object) bool { return obj.Pkg() == p.pass.Pkg }

// isTest reports whether the position is in a test file. What tests store
// and make says nothing of the code that they test, and drivers differ in
// whether they show it to the analyzers.
func (p *program) isTest(pos token.Pos) bool {
	f := p.pass.Fset.File(pos)
	return f != nil && strings.HasSuffix(f.Name(), "_test.go")
}

// origin returns the generic function of an instance, or fn.
func origin(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

// outermost returns the declared function in which a literal stands.
func outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// object returns the function's declared object, of an instance the
// generic one's.
func object(fn *ssa.Function) *types.Func {
	obj, _ := fn.Object().(*types.Func)
	if obj != nil {
		return obj.Origin()
	}
	return nil
}

// hasBody reports whether fn is a function of this package with code.
func (p *program) hasBody(fn *ssa.Function) bool {
	return fn != nil && len(fn.Blocks) > 0 && outermost(fn).Pkg == p.pkg
}

// structName returns the name of the struct type that t points to, or nil.
func structName(t types.Type) *types.TypeName {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	if _, ok := n.Underlying().(*types.Struct); !ok {
		return nil
	}
	return n.Origin().Obj()
}

// fieldOf returns the field that fa addresses.
func fieldOf(fa *ssa.FieldAddr) *types.Var {
	ptr, ok := fa.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	return structField(ptr.Elem(), fa.Field)
}

func structField(t types.Type, i int) *types.Var {
	if s, ok := t.Underlying().(*types.Struct); ok && i < s.NumFields() {
		return s.Field(i).Origin()
	}
	return nil
}

// typeKey names a type in values: by its name in btapi, else by path and
// name.
func typeKey(t types.Type) string {
	if s := btapi.Type(t); s != "" {
		return s
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		if n.Obj().Pkg() != nil {
			return n.Obj().Pkg().Path() + "." + n.Obj().Name()
		}
		return n.Obj().Name()
	}
	return "struct"
}

// funcKey names a function or method as registries write it.
func funcKey(fn *types.Func) string {
	if fn.Pkg() == nil {
		return fn.Name()
	}
	if recv := fn.Signature().Recv(); recv != nil {
		return typeKey(recv.Type()) + "." + fn.Name()
	}
	return fn.Pkg().Path() + "." + fn.Name()
}

// classOf returns what arithmetic needs to know of a value of type t.
func classOf(t types.Type) value.Class {
	if t == nil || isPointer(t) {
		return value.NoClass // a pointer may be nil, which is no time
	}
	switch {
	case btapi.Type(t) == "bigtable.Timestamp":
		return value.Timestamp
	case btapi.Type(t) == "time.Time":
		return value.Time
	case btapi.Type(t) == "time.Duration":
		return value.Duration
	}
	return value.NoClass
}
