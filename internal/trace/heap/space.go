package heap

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// A space is the memory of a package: its objects, each with its cells, which are nodes
// of the solver.
type space struct {
	pkg       *ssa.Package
	graphs    *control.Graphs
	solver    *solver
	layouts   layouts
	owner     []*Object // of nodes that are cells
	made      map[ssa.Value][]*Object
	globals   map[*ssa.Global]int
	functions map[*ssa.Function]int
}

func newSpace(pkg *ssa.Package, s *solver) *space {
	return &space{pkg: pkg, graphs: control.NewGraphs(), solver: s, made: map[ssa.Value][]*Object{}, globals: map[*ssa.Global]int{}, functions: map[*ssa.Function]int{}}
}

// lay gives an object its cells.
func (s *space) lay(o *Object, size int) {
	o.start, o.size = s.nodes(size), size
	for i := 0; i < size; i++ {
		s.owner[o.start+i] = o
	}
	if o.Site != nil {
		s.made[o.Site] = append(s.made[o.Site], o)
	}
}

// nodes makes n nodes that follow one another.
func (s *space) nodes(n int) int {
	first := len(s.owner)
	for range max(n, 1) {
		s.solver.node()
		s.owner = append(s.owner, nil)
	}
	return first
}

// shift returns the cell that lies n after one of the same object, or that itself
// where parts of the object are not told apart.
func (s *space) shift(cell, n int) int {
	o := s.owner[cell]
	if cell+n < o.start+o.size {
		return cell + n
	}
	return cell
}

// typeAt returns the type of what lies at a cell, nil where it is not told.
func (s *space) typeAt(cell int) types.Type {
	o := s.owner[cell]
	at := cell - o.start
	if o.boxed {
		at-- // behind the box
	}
	if begins := s.layouts.of(o.typ).begins; at >= 0 && at < len(begins) {
		return begins[at]
	}
	return nil
}

// elements returns where those of an array begin, of which t is the type of a
// pointer or a slice.
func (s *space) elements(t types.Type) int {
	if list, ok := kind.Core(t).(*types.Slice); ok {
		return s.layouts.of(types.NewArray(list.Elem(), 1)).part(0)
	}
	return s.layouts.of(kind.Deref(t)).part(0)
}

// spread lists the cells of a value of type t that lies that many cells after one. Of
// a value of a generic type nothing says where it ends.
func (s *space) spread(cell, at int, t types.Type) []int {
	first := s.shift(cell, at)
	n := s.layouts.of(t).size()
	if o := s.owner[first]; generic(t) {
		n = o.start + o.size - first
	}
	out := make([]int, 0, n)
	for i := range n {
		if c := s.shift(first, i); c == first+i {
			out = append(out, c)
		}
	}
	return out
}

// pointed returns the type of what a value of type t points to, and how many cells
// after its beginning that lies: of a map its elements.
func (s *space) pointed(t types.Type) (of types.Type, at int) {
	switch u := kind.Core(t).(type) {
	case *types.Map:
		return u.Elem(), s.layouts.of(u.Key()).size()
	case *types.Slice:
		return u.Elem(), s.elements(u)
	case *types.Chan:
		return u.Elem(), 0
	}
	return kind.Deref(t), 0
}

// global returns the node of the address of a package variable.
func (s *space) global(g *ssa.Global) int {
	n, ok := s.globals[g]
	if !ok {
		n = s.nodes(1)
		s.globals[g] = n
		o := s.object(g, kind.Deref(g.Type()), nil)
		o.Outside = g.Pkg != s.pkg
		s.solver.add(n, o.start)
	}
	return n
}

// function returns the node of a function that is used as a value.
func (s *space) function(fn *ssa.Function) int {
	n, ok := s.functions[fn]
	if !ok {
		n = s.nodes(1)
		s.functions[fn] = n
		s.solver.add(n, s.funcObject(fn, nil).start)
	}
	return n
}

func (s *space) funcObject(fn *ssa.Function, in *instance) *Object {
	o := &Object{Site: fn, typ: fn.Signature, fn: fn, in: in}
	s.lay(o, 1)
	return o
}
