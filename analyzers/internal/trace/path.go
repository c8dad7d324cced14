package trace

import (
	"go/ast"
	"sort"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// Limits of what one evaluation may cost. What lies beyond is unknown.
const (
	maxRuns    = 64 // combinations of choices for one event
	maxResults = 12 // combinations of results of one function
	maxDepth   = 60 // nested evaluations
	maxSteps   = 4000
	// maxConditions bounds how far back the conditions are looked for under
	// which a block is reached, in blocks.
	maxConditions = 300
	maxTotal      = 20_000_000 // steps for one package: seconds
)

// A path is one evaluation: a way through the program on which each choice
// (which edge of a phi, which element of a loop, which result of a call) is
// made once and holds for everything that is evaluated.
type path struct {
	p       *program
	choices []choice
	picked  map[any]int // the choices that this run has made
	next    int         // how many of choices this run has used

	guards    []Guard                  // conditions on parameters that the choices imply
	when      []Guard                  // conditions on parameters of the event itself
	assumed   map[ssa.Value]bool       // branch conditions that hold on the way
	either    map[*ssa.BasicBlock]bool // blocks into which one of several conditional edges leads
	varying   map[ssa.Value]bool       // those that hold in one turn of a loop and not in another
	frozen    bool                     // no new choices: what they would decide is undecided
	undecided bool
	blocked   bool // the choices contradict each other

	memo    map[ssa.Value]*value.Value
	active  map[ssa.Value]bool
	closing map[creationStore]bool // the fields that are being resolved by their stores
	depth   int
	steps   int
	close   bool // resolve fields of unknown objects by what the package stores in them

	madeAt   ast.Node         // the call that supplied a value to an object's field
	supplied map[int]argument // which arguments the call of a derived event supplies

	log *log // for ttlvet trace; nil otherwise
}

type choice struct {
	key  any
	n    int // the number of alternatives
	pick int
}

// choose returns which of n alternatives this run takes for key, the same
// for every question with that key.
func (p *path) choose(key any, n int) int {
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
func (p *path) advance() bool {
	for len(p.choices) > 0 {
		last := &p.choices[len(p.choices)-1]
		if last.pick++; last.pick < last.n {
			return true
		}
		p.choices = p.choices[:len(p.choices)-1]
	}
	return false
}

func (p *path) reset() {
	p.picked = map[any]int{}
	p.next = 0
	p.guards, p.when, p.supplied = nil, nil, nil
	p.madeAt = nil
	p.either = map[*ssa.BasicBlock]bool{}
	p.assumed, p.varying = map[ssa.Value]bool{}, map[ssa.Value]bool{}
	p.blocked = false
	p.memo = map[ssa.Value]*value.Value{}
	p.active = map[ssa.Value]bool{}
	p.closing = map[creationStore]bool{}
	p.depth, p.steps = 0, 0
}

// explore runs eval once for each combination of choices, at most limit
// times, and calls yield for each run whose choices do not contradict each
// other. It reports whether all combinations were tried.
func (prog *program) explore(closed bool, limit int, eval func(*path) []*value.Value, yield func(*path, []*value.Value)) bool {
	p := &path{p: prog, close: closed, log: prog.logger()}
	for run := 0; run < limit; run++ {
		p.reset()
		vs := eval(p)
		if !p.blocked && !p.contradicted() {
			yield(p, vs)
		}
		if !p.advance() {
			return true
		}
	}
	return false
}

// cases returns the combinations of values that eval can yield, without
// repetitions, in a stable order.
func (prog *program) cases(closed bool, eval func(*path) []*value.Value) []Case {
	var cases []Case
	seen := map[string]bool{}
	prog.explore(closed, maxRuns, eval, func(p *path, vs []*value.Value) {
		c := Case{Args: vs, Guards: uniqueGuards(p.guards), When: uniqueGuards(p.when), supplied: p.supplied, At: p.madeAt}
		key := guardString(c.When) + guardString(c.Guards) + argString(vs)
		if !seen[key] {
			seen[key] = true
			cases = append(cases, c)
		}
	})
	return cases
}

// uniqueGuards sorts guards and drops repetitions.
func uniqueGuards(guards []Guard) []Guard {
	var out []Guard
	seen := map[string]bool{}
	for _, g := range guards {
		if s := g.String(); !seen[s] {
			seen[s] = true
			out = append(out, g)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].String() < out[j].String() })
	return out
}

// A siteTable numbers the places where mutations and rows come to be, so
// that values which look alike are told apart.
type siteTable struct {
	ids    map[any]int64
	parent map[int64]int64 // of a site made by a call: the site in the callee
}

// A callSite is what a call makes by way of a site in its callee.
type callSite struct {
	call    ssa.Instruction
	id      int64
	foreign bool // the site is one of another package, which numbers its own
}

// site returns the number of a site.
func (prog *program) site(key any) int64 {
	t := &prog.sites
	if t.ids == nil {
		t.ids, t.parent = map[any]int64{}, map[int64]int64{}
	}
	id, ok := t.ids[key]
	if !ok {
		id = int64(len(t.ids)) + 1
		t.ids[key] = id
		if cs, ok := key.(callSite); ok && !cs.foreign {
			t.parent[id] = cs.id
		}
	}
	return id
}
