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

// keptOut records that times of cells which a function leaves that is given the row
// are compared with a time here.
func (u *useFinder) keptOut(call ssa.CallInstruction, t program.Target) {
	c := u.p.Comparison(u.asked)
	for _, h := range u.p.times[t.Fn] {
		switch {
		case h.Param > len(t.Args):
		case h.Param > 0:
			c.forward.kept(t.Args[h.Param-1], h.Field)
		default:
			c.results(call, h.Field)
		}
	}
	u.compared(c)
}

// compared records what was found of times of cells: of some families, where that is
// known.
func (u *useFinder) compared(c *Comparison, of ...string) {
	if c.Found() {
		u.uses = u.uses.With(summary.Uses{Checked: true, CheckedOf: of, Returned: u.uses.Returned})
	}
	u.uses.Perhaps = u.uses.Perhaps || c.Perhaps
}

// objectsOut records that an object which a call fills from the row is checked by
// hand: one of another package does, or one of which the caller says what it runs.
func (u *useFinder) objectsOut(call ssa.CallInstruction) {
	u.compared(u.p.Comparison(u.asked).Objects(call))
}

// ChecksObjects reports whether objects that a call of a function which reads fills
// from the rows are checked by hand.
func (p *Rows) ChecksObjects(call ssa.CallInstruction) bool {
	return p.Comparison(nil).Objects(call).Found()
}

// timesOut records that a time which a function of another package returns, that
// is given the row, is compared with one here: when a cell ends.
func (u *useFinder) timesOut(call ssa.CallInstruction) {
	c := u.p.Comparison(u.asked)
	for _, r := range resultsOf(call) {
		if class := kind.ClassOf(r.Type()); class == value.Time || class == value.Timestamp {
			c.add(r, nil)
		}
	}
	u.compared(c)
}
