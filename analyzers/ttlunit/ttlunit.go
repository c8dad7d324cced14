// Package ttlunit finds timestamps and ages in the wrong unit, out of range
// or of no effect. It needs no registry.
package ttlunit

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/analyzers/ttlgc"
	"github.com/ttlvet/ttlvet/analyzers/ttlwrite"
	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/place"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

const doc = `find timestamps and ages in the wrong unit or out of range

A bigtable.Timestamp counts microseconds since 1970, at the precision of a
millisecond; a garbage collection age is a time.Duration. Seconds,
milliseconds and nanoseconds in their place make cells that are long expired or
never expire.`

// Analyzer finds timestamps and ages in the wrong unit or out of range.
var Analyzer = New(&check.Config{}, ttlwrite.Analyzer, ttlgc.Analyzer)

// New returns the analyzer with a choice of rules. writes is the analyzer of
// writes, whose findings win over those of units at the same place; policies
// the one beside whose fixes those of units must stand.
func New(config *check.Config, writes, policies *analysis.Analyzer) *analysis.Analyzer {
	return check.New("ttlunit", doc, config, func(p *check.Pass) {
		found := p.ResultOf[writes].(*check.Outcome)
		// What an earlier value does says nothing of the timestamp that is written.
		taken := slices.DeleteFunc(slices.Concat(found.Reported, found.Held), func(d analysis.Diagnostic) bool { return d.Category == "stale-survivor" })
		u := &units{Pass: p, taken: taken, writes: found}
		u.run()
	}, writes, policies)
}

// units is one run.
type units struct {
	*check.Pass
	taken  []analysis.Diagnostic // what the analyzer of writes found
	writes *check.Outcome        // that analyzer's
}

func (u *units) run() {
	for _, e := range u.Events {
		if u.isTaken(e.Node) {
			continue
		}
		switch e.Op {
		case trace.Convert:
			u.Event(e, u.conversion)
		case trace.New + "bigtablepb.Mutation_SetCell":
			u.Event(e, u.rawTimestamp)
		case btapi.TimeToTimestamp:
			u.Event(e, u.fromTime)
		case btapi.Set, btapi.AddIntToCell, btapi.MergeBytesToCell:
			if !u.takenByCallers(e, 4) && !u.writes.Told(e) {
				u.Event(e, func(e *trace.Event, c trace.Case) []check.Finding { return u.written(e, c) })
			}
		case btapi.TimestampRange:
			u.Event(e, func(e *trace.Event, c trace.Case) []check.Finding { return u.timeRange(e, c) })
		case btapi.TimestampRangeMicros:
			u.Event(e, func(e *trace.Event, c trace.Case) []check.Finding { return u.microsRange(e, c, 0) })
		case btapi.DeleteTimeRange:
			u.Event(e, func(e *trace.Event, c trace.Case) []check.Finding { return u.microsRange(e, c, 3) })
		case btapi.MaxAgePolicy:
			u.Event(e, u.age)
		case trace.Lifetime:
			u.Event(e, u.lifetime)
		case btapi.LatestNFilter:
			u.Event(e, u.latest)
		case btapi.ChainFilters, btapi.InterleaveFilters:
			u.Event(e, u.group)
		}
	}
	// What is wrong at a call may stand at what it reaches.
	u.Filter(func(f check.Finding) bool { return f.At == nil || !u.isTaken(f.At) })
	u.constants()
}

// isTaken reports whether the analyzer of writes has a finding at the place,
// or at the write that it is an argument of.
func (u *units) isTaken(n ast.Node) bool {
	if n == nil {
		return true
	}
	return u.findingAt(n, "")
}

// findingAt reports whether the analyzer of writes has a finding at the place
// whose message says that.
func (u *units) findingAt(n ast.Node, says string) bool {
	pos := u.Link(n)
	for _, d := range u.taken {
		if (d.Pos <= pos && n.End() <= d.End || pos <= d.Pos && d.End <= n.End()) && strings.Contains(d.Message, says) {
			return true
		}
	}
	return false
}

// takenByCallers reports whether the analyzer of writes has a finding of a write
// at a call that reaches it: at a constructor's, which supplies the family.
func (u *units) takenByCallers(e *trace.Event, depth int) bool {
	if depth == 0 {
		return false
	}
	return slices.ContainsFunc(e.Link.Derived, func(d *trace.Event) bool {
		return d.Node != nil && u.findingAt(d.Node, place.ReachedAt(check.Reached(u.Fset, d))) || u.takenByCallers(d, depth-1)
	})
}

// latest judges LatestNFilter(n).
func (u *units) latest(e *trace.Event, c trace.Case) []check.Finding {
	if n, ok := c.Args[0].IsInt(); ok && n <= 0 && !u.onlyCompared(e.Node, 2) {
		return []check.Finding{{Category: "invalid-filter",
			Fix:     u.one(e),
			Wrong:   c.Args[0],
			Message: fmt.Sprintf("LatestNFilter(%d): the service rejects the read; ask for at least one version, LatestNFilter(1)", n)}}
	}
	return nil
}

// group judges ChainFilters and InterleaveFilters.
func (u *units) group(e *trace.Event, c trace.Case) []check.Finding {
	n, known := length(c.Args[len(c.Args)-1].Base())
	if !known || n >= 2 {
		return nil
	}
	if n == 0 {
		// A list that grows in a loop is empty only before its first turn.
		for _, c := range e.Cases {
			if n, known := length(c.Args[len(c.Args)-1].Base()); !known || n > 0 {
				return nil
			}
		}
	}
	if u.onlyCompared(e.Node, 2) {
		return nil
	}
	name := "ChainFilters"
	if e.Op == btapi.InterleaveFilters {
		name = "InterleaveFilters"
	}
	message := name + " of one filter: the service rejects the read; use the filter itself"
	if n == 0 {
		message = name + " of no filter: the service rejects the read; leave it out, or use PassAllFilter()"
	}
	return []check.Finding{{Category: "invalid-filter", Fix: u.unwrap(e), Message: message}}
}

// one asks for one version.
func (u *units) one(e *trace.Event) *analysis.SuggestedFix {
	if e.Depth > 0 || e.Call == nil || len(e.Call.Args) != 1 {
		return nil
	}
	b := fix.New(u.Pass.Pass, e.Call)
	if b == nil {
		return nil
	}
	return b.Replace(e.Call.Args[0], "1").Done("Ask for one version")
}

// unwrap puts the only filter of a group in its place.
func (u *units) unwrap(e *trace.Event) *analysis.SuggestedFix {
	if e.Depth > 0 || e.Call == nil || len(e.Call.Args) != 1 || e.Call.Ellipsis.IsValid() {
		return nil
	}
	b := fix.New(u.Pass.Pass, e.Call)
	if b == nil {
		return nil
	}
	arg := e.Call.Args[0]
	return b.Delete(e.Call.Pos(), arg.Pos()).Delete(arg.End(), e.Call.End()).Done("Use the filter itself")
}

// length returns the number of elements of a list, when it is known.
func length(list *value.Value) (n int, known bool) {
	switch list.Kind {
	case value.Nil:
		return 0, true
	case value.List:
		for _, f := range list.Args {
			if f.Is(value.Spread) {
				return 0, false
			}
		}
		return len(list.Args), true
	}
	return 0, false
}
