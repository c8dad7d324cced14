package memory

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/heap"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// counts returns the counter that a field is to which a method adds a constant
// each time it is called; nil where the method does anything else.
func counts(set *summary.FieldSet) *value.Value {
	if set == nil || set.Value == nil {
		return nil
	}
	step, ok := stepOf(set.Value, set.Field, set.Param)
	if !ok {
		return nil
	}
	return value.Apply(value.Count, value.IntOf(step))
}

// stepOf returns what a sum adds to a field of a parameter.
func stepOf(v *value.Value, name string, param int) (step int64, ok bool) {
	sum := v.Base()
	if !sum.Is(value.Add) || len(sum.Args) != 2 {
		return 0, false
	}
	field, n := sum.Args[0].Base(), sum.Args[1].Base()
	if field.Kind != value.Field || value.FieldName(field.Name) != name || n.Kind != value.Int {
		return 0, false
	}
	of := field.Args[0].Base()
	return n.Num, of.Kind == value.Param && int(of.Num) == param
}

// countedElement returns the counter that an element of an array or a slice is, or a
// number in one: to which the package adds a constant, and where it stores nothing else
// that is computed. It is nil of others, and of a local array, whose stores are followed
// one by one.
func (p *Memory) countedElement(addr ssa.Value) *value.Value {
	if !isInteger(kind.Deref(addr.Type())) || kind.ClassOf(kind.Deref(addr.Type())) != value.NoClass || !ofElement(addr) {
		return nil
	}
	if root, _ := p.Prog.Address(addr); root.Parent() != nil {
		if _, local := root.(*ssa.Alloc); local {
			return nil
		}
	}
	return countedAt(p, p.Prog.Heap().Place(addr))
}

// countedAt returns the counter that a place is to which the package adds a constant;
// nil where it stores anything else there that is computed.
func countedAt(p *Memory, place *heap.Place) *value.Value {
	var step int64
	for _, w := range place.Writers() {
		s, ok := w.(*ssa.Store)
		if !ok {
			return nil
		}
		n, adds := kind.Increment(s.Val)
		switch {
		case adds && program.SameAddress(p.Prog, s.Val.(*ssa.BinOp).X.(*ssa.UnOp).X, s.Addr):
			if step != 0 && step != n {
				return nil
			}
			step = n
		case !isRead(s.Val):
			return nil
		}
	}
	if step == 0 {
		return nil
	}
	return value.Apply(value.Count, value.IntOf(step))
}

// ofElement reports whether an address is that of an element, or of a part of one.
func ofElement(addr ssa.Value) bool {
	for {
		switch a := addr.(type) {
		case *ssa.IndexAddr:
			return true
		case *ssa.FieldAddr:
			addr = a.X
		default:
			return false
		}
	}
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// countedBy returns the counter that a number is to which the methods of its
// object's type, or whoever else sets it, add a constant: an aggregate's version,
// whichever aggregate a function is given. It is nil where anything else that is
// computed is stored in the field.
func (p *Memory) countedBy(f *types.Var, owner types.Type) *value.Value {
	name := kind.StructName(kind.Deref(owner))
	if name == nil || !isInteger(f.Type()) || len(p.Prog.Addressed[f]) > 0 {
		return nil
	}
	steps := map[int64]bool{}
	for _, v := range p.Prog.StoredIn(f, name) {
		if step, ok := kind.Increment(v); ok && loadsField(v.(*ssa.BinOp).X, f) {
			steps[step] = true
		} else if !isRead(v) {
			return nil
		}
	}
	if !p.Prog.Owns(name) && !p.countedElsewhere(f, name, steps) || len(steps) != 1 {
		return nil
	}
	for step := range steps {
		return value.Apply(value.Count, value.IntOf(step))
	}
	return nil
}

// countedElsewhere adds by how much the methods of another package's type count a
// field, of their object or in one that they return in its place; false where one sets it
// otherwise.
func (p *Memory) countedElsewhere(f *types.Var, name *types.TypeName, steps map[int64]bool) bool {
	methods := types.NewMethodSet(types.NewPointer(name.Type()))
	for i := range methods.Len() {
		m, ok := methods.At(i).Obj().(*types.Func)
		if !ok {
			continue
		}
		s := p.Prog.Imported(m.Origin())
		if s == nil {
			continue
		}
		for _, set := range s.Sets {
			if set.Param != 0 || set.Field != f.Name() {
				continue
			}
			c := counts(&set)
			if c == nil {
				return false
			}
			step, _ := c.Args[0].IsInt()
			steps[step] = true
		}
		for _, c := range s.Results.Cases() {
			for _, v := range c.Values {
				if made := v.Base(); made.Name == kind.TypeKey(name.Type()) && !madeCounting(made.Get(f.Name()), f.Name(), steps) {
					return false
				}
			}
		}
	}
	return true
}

// madeCounting adds by how much a method counts that makes an object in place of its own,
// with that number; false where the number is anything else that is computed.
func madeCounting(number *value.Value, name string, steps map[int64]bool) bool {
	if number == nil {
		return true // none is 0
	}
	switch number.Base().Kind {
	case value.Int, value.Param, value.Field:
		return true
	}
	step, ok := stepOf(number, name, 0)
	steps[step] = true
	return ok
}

// isRead reports whether a number that begins a counter is a constant, given, or
// read from somewhere, as it is: what is computed may be scaled, what is a time is no
// count.
func isRead(v ssa.Value) bool {
	if kind.ClassOf(v.Type()) != value.NoClass {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const, *ssa.Parameter, *ssa.UnOp, *ssa.Field:
		return true
	case *ssa.Extract:
		return isRead(v.Tuple)
	case *ssa.Convert, *ssa.MultiConvert, *ssa.ChangeType:
		return isRead(kind.Converted(v))
	case *ssa.Call:
		fn := kind.CalledFunc(&v.Call)
		return fn != nil && fn.Pkg() != nil && (fn.Pkg().Path() == "strconv" || fn.Pkg().Path() == "encoding/binary")
	}
	return false
}
