// Package ttlgc finds garbage collection policies that contradict the
// strategy of their column family.
package ttlgc

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/check"
	"github.com/ttlvet/ttlvet/analyzers/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/analyzers/internal/registry"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
	"github.com/ttlvet/ttlvet/analyzers/ttlread"
)

const doc = `find garbage collection policies that contradict the strategy of their column family

Garbage collection deletes by timestamp. An age policy on a family of
sequential numbers deletes it whole; a version limit on a family whose cells
expire keeps the cell that expires last, not the one written last. The
strategies of families are declared in ttlvet.yaml or with the runtime package.`

// Analyzer finds policies that contradict the strategy of their column
// family, with the default rules.
var Analyzer = New(&check.Config{}, ttlread.Analyzer)

// New returns the analyzer with a choice of rules. reads is the analyzer of
// reads, beside whose fixes those of policies must stand.
func New(config *check.Config, reads *analysis.Analyzer) *analysis.Analyzer {
	return check.New("ttlgc", doc, config, run, reads)
}

func run(p *check.Pass) {
	for _, e := range p.Events {
		if e.Op == trace.New+"adminpb.ModifyColumnFamiliesRequest" {
			p.Event(e, emptyMask)
		}
		p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding {
			var out []check.Finding
			for _, u := range trace.CasePolicies(e, c) {
				for _, t := range p.Targets([]*value.Value{u.Table}, u.Family) {
					g := &given{p: p, e: e, c: c, use: u, target: t}
					if f := g.judge(); f != nil {
						out = append(out, *f)
					}
				}
			}
			return out
		})
	}
}

// A given is a policy that an event gives a declared family.
type given struct {
	p      *check.Pass
	e      *trace.Event
	c      trace.Case
	use    trace.PolicyUse
	target check.Target
	policy *gcpolicy.Policy
}

func (g *given) judge() *check.Finding {
	if g.use.Policy == nil {
		return g.missing()
	}
	g.policy = gcpolicy.Of(g.use.Policy)
	if g.policy == nil {
		return g.missing()
	}
	f := g.target.Family
	switch f.Strategy {
	case registry.Sequence:
		return g.sequence()
	case registry.Zero:
		return g.zero()
	case registry.OneSecond, registry.Default:
		return g.expiring()
	}
	return nil
}

// missing judges a family that gets no policy at all.
func (g *given) missing() *check.Finding {
	if !g.use.Created || !g.target.Family.Strategy.NeedsFilter() || g.setElsewhere() {
		return nil
	}
	f := g.finding("no-policy", nil, "creates "+g.target.Name()+" without a policy: nothing is ever collected; give it "+right(g.target.Family))
	f.Fix = g.withConfig()
	return f
}

// setElsewhere reports whether the code that creates a family also sets its
// policy: a migration has a step for each.
func (g *given) setElsewhere() bool {
	return g.elsewhere(func(u trace.PolicyUse) bool { return u.Policy != nil && !u.Created })
}

// createdHere reports whether the code that sets a policy also creates the
// family.
func (g *given) createdHere() bool {
	for _, e := range g.p.Events {
		if e.Op == btapi.CreateTable && e.Fn != nil && e.Fn == g.e.Fn {
			return true
		}
	}
	return g.elsewhere(func(u trace.PolicyUse) bool { return u.Created })
}

// elsewhere reports whether there is such a policy for the family in what
// runs together with the event; of a family that is not known, in the same
// function.
func (g *given) elsewhere(is func(trace.PolicyUse) bool) bool {
	for _, e := range g.p.Events {
		for _, c := range e.Cases {
			for _, u := range trace.CasePolicies(e, c) {
				if is(u) && (u.Family == g.use.Family || u.Family == "" && e.Fn != nil && e.Fn == g.e.Fn) && g.sameTable(u) && g.p.Trace.Together(e, g.e) {
					return true
				}
			}
		}
	}
	return false
}

// sameTable reports whether a policy may be for the same table.
func (g *given) sameTable(u trace.PolicyUse) bool {
	a, b := value.Glob(g.use.Table), value.Glob(u.Table)
	return a == b || a == "" || b == "" || strings.Contains(a+b, "*")
}

// ignoresWarnings reports whether an option says to apply a policy in spite
// of the service's warnings.
func ignoresWarnings(c trace.Case) bool {
	if len(c.Args) < 6 {
		return false
	}
	found := false
	c.Args[5].Walk(func(v *value.Value) { found = found || v.Is("bigtable.IgnoreWarnings") })
	return found
}

func (g *given) sequence() *check.Finding {
	var harmful, idle *gcpolicy.Policy
	g.policy.Walk(func(q *gcpolicy.Policy, deletes bool) {
		switch {
		case q.Op != gcpolicy.MaxAge:
		case deletes && harmful == nil:
			harmful = q
		case !deletes && idle == nil:
			idle = q
		}
	})
	switch {
	case harmful != nil:
		return g.finding("age-on-sequence", harmful, "sets an age policy on "+g.target.Name()+": every number is an old timestamp, and every cell is deleted; collect by versions: "+right(g.target.Family))
	case idle != nil:
		return g.finding("age-on-sequence", idle, "sets an age in an intersection on "+g.target.Name()+": every number is an old timestamp, so the age has no effect; collect by versions alone: "+right(g.target.Family))
	case g.nothing():
		return g.finding("no-policy", g.policy, "sets a policy on "+g.target.Name()+" that collects nothing: versions pile up; collect by versions: "+right(g.target.Family))
	}
	return nil
}

