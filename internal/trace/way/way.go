package way

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Limits of what one evaluation may cost. What lies beyond is unknown.
const (
	// MaxElements bounds the literals whose elements are followed.
	MaxElements = 64
	maxDepth    = 60 // nested evaluations
	maxSteps    = 4000
	maxParts    = 4000 // of a value
	// maxConditions bounds how far back the conditions are looked for under
	// which a block is reached, in blocks.
	maxConditions = 300
	// maxDecided bounds the choices of a run beyond which none are made for the
	// sake of conditions.
	maxDecided = 6
	maxTotal   = 20_000_000 // steps for one package: seconds
)

// A Resolver resolves values under the choices of a way.
type Resolver interface {
	// Resolve returns v as it is when the instruction at uses it. It asks
	// [Way.Eval] for what v is made of.
	Resolve(v ssa.Value, at ssa.Instruction) *value.Value
}

// A Way is one way through the program, on which each choice (which edge of a
// phi, which element of a loop, which result of a call) is made once and holds
// for everything that is evaluated.
type Way struct {
	Prog    *program.Program
	chans   *program.Channels
	Guards  []summary.Guard // conditions on parameters that the choices imply
	When    []summary.Guard // conditions on parameters of the event itself
	Blocked bool            // the choices contradict each other

	Received []Receipt // what the run has taken from channels

	resolver Resolver
	total    *int // steps so far, of the whole package

	choices []choice
	picked  map[any]int // the choices that this run has made
	next    int         // how many of choices this run has used
	astray  bool        // a run could not repeat the choices of the one before

	conds    *conditions
	either   map[*ssa.BasicBlock]bool // blocks into which one of several conditional edges leads
	passed   []*ssa.BasicBlock        // blocks that the run comes through
	skipped  []*ssa.BasicBlock        // blocks that it does not
	exits    []wayOut                 // by which the run leaves loops
	before   func(ssa.Value) bool     // conditions on what was there before a store
	place    *ssa.BasicBlock          // where the run's event stands
	ahead    *ssa.BasicBlock          // what the event needs to have an effect
	updating *ssa.MapUpdate           // of the map that is being resolved
	empty    map[ssa.Value]bool       // what loops run over of which the run takes no turn, while it is asked for contradictions
	open     []openCondition          // branch conditions that hang on choices that were not made yet

	later map[ssa.Value]bool // new lists that are filled after they are made, or not

	frozen    bool // no new choices: what they would decide is undecided
	undecided bool

	memo  *memo
	depth int
	steps int
}

// A Receipt is what was received from a channel: what was sent on one that is
// the same, or may be.
type Receipt struct {
	Chan ssa.Value
	Sent program.Sending
}

type choice struct {
	key  any
	n    int // the number of alternatives
	pick int
}

// New returns a way through a program. Steps counts what all ways of the
// package take: there is a limit to it.
func New(p *program.Channels, r Resolver, steps *int) *Way {
	return &Way{
		Prog: p.Prog, chans: p, resolver: r, total: steps, memo: newMemo(),
		picked: map[any]int{}, conds: newConditions(p.Prog), later: map[ssa.Value]bool{}, either: map[*ssa.BasicBlock]bool{},
	}
}

// Eval returns v as it is when the instruction at uses it; at may be nil where
// memory does not matter.
func (w *Way) Eval(v ssa.Value, at ssa.Instruction) *value.Value {
	if at != nil && kind.IsError(v.Type()) && fails(v, at) {
		return value.Apply("errors.New", value.UnknownFor("an error"))
	}
	r, met := w.memo.get(v)
	if r != nil {
		return r
	}
	if met { // it is being resolved
		if first := enters(v); first != nil {
			return w.Eval(first, nil)
		}
		return kind.UnknownOf(v.Type(), "a value that depends on itself")
	}
	*w.total++
	if w.steps++; w.depth >= maxDepth || w.steps > maxSteps || *w.total > maxTotal {
		return kind.UnknownOf(v.Type(), "too many steps to follow")
	}
	w.memo.begin(v)
	w.depth++
	if r = w.resolver.Resolve(v, at); r.LargerThan(maxParts) {
		r = kind.UnknownOf(v.Type(), "a value too large to follow")
	}
	w.depth--
	later := w.filledLater(v)
	if _, isSlice := v.(*ssa.Slice); later && !isSlice {
		r = w.refilled(v, r, at)
	}
	if _, isAlloc := v.(*ssa.Alloc); isAlloc || later {
		w.memo.forget(v)
	} else {
		w.memo.set(v, r)
	}
	return r
}

// fails reports whether an error is known not to be nil where it is used. What others
// may ask for before it is set is not that error alone.
func fails(err ssa.Value, at ssa.Instruction) bool {
	if s, ok := at.(*ssa.Store); ok {
		root, _ := kind.LocalAddress(s.Addr)
		if _, own := root.(*ssa.Alloc); !own {
			return false
		}
	}
	return kind.IsSet(err, at)
}

