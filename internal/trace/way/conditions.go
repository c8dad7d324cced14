package way

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// conditions are the branch conditions that hold on a way, or do not.
type conditions struct {
	prog      *program.Program
	assumed   map[ssa.Value]bool
	alike     map[question][]ssa.Value // those, by what they ask
	varying   map[ssa.Value]bool       // those that hold in one turn of a loop and not in another
	questions map[ssa.Value]question   // what conditions ask, of all runs
}

func newConditions(p *program.Program) *conditions {
	return &conditions{p, map[ssa.Value]bool{}, map[question][]ssa.Value{}, map[ssa.Value]bool{}, map[ssa.Value]question{}}
}

// note records that a condition holds or not.
func (c *conditions) note(cond ssa.Value, want bool) {
	if _, ok := c.assumed[cond]; !ok {
		q := c.question(cond)
		c.alike[q] = append(c.alike[q], cond)
	}
	c.assumed[cond] = want
}

// denied reports whether the way has taken a branch by which a condition has the
// other truth: the same is asked twice.
func (c *conditions) denied(cond ssa.Value, want bool) bool {
	instr, ok := cond.(ssa.Instruction)
	if !ok || c.prog.Graphs.Repeats(instr.Block()) && !program.Steady(c.prog, cond) {
		return false
	}
	for _, other := range c.alike[c.question(cond)] {
		if other == cond {
			continue
		}
		if same, negated := program.SameCondition(c.prog, cond, other); same && c.assumed[other] != (want != negated) {
			return true
		}
	}
	return false
}

// lasting returns the conditions that the way has assumed which hold in every turn of
// a loop or in none.
func (c *conditions) lasting() map[ssa.Value]bool {
	out := map[ssa.Value]bool{}
	for cond, want := range c.assumed {
		if !c.varying[cond] && program.Steady(c.prog, cond) {
			out[cond] = want
		}
	}
	return out
}

// assumeOnly makes conditions all that the way has assumed.
func (c *conditions) assumeOnly(conditions map[ssa.Value]bool) {
	c.assumed, c.alike = map[ssa.Value]bool{}, map[question][]ssa.Value{}
	for cond, want := range conditions {
		c.note(cond, want)
	}
}