func (g *given) zero() *check.Finding {
	var harmful *gcpolicy.Policy
	g.policy.Walk(func(q *gcpolicy.Policy, deletes bool) {
		if q.Op == gcpolicy.MaxAge && deletes && harmful == nil {
			harmful = q
		}
	})
	if harmful == nil {
		return nil
	}
	return g.finding("age-on-zero", harmful, "sets an age policy on "+g.target.Name()+": timestamp 0 is older than any age, and every cell is deleted; collect by versions: "+right(g.target.Family))
}

// expiring judges a policy for a family whose cells expire by their
// timestamps.
func (g *given) expiring() *check.Finding {
	f := g.target.Family
	var age, versions *gcpolicy.Policy
	g.policy.Walk(func(q *gcpolicy.Policy, deletes bool) {
		switch {
		case q.Op == gcpolicy.MaxAge && deletes && age == nil:
			age = q
		case q.Op == gcpolicy.MaxVersions && deletes && g.policy.Op != gcpolicy.MaxVersions && versions == nil:
			versions = q
		}
	})
	switch {
	case versions != nil && age != nil:
		return g.finding("versions-with-expiry", versions, "limits the versions of "+g.target.Name()+": the cell that expires last survives, not the one written last; collect by age alone: "+right(f))
	case age != nil && age.AgeKnown && age.Age > f.MaxAge && f.MaxAge > 0 && ignoresWarnings(g.c) && g.p.On("relaxed-age"):
		return g.finding("relaxed-age", age, fmt.Sprintf("raises the age of %s to %s and ignores the warnings: expired cells stay, and are read, for that much longer, on replicated tables without a way back of more than 90 days; set %s",
			g.target.Name(), registry.FormatDuration(age.Age), right(f)))
	case age != nil && age.AgeKnown && !gcpolicy.Slip(age.Age) && wrongAge(f, age.Age):
		return g.finding("age-mismatch", age, fmt.Sprintf("sets the age %s on %s, which is declared with %s: %s; set %s",
			registry.FormatDuration(age.Age), g.target.Name(), registry.FormatDuration(f.MaxAge), fate(f, age.Age), right(f)))
	case f.Strategy == registry.OneSecond && g.policy.OneSecond() && !g.use.Created && !g.createdHere() && g.p.On("existing-data"):
		return g.finding("existing-data", age, "sets an age of at most a second on "+g.target.Name()+", which this code did not just create: cells with real timestamps are deleted; migrate the family first, or use a new one")
	case age == nil && g.policy.Known():
		return g.finding("no-policy", g.policy, "sets a policy on "+g.target.Name()+" that deletes no cell by its age: expired cells are never collected; set "+right(f))
	}
	return nil
}

// wrongAge reports whether an age contradicts the declared one: for
// one-second expiration a shorter one does no harm.
func wrongAge(f *registry.Family, age time.Duration) bool {
	if f.Strategy == registry.OneSecond {
		return f.MaxAge > 0 && age > f.MaxAge
	}
	return age != f.TTL
}

func fate(f *registry.Family, age time.Duration) string {
	if age > f.MaxAge {
		return "expired cells stay, and are read, for that much longer"
	}
	return "live cells are deleted"
}

// nothing reports whether a policy certainly collects nothing.
func (g *given) nothing() bool {
	return g.policy.Op == gcpolicy.None || (g.policy.Op == gcpolicy.Union || g.policy.Op == gcpolicy.Intersection) && len(g.policy.Sub) == 0
}

// right writes the policy that a family needs.
func right(f *registry.Family) string {
	switch f.Strategy {
	case registry.OneSecond, registry.Default:
		return "MaxAgePolicy(" + registry.GoDuration(f.MaxAge) + ")"
	}
	return fmt.Sprintf("MaxVersionsPolicy(%d)", max(f.Versions, 1))
}

// finding makes a finding at the policy at fault, where that is written at
// the call or in a literal, else at the call.
func (g *given) finding(category string, at *gcpolicy.Policy, message string) *check.Finding {
	f := &check.Finding{Category: category, Family: g.target.Family.Name, Table: g.target.TablePattern(), Message: message}
	for _, v := range []*value.Value{valueOf(at), g.use.Expr} {
		if v != nil && v.Expr != nil && g.e.Depth == 0 && g.p.NamedLiteral(g.e, v.Expr, g.target.Family.Name) {
			f.At = v.Expr
			break
		}
	}
	if f.At == nil {
		if expr := g.supplied(); expr != nil {
			f.At = expr
		}
	}
	f.Fix = g.fix(category, at)
	return f
}

func valueOf(p *gcpolicy.Policy) *value.Value {
	if p == nil {
		return nil
	}
	return p.Value
}

// emptyMask reports a raw update without mask, which clears the policy.
func emptyMask(_ *trace.Event, c trace.Case) []check.Finding {
	var out []check.Finding
	for _, m := range trace.EmptyMasks(c) {
		name := "a family"
		if m.Family != "" {
			name = fmt.Sprintf("family %q", m.Family)
		}
		f := check.Finding{Category: "empty-mask", Family: m.Family,
			Message: "raw update of " + name + " has no update mask and no policy: the policy is cleared, and nothing is ever collected; set UpdateMask to what changes"}
		if m.Value.Expr != nil {
			f.At = m.Value.Expr
		}
		out = append(out, f)
	}
	return out
}