// Step counts a step that resolves no value by itself, and reports whether another may
// be taken.
func (w *Way) Step() bool {
	*w.total++
	w.steps++
	return w.steps <= maxSteps && *w.total <= maxTotal
}

// Choose returns which of n alternatives this run takes for key, the same
// for every question with that key.
func (w *Way) Choose(key any, n int) int {
	if n <= 1 {
		return 0
	}
	if pick, ok := w.picked[key]; ok {
		if pick >= n {
			return n - 1
		}
		return pick
	}
	if w.frozen {
		w.undecided = true
		return 0
	}
	pick := 0
	if w.next < len(w.choices) {
		// What was found meanwhile of other functions can leave fewer alternatives than
		// the run before had.
		if pick = w.choices[w.next].pick; pick >= n {
			pick, w.astray = n-1, true
		}
	} else {
		w.choices = append(w.choices, choice{key, n, 0})
	}
	w.next++
	w.picked[key] = pick
	return pick
}

// Chose reports whether this run has made the choice for key.
func (w *Way) Chose(key any) bool {
	_, ok := w.picked[key]
	return ok
}

// Picked lists the choices that a run has made.
func Picked(w *Way) (out []summary.Held) {
	for key, pick := range w.picked {
		out = append(out, summary.Held{Key: key, Pick: pick})
	}
	return out
}

// Runs makes a run for each combination of choices, at most limit: it calls
// eval, and yield where the choices do not contradict each other. It reports
// whether all combinations were tried. Where all are needed it ends as soon as there are
// certainly more; otherwise where there are many more than the limit.
func (w *Way) Runs(limit int, all bool, eval func() []*value.Value, yield func([]*value.Value)) bool {
	var combinations estimate
	for run := 0; run < limit; run++ {
		w.reset()
		vs := eval()
		if !w.Blocked {
			w.decide()
		}
		if !w.Blocked && !w.contradicted() && !w.missed() {
			yield(w.searched(vs))
		}
		combinations.add(w.choices)
		if !w.advance() {
			return !w.astray
		}
		if all && run+left(w.choices) >= limit || combinations.exceed(limit) {
			return false
		}
	}
	return false
}

// An estimate tells from the first runs how many combinations of choices there are: each
// run by itself says the product of its alternatives, and their mean is what is to be
// expected (Knuth, "Estimating the efficiency of backtrack programs", 1975).
type estimate struct {
	runs int
	sum  float64
}

func (e *estimate) add(choices []choice) {
	product := 1.0
	for _, c := range choices {
		product *= float64(c.n)
	}
	e.runs++
	e.sum += product
}

// exceed reports whether there are so many more combinations than a limit that trying more
// of them is in vain. Where all were tried, the estimate was never above seven times the
// limit.
func (e *estimate) exceed(limit int) bool {
	return e.runs >= 8 && e.sum/float64(e.runs) > float64(8*limit)
}

// left returns how many runs choices leave at least.
func left(choices []choice) int {
	n := 1
	for _, c := range choices {
		n += c.n - c.pick - 1
	}
	return n
}

// advance prepares the next run and reports whether there is one.
func (w *Way) advance() bool {
	for len(w.choices) > 0 {
		last := &w.choices[len(w.choices)-1]
		if last.pick++; last.pick < last.n {
			return true
		}
		w.choices = w.choices[:len(w.choices)-1]
	}
	return false
}

func (w *Way) reset() {
	clear(w.picked)
	clear(w.either)
	clear(w.conds.assumed)
	clear(w.conds.alike)
	clear(w.conds.varying)
	clear(w.memo.values)
	w.next = 0
	w.Guards, w.When, w.Received = nil, nil, nil
	w.passed, w.skipped = nil, nil
	w.exits, w.open, w.place, w.ahead, w.empty = nil, nil, nil, nil, nil
	w.Blocked, w.before = false, nil
	w.depth, w.steps = 0, 0
}

// Frozen reports whether no choices can be made now.
func (w *Way) Frozen() bool { return w.frozen }

// Empty reports whether the way has shown that a list has no elements.
func (w *Way) Empty(list ssa.Value) bool { return w.empty[list] }

// freeze calls f without making choices, and reports whether none were needed.
// What is resolved meanwhile is forgotten.
func (w *Way) freeze(f func()) (decided bool) {
	known, frozen, undecided, guards, when, blocked, received := w.memo, w.frozen, w.undecided, w.Guards, w.When, w.Blocked, w.Received
	w.frozen, w.undecided = true, false
	known.ask(f)
	decided = !w.undecided
	w.memo, w.frozen, w.undecided, w.Guards, w.When, w.Blocked, w.Received = known, frozen, undecided, guards, when, blocked, received
	return decided
}
