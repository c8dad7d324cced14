package trace

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// A Step is one resolution of a value, for ttlvet trace.
type Step struct {
	Pos   token.Pos
	Value *value.Value
}

// A Run is one way in which values can reach an event, with the steps by
// which they were found, the innermost first.
type Run struct {
	Case  Case
	Steps []Step
}

// Runs resolves an event once more and records how.
func (r *Result) Runs(e *Event) []Run {
	p := r.program
	if p == nil || e.eval == nil {
		return nil
	}
	p.logging = &log{}
	defer func() { p.logging = nil }()
	var runs []Run
	seen := map[string]bool{}
	p.explore(true, maxRuns, func(q *path) []*value.Value {
		p.logging.steps = nil
		return e.eval(q)
	}, func(q *path, vs []*value.Value) {
		c := Case{Args: vs, Guards: uniqueGuards(q.guards), When: uniqueGuards(q.when)}
		key := guardString(c.When) + guardString(c.Guards) + argString(vs)
		if !seen[key] {
			seen[key] = true
			runs = append(runs, Run{c, p.logging.steps})
		}
	})
	return runs
}

// Derived returns the events at the calls that supply the parameters of an
// event's function.
func (e *Event) Derived() []*Event { return e.derived }

// A log records how values were resolved.
type log struct {
	steps []Step
}

func (l *log) resolved(v ssa.Value, r *value.Value) {
	if l == nil || !v.Pos().IsValid() {
		return
	}
	l.steps = append(l.steps, Step{v.Pos(), r})
}

// logger returns the log of the event that is being explained, or nil.
func (p *program) logger() *log { return p.logging }
