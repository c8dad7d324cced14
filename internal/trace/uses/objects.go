package uses

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A row may be kept in a field of an object whose methods use it: a view, a page, a batch.
// The field is followed where the object goes. Where that is out of view, whatever
// the package does with the field of any object may be done, if others cannot reach it.

// RowsIn returns the fields of the struct that values of a type are, point to or hold that
// are rows.
func RowsIn(t types.Type) []*types.Var {
	return fieldsIn(t, 4, func(f *types.Var, _ types.Type) bool { return kind.CarriesRow(f.Type()) })
}

// FieldKey names a field of the struct that values of a type are, point to or hold; "" where
// they hold none.
func FieldKey(of types.Type, field *types.Var) (key string) {
	fieldsIn(of, 4, func(f *types.Var, owner types.Type) bool {
		if f.Origin() == field {
			key = kind.FieldKey(f, owner)
		}
		return false
	})
	return key
}

// fieldNamed returns the field of a key; nil where it is not known.
func (u *useFinder) fieldNamed(key string) *types.Var {
	f, _ := u.p.prog.Names.FieldNamed(key)
	if f == nil {
		return nil
	}
	return f.Origin()
}

// bound follows a row in a field of an object into the calls of a value of its method;
// false where that goes elsewhere.
func (u *useFinder) bound(of thing, method *ssa.MakeClosure) bool {
	if !kind.IsBound(method.Fn.(*ssa.Function)) {
		return false
	}
	for _, r := range *method.Referrers() {
		if call, ok := r.(ssa.CallInstruction); !ok || call.Common().Value != ssa.Value(method) {
			return false
		}
	}
	for _, r := range *method.Referrers() {
		u.call(of, r.(ssa.CallInstruction))
	}
	return true
}

// leftIn follows a row that a call leaves in a field of what it returns, or of what it is
// given, or where that points to itself.
func (u *useFinder) leftIn(call ssa.CallInstruction, t program.Target, k summary.Kept) {
	field := u.fieldNamed(k.Field)
	switch {
	case field == nil && k.Field != "" || t.Recv != nil || k.Param > len(t.Args):
		u.handedOn()
	case k.Param > 0:
		u.kept(t.Args[k.Param-1], field)
	default:
		u.results(call, field)
	}
}

// filled records that a function leaves a row in a field of what it is given, or where that
// points to itself.
func (u *useFinder) filled(param *ssa.Parameter, field *types.Var) {
	t := u.here(param, field)
	if kind.Origin(param.Parent()) == u.fn && (field != nil || pointsToRow(param)) {
		u.keeps(kind.ParamIndex(param)+1, t)
	} else {
		u.lost(t)
	}
}

// keeps records that a function leaves a row in a field of its result, or of what the
// parameter points to.
func (u *useFinder) keeps(param int, t thing) {
	if t.field == nil {
		u.uses.AddKept(summary.Kept{Param: param})
	} else if key := FieldKey(t.v.Type(), t.field); key != "" && slices.Contains(RowsIn(t.v.Type()), t.field) {
		u.uses.AddKept(summary.Kept{Param: param, Field: key})
	} else {
		u.lost(t)
	}
}

// pointsToRow reports whether a value is a pointer to a row, or to rows.
func pointsToRow(v ssa.Value) bool {
	return kind.IsPointer(v.Type()) && kind.CarriesRow(kind.Deref(v.Type()))
}

// inAny follows a field of whatever object to all that the package reads it for, if no
// other package can.
func (u *useFinder) inAny(key string) {
	f, of := u.p.prog.Names.FieldNamed(key)
	name := kind.StructName(types.NewPointer(of))
	if f == nil || name == nil || !kind.CarriesRow(f.Type()) || f.Exported() && name.Exported() || !u.p.prog.Owns(name) {
		u.handedOn()
		return
	}
	u.within(nil, func() {
		for _, load := range u.p.prog.FieldLoads[f.Origin()] {
			u.add(load, nil)
		}
	})
	u.anywhere = true
}

// A function that is given a row may leave the time of a cell, which its caller
// compares: return it, or fill an object.

// timesOut records that times of cells which a function leaves that is given the row
// are compared with a time here, or the times of cells that it returns. Of one of another
// package, a time that it returns may be such a time, and an object that it fills may hold
// some.
func (u *useFinder) timesOut(call ssa.CallInstruction, t program.Target) {
	c := u.p.Times.Comparison(u.asked)
	for _, h := range u.p.Times.times[t.Fn] {
		c.at = thing{left: h.Left}
		switch {
		case h.Param > len(t.Args):
		case h.Param > 0:
			c.forward.kept(t.Args[h.Param-1], h.Field)
		default:
			c.results(call, h.Field)
		}
	}
	c.at = thing{}
	if t.Fn == nil {
		c.Objects(call)
	}
	for _, v := range resultsOf(call) {
		if class := kind.ClassOf(v.Type()); t.Fn == nil && (class == value.Time || class == value.Timestamp) {
			c.add(v, nil)
		}
		if kind.CarriesCells(v.Type()) || kind.YieldsCells(v.Type()) {
			u.cells[""] = append(u.cells[""], v)
		}
	}
	u.compared(c)
}

// compared records what was found of times of cells: of some families, where that is
// known.
func (u *useFinder) compared(c *Comparison, of ...string) {
	c.terms = u.fn
	if c.Found() {
		u.uses = u.uses.With(summary.Uses{Checked: true, CheckedOf: of, Returned: u.uses.Returned})
	}
	u.uses.Perhaps = u.uses.Perhaps || c.Perhaps
	for _, h := range c.handed {
		h.Of = of
		u.uses.AddHanded(h)
	}
}

// ChecksObjects reports whether objects that a call of a function which reads fills
// from the rows are checked by hand.
func (p *Rows) ChecksObjects(call ssa.CallInstruction) bool {
	return p.Times.Comparison(nil).Objects(call).Found()
}
