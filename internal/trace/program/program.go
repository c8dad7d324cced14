package program

import (
	"go/token"
	"go/types"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/heap"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// A Program is one package in SSA form with what can be looked up in it.
type Program struct {
	Graphs *control.Graphs // the order in which the functions run
	Pass   *analysis.Pass
	Pkg    *ssa.Package
	Syntax *kind.Syntax
	Funcs  []*ssa.Function // declared functions and literals, in source order

	// Memory.
	Stores       map[ssa.Value][]Store                 // by the root of the address: an allocation, parameter or global
	NestedIn     map[*types.Var]bool                   // fields of structs that are not local, by way of which their parts are stored to
	Fields       map[*types.Var][]FieldStore           // what is stored to a field of a struct that is not local
	FieldLoads   map[*types.Var][]ssa.Value            // what is read from a field
	Addressed    map[*types.Var][]*ssa.FieldAddr       // by the field: where its address is given away
	AddressTaken map[*ssa.Global][]ssa.CallInstruction // the calls that package variables' addresses are given to
	Created      map[*types.TypeName][]*ssa.Alloc      // where structs of a type are made
	CreatedIn    map[*types.TypeName][]Made            // where they are parts of other structs, and filled field by field
	PointerLoads map[ssa.Value][]ssa.Value             // by the local variable that holds the pointer
	PartLoads    map[ssa.Value][]*ssa.UnOp             // of pointers, by the root of the address
	Sends        map[string][]Sending                  // by what channels carry: what is sent

	// Calls.
	Calls      map[*ssa.Function][]ssa.CallInstruction // by the function in which they stand
	Callers    map[*ssa.Function][]ssa.CallInstruction // by the function that is called
	Invokes    map[*ssa.Function][]ssa.CallInstruction // calls of interface methods that several types implement
	CalledWith map[ssa.Value]bool                      // what calls are given the address of
	Closures   map[*ssa.Function]*ssa.MakeClosure
	Taken      map[*ssa.Function]bool                // functions that are used as values
	RowParams  map[*ssa.Function]ssa.CallInstruction // by callbacks of reads, of which the first parameter is a row

	Names    *Names // what names in values mean
	Sites    *Sites // of mutations and rows
	Failures *Failures
	Behind   *Interfaces

	opened     map[*types.Interface]bool // whether an import has a type that opens tables for it
	decorates  map[*ssa.Function]bool    // see Decorates
	atomics    map[any]atomicCounter     // by what holds them
	imports    map[*types.Func]*summary.Summary
	apiNames   map[*types.Func]string
	traced     map[*types.Package]bool // imports that have been traced
	typeParams map[*types.TypeParam]*ssa.Function
	heap       *heap.Heap
	parts      map[*ssa.Alloc][]*Part
	captured   map[*ssa.FreeVar]address // what variables are captured, once all literals are indexed

	// Order guards what follows once the package is traced: analyzers run
	// side by side.
	Order sync.Mutex
}

// A FieldStore is a store to a field through a pointer that is not a local
// allocation: what sets the field of objects made elsewhere.
type FieldStore struct {
	Fn  *ssa.Function
	Val ssa.Value
	At  ssa.Instruction
}

// New builds the package's SSA form and indexes it.
func New(pass *analysis.Pass) *Program {
	prog := ssa.NewProgram(pass.Fset, ssa.BuilderMode(0))
	createImports(prog, pass)
	pkg := prog.CreatePackage(pass.Pkg, bounded(pass.Files), pass.TypesInfo, false)
	pkg.Build()

	graphs := control.NewGraphs()
	p := &Program{
		Graphs: graphs, Pass: pass, Pkg: pkg, Syntax: kind.NewSyntax(pass.Files),
		Names: &Names{pass: pass}, Sites: newSites(pass, graphs),
		Stores:       map[ssa.Value][]Store{},
		parts:        map[*ssa.Alloc][]*Part{},
		NestedIn:     map[*types.Var]bool{},
		Fields:       map[*types.Var][]FieldStore{},
		FieldLoads:   map[*types.Var][]ssa.Value{},
		Addressed:    map[*types.Var][]*ssa.FieldAddr{},
		AddressTaken: map[*ssa.Global][]ssa.CallInstruction{},
		Created:      map[*types.TypeName][]*ssa.Alloc{},
		CreatedIn:    map[*types.TypeName][]Made{},
		PointerLoads: map[ssa.Value][]ssa.Value{},
		PartLoads:    map[ssa.Value][]*ssa.UnOp{},
		Sends:        map[string][]Sending{},
		Calls:        map[*ssa.Function][]ssa.CallInstruction{},
		Callers:      map[*ssa.Function][]ssa.CallInstruction{},
		Invokes:      map[*ssa.Function][]ssa.CallInstruction{},
		CalledWith:   map[ssa.Value]bool{},
		Closures:     map[*ssa.Function]*ssa.MakeClosure{},
		Taken:        map[*ssa.Function]bool{},
		RowParams:    map[*ssa.Function]ssa.CallInstruction{},
		opened:       map[*types.Interface]bool{},
		decorates:    map[*ssa.Function]bool{},
		atomics:      map[any]atomicCounter{},
		imports:      map[*types.Func]*summary.Summary{},
		apiNames:     map[*types.Func]string{},
		traced:       map[*types.Package]bool{},
		typeParams:   map[*types.TypeParam]*ssa.Function{},
	}
	p.Failures = &Failures{p, map[*ssa.Function]bool{}}
	p.Behind = &Interfaces{p: p, implementers: map[string][]*types.Named{}, converted: map[*types.TypeName]bool{}}
	(&indexer{p}).run()
	return p
}

// Heap returns the package's heap, which is found when it is asked for first.
func (p *Program) Heap() *heap.Heap {
	if p.heap == nil {
		p.heap = heap.New(p.Pkg, p.Funcs, p.writtenAbroad, p.Analysed)
	}
	return p.heap
}

// writtenAbroad returns what a function of another package writes of its arguments.
func (p *Program) writtenAbroad(fn *types.Func) (does heap.Abroad) {
	s := p.Imported(fn)
	if s == nil {
		return heap.Abroad{Writes: btapi.Writes(fn)}
	}
	does.Writes = s.Writes
	for _, set := range s.Sets {
		does.Sets = append(does.Sets, heap.Set{Param: set.Param, Field: set.Field})
	}
	return does
}

// Owns reports whether a type or field is declared in this package.
func (p *Program) Owns(obj types.Object) bool { return obj.Pkg() == p.Pass.Pkg }

// IsTest reports whether the position is in a test file. What tests store
// and make says nothing of the code that they test, and drivers differ in
// whether they show it to the analyzers.
func (p *Program) IsTest(pos token.Pos) bool {
	f := p.Pass.Fset.File(pos)
	return f != nil && strings.HasSuffix(f.Name(), "_test.go")
}

// HasBody reports whether fn is a function of this package with code.
func (p *Program) HasBody(fn *ssa.Function) bool {
	return fn != nil && len(fn.Blocks) > 0 && kind.Outermost(fn).Pkg == p.Pkg
}
