package eval

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"

	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Limits of what one evaluation may cost. What lies beyond is unknown.
const (
	MaxRuns    = 64 // combinations of choices for one event
	MaxResults = 12 // combinations of results of one function
)

// A Path is one evaluation: what values are on one [way.Way] through the
// program.
type Path struct {
	Settler *Settler
	Reader  *memory.Reader
	Way     *way.Way
	p       *Evaluator

	MadeAt   ast.Node         // the call that supplied a value to an object's field
	Supplied map[int]ast.Expr // which arguments the call of a derived event supplies
	Reached  summary.Picks    // by which the case arrives that the call of a derived event reaches

	deferred *deferral       // the deferred function that is being followed, if any
	parting  map[partOf]bool // what is being resolved

	log *Log // for ttlvet trace; nil otherwise
}

// path returns a path on which nothing is chosen. A closed one resolves fields
// of unknown objects by what the package stores in them.
func (prog *Evaluator) path(closed bool) *Path {
	p := &Path{p: prog, parting: map[partOf]bool{}}
	p.Way = way.New(prog.Memory.Chans, p, &prog.steps)
	p.Settler = prog.on(p.Way, closed)
	p.Settler.path = p
	p.Reader = p.Settler.Reader
	return p
}

// Explore runs eval once for each combination of choices, at most limit
// times, and calls yield for each run whose choices do not contradict each
// other. It reports whether all combinations were tried; if not, some may be missing
// that a limit would have let be.
func (prog *Evaluator) Explore(closed bool, limit int, eval func(*Path) []*value.Value, yield func(*Path, []*value.Value)) bool {
	return prog.explore(closed, limit, true, eval, yield)
}

// Sample is [Evaluator.Explore] for who makes use of some combinations, too: it tries as many as
// the limit lets it.
func (prog *Evaluator) Sample(closed bool, limit int, eval func(*Path) []*value.Value, yield func(*Path, []*value.Value)) bool {
	return prog.explore(closed, limit, false, eval, yield)
}

func (prog *Evaluator) explore(closed bool, limit int, all bool, eval func(*Path) []*value.Value, yield func(*Path, []*value.Value)) bool {
	p := prog.path(closed)
	p.log = prog.Trace
	return p.Way.Runs(limit, all, func() []*value.Value {
		p.Supplied, p.MadeAt, p.Reached = nil, nil, nil
		return eval(p)
	}, func(vs []*value.Value) { yield(p, vs) })
}

// Picks returns the choices by which what the path yields arrives.
func (p *Path) Picks() summary.Picks { return way.Picks(p.Way).And(p.Reached) }

// Cases returns the combinations of values that eval can yield, without
// repetitions, in a stable order.
func (prog *Evaluator) Cases(closed bool, eval func(*Path) []*value.Value) []summary.Case {
	var cases []summary.Case
	var d distinct
	n := 0
	complete := prog.Sample(closed, MaxRuns, func(p *Path) []*value.Value {
		vs := eval(p)
		n = max(n, len(vs))
		if len(p.Way.Received) > 0 && mixed(vs) {
			vs = p.Settler.FromSender(vs, nil)
		}
		return vs
	}, func(p *Path, vs []*value.Value) {
		if !way.Picks(p.Way).Agree(p.Reached) {
			return
		}
		c := summary.Case{Args: vs, Guards: summary.UniqueGuards(p.Way.Guards), When: summary.UniqueGuards(p.Way.When), At: p.MadeAt}
		c = c.WithSupplied(p.Supplied).WithPicks(p.Picks())
		i := d.index(func() string {
			return summary.GuardString(c.When) + summary.GuardString(c.Guards) + summary.ArgString(vs) + givers(vs)
		})
		if i == len(cases) {
			cases = append(cases, c)
			return
		}
		cases[i] = cases[i].WithPicks(cases[i].Picks().Or(c.Picks()))
	})
	cases = summary.Reduced(cases, func(c summary.Case) string {
		return summary.ArgString(c.Args) + givers(c.Args) + fmt.Sprintf("%p", c.At)
	})
	if !complete && n > 0 { // where all that was tried contradicts itself, nothing is known to happen
		cases = append(cases, UnknownCase(n, TooMany))
	}
	return cases
}

// distinct numbers combinations of values by their text. Most often there is one, whose
// text nobody needs.
type distinct struct {
	first func() string
	seen  map[string]int
}

// index returns the number of a combination: that of those which are new is how many came
// before.
func (d *distinct) index(text func() string) int {
	if d.first == nil {
		d.first = text
		return 0
	}
	if d.seen == nil {
		d.seen = map[string]int{d.first(): 0}
	}
	t := text()
	i, met := d.seen[t]
	if !met {
		i = len(d.seen)
		d.seen[t] = i
	}
	return i
}

// givers names the functions whose parameters are in values: the text of a
// parameter does not say whose it is, and two constructors are two.
func givers(vs []*value.Value) string {
	var fns []string
	for _, v := range vs {
		v.Walk(func(w *value.Value) {
			if fn, ok := w.Site.(*ssa.Function); ok && w.Kind == value.Param {
				if name := fn.String(); !slices.Contains(fns, name) {
					fns = append(fns, name)
				}
			}
		})
	}
	return strings.Join(fns, " ")
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

// mixed reports whether values hang on parameters of two functions of which none
// stands in the other.
func mixed(vs []*value.Value) bool {
	var of *ssa.Function
	found := false
	for _, v := range vs {
		v.Walk(func(w *value.Value) {
			fn, ok := w.Site.(*ssa.Function)
			if !ok || w.Kind != value.Param {
				return
			}
			switch {
			case of == nil || kind.Within(fn, of):
				of = fn
			case fn != of && !kind.Within(of, fn):
				found = true
			}
		})
	}
	return found
}
