package uses

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

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
