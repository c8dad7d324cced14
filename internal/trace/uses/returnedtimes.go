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
	held := u.p.Times(t.Fn)
	if len(held) == 0 {
		return
	}
	c := u.p.Comparison(u.asked)
	for _, h := range held {
		switch {
		case h.Param > len(t.Args):
		case h.Param > 0:
			u.checked(c.Filled(t.Args[h.Param-1], h.Field, 6))
		default:
			for _, r := range results(call) {
				u.checked(h.Field == nil && c.Compared(r, 6) || h.Field != nil && c.Part(r, h.Field, 6))
			}
		}
	}
	u.uses.Perhaps = u.uses.Perhaps || c.Perhaps
	u.p.Keep(u.asked, c)
}

// objectsOut records that an object which a call fills from the row is checked by
// hand: one of another package does, or one of which the caller says what it runs.
func (u *useFinder) objectsOut(call ssa.CallInstruction) {
	c := u.p.Comparison(u.asked)
	u.checked(c.ObjectsOf(call))
	u.uses.Perhaps = u.uses.Perhaps || c.Perhaps
	u.p.Keep(u.asked, c)
}

// ChecksObjects reports whether objects that a call of a function which reads fills
// from the rows are checked by hand.
func (p *Rows) ChecksObjects(call ssa.CallInstruction) bool {
	return p.Comparison(nil).ObjectsOf(call)
}

// checked records whether times of cells are compared with a time.
func (u *useFinder) checked(are bool) {
	if are {
		u.uses = u.uses.With(summary.Uses{Checked: true, Returned: u.uses.Returned})
	}
}

// results returns what a call returns, one by one.
func results(call ssa.CallInstruction) (out []ssa.Value) {
	v, ok := call.(*ssa.Call)
	if !ok {
		return nil
	}
	for _, r := range *v.Referrers() {
		if e, ok := r.(*ssa.Extract); ok {
			out = append(out, e)
		}
	}
	return append(out, v)
}

// timesOut records that a time which a function of another package returns, that
// is given the row, is compared with one here: when a cell ends.
func (u *useFinder) timesOut(call ssa.CallInstruction) {
	for _, r := range results(call) {
		c := kind.ClassOf(r.Type())
		u.checked((c == value.Time || c == value.Timestamp) && u.p.Comparison(u.asked).Compared(r, 6))
	}
}
