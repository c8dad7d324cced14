package rowuse

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// A function that is given a row may return the time of a cell, which its caller
// compares.

// keptOut records that times of cells which a function returns that is given the
// row are compared with a time here.
func (u *useFinder) keptOut(call ssa.CallInstruction, callee *ssa.Function) {
	v, ok := call.(*ssa.Call)
	if !ok || len(u.p.Times(callee)) == 0 {
		return
	}
	results := []ssa.Value{v}
	for _, r := range *v.Referrers() {
		if e, ok := r.(*ssa.Extract); ok {
			results = append(results, e)
		}
	}
	c := u.p.Comparison(u.asked)
	for f := range u.p.Times(callee) {
		for _, r := range results {
			if f == nil && c.Compared(r, 6) || f != nil && c.Part(r, f, 6) {
				u.uses = u.uses.With(summary.Uses{Checked: true, Returned: u.uses.Returned})
			}
		}
	}
	u.p.Keep(u.asked, c)
}

// timesOut records that a time which a function of another package returns, that
// is given the row, is compared with one here: when a cell ends.
func (u *useFinder) timesOut(call ssa.CallInstruction) {
	v, ok := call.(*ssa.Call)
	if !ok {
		return
	}
	results := []ssa.Value{v}
	for _, r := range *v.Referrers() {
		if e, ok := r.(*ssa.Extract); ok {
			results = append(results, e)
		}
	}
	for _, r := range results {
		if c := kind.ClassOf(r.Type()); (c == value.Time || c == value.Timestamp) && u.p.Comparison(u.asked).Compared(r, 6) {
			u.uses = u.uses.With(summary.Uses{Checked: true, Returned: u.uses.Returned})
		}
	}
}
