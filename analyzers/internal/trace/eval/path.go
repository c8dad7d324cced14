package eval

import (
	"go/ast"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// Limits of what one evaluation may cost. What lies beyond is unknown.
const (
	MaxRuns    = 64 // combinations of choices for one event
	MaxResults = 12 // combinations of results of one function
	maxDepth   = 60 // nested evaluations
	maxSteps   = 4000
	// maxConditions bounds how far back the conditions are looked for under
	// which a block is reached, in blocks.
	maxConditions = 300
	// maxDecided bounds the choices of a run beyond which none are made for the
	// sake of conditions.
	maxDecided = 6
	maxTotal   = 20_000_000 // steps for one package: seconds
)

// A Path is one evaluation: a way through the program on which each choice
// (which edge of a phi, which element of a loop, which result of a call) is
// made once and holds for everything that is evaluated.
type Path struct {
	p       *Evaluator
	choices []choice
	picked  map[any]int // the choices that this run has made
	next    int         // how many of choices this run has used

	Guards    []summary.Guard          // conditions on parameters that the choices imply
	When      []summary.Guard          // conditions on parameters of the event itself
	assumed   map[ssa.Value]bool       // branch conditions that hold on the way
	either    map[*ssa.BasicBlock]bool // blocks into which one of several conditional edges leads
	ways      []wayOut                 // by which the run leaves loops
	before    func(ssa.Value) bool     // conditions on what was there before a store
	place     *ssa.BasicBlock          // where the run's event stands
	empty     map[ssa.Value]bool       // what loops run over of which the run takes no turn, while it is asked for contradictions
	open      []ssa.Value              // branch conditions that hang on choices that were not made yet
	varying   map[ssa.Value]bool       // those that hold in one turn of a loop and not in another
	frozen    bool                     // no new choices: what they would decide is undecided
	undecided bool
	Blocked   bool // the choices contradict each other

	memo    map[ssa.Value]*value.Value
	active  map[ssa.Value]bool
	closing map[creationStore]bool // the fields that are being resolved by their stores
	depth   int
	steps   int
	close   bool // resolve fields of unknown objects by what the package stores in them

	MadeAt   ast.Node         // the call that supplied a value to an object's field
	Supplied map[int]ast.Expr // which arguments the call of a derived event supplies

	log *Log // for ttlvet trace; nil otherwise
}

type choice struct {
	key  any
	n    int // the number of alternatives
	pick int
}

// Choose returns which of n alternatives this run takes for key, the same
// for every question with that key.
func (p *Path) Choose(key any, n int) int {
	if n <= 1 {
		return 0
	}
	if pick, ok := p.picked[key]; ok {
		if pick >= n {
			return n - 1
		}
		return pick
	}
	if p.frozen {
		p.undecided = true
		return 0
	}
	pick := 0
	if p.next < len(p.choices) {
		pick = p.choices[p.next].pick
	} else {
		p.choices = append(p.choices, choice{key, n, 0})
	}
	p.next++
	p.picked[key] = pick
	return pick
}

// advance prepares the next run and reports whether there is one.
func (p *Path) advance() bool {
	for len(p.choices) > 0 {
		last := &p.choices[len(p.choices)-1]
		if last.pick++; last.pick < last.n {
			return true
		}
		p.choices = p.choices[:len(p.choices)-1]
	}
	return false
}

func (p *Path) reset() {
	p.picked = map[any]int{}
	p.next = 0
	p.Guards, p.When, p.Supplied = nil, nil, nil
	p.MadeAt = nil
	p.either = map[*ssa.BasicBlock]bool{}
	p.ways, p.open, p.place, p.empty = nil, nil, nil, nil
	p.assumed, p.varying = map[ssa.Value]bool{}, map[ssa.Value]bool{}
	p.Blocked, p.before = false, nil
	p.memo = map[ssa.Value]*value.Value{}
	p.active = map[ssa.Value]bool{}
	p.closing = map[creationStore]bool{}
	p.depth, p.steps = 0, 0
}

// Explore runs eval once for each combination of choices, at most limit
// times, and calls yield for each run whose choices do not contradict each
// other. It reports whether all combinations were tried.
func (prog *Evaluator) Explore(closed bool, limit int, eval func(*Path) []*value.Value, yield func(*Path, []*value.Value)) bool {
	p := &Path{p: prog, close: closed, log: prog.logger()}
	for run := 0; run < limit; run++ {
		p.reset()
		vs := eval(p)
		if !p.Blocked {
			p.decide()
		}
		if !p.Blocked && !p.contradicted() && !p.missed() {
			yield(p, p.searched(vs))
		}
		if !p.advance() {
			return true
		}
	}
	return false
}

// Cases returns the combinations of values that eval can yield, without
// repetitions, in a stable order.
func (prog *Evaluator) Cases(closed bool, eval func(*Path) []*value.Value) []summary.Case {
	var cases []summary.Case
	seen := map[string]bool{}
	n := 0
	complete := prog.Explore(closed, MaxRuns, func(p *Path) []*value.Value {
		vs := eval(p)
		n = max(n, len(vs))
		return vs
	}, func(p *Path, vs []*value.Value) {
		c := summary.Case{Args: vs, Guards: summary.UniqueGuards(p.Guards), When: summary.UniqueGuards(p.When), At: p.MadeAt}.WithSupplied(p.Supplied)
		key := summary.GuardString(c.When) + summary.GuardString(c.Guards) + summary.ArgString(vs)
		if !seen[key] {
			seen[key] = true
			cases = append(cases, c)
		}
	})
	if !complete {
		cases = append(cases, UnknownCase(n, TooMany))
	}
	return cases
}

// Reasons for which nothing is known of a case.
const (
	TooMany       = "more combinations of values than are followed"
	Contradictory = "values under conditions that contradict each other"
)

// UnknownCase is the case in which n values are not known. It stands for what
// was given up on, so that it is not taken for impossible.
func UnknownCase(n int, reason string) summary.Case {
	c := summary.Case{Args: make([]*value.Value, n)}
	for i := range c.Args {
		c.Args[i] = value.UnknownFor(reason)
	}
	return c
}
