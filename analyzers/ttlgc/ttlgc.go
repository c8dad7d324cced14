// Package ttlgc finds garbage collection policies that contradict the
// strategy of their column family.
package ttlgc

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/analyzers/ttlread"
	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/syntax"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
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
	requested := trace.Requested(p.Events)
	for _, e := range p.Events {
		switch {
		case requested[e.Node]:
			continue // the request is judged
		case e.Op == trace.New+"adminpb.ModifyColumnFamiliesRequest":
			p.Event(e, emptyMask)
		}
		p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding {
			var out []check.Finding
			for _, u := range append(trace.CasePolicies(e, c), trace.ListedPolicies(e, c)...) {
				for _, t := range p.Targets([]*value.Value{u.Table}, u.Family) {
					g := &given{p: p, e: e, c: c, use: u, target: t}
					if f := g.judge(); f != nil && !g.wrongWhereMade(f.Category) && !g.toldByList(f.Category) {
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
	// loosens reports whether the right policy keeps more than this one.
	loosens bool
}

func (g *given) judge() *check.Finding {
	if g.use.Policy == nil {
		return g.missing()
	}
	g.policy = gcpolicy.Of(g.use.Policy)
	if g.policy == nil {
		return g.missing()
	}
	setting := &gcpolicy.Setting{Family: g.target.Family.Agreement(), Name: g.target.Name(), Policy: g.policy, Relaxes: ignoresWarnings(g.c)}
	v := setting.Judge()
	switch {
	case v != nil:
		g.loosens = v.Loosens
		return g.finding(v.Category, v.At, v.Message)
	case g.existing():
		return g.finding("existing-data", g.policy, "sets an age of at most a second on "+g.target.Name()+", which this code did not just create: cells with real timestamps are deleted; migrate the family first, or use a new one")
	}
	return nil
}

// wrongWhereMade reports whether the function of another package that returns
// the configuration gives the family a policy that is wrong there, whoever asks
// for it.
func (g *given) wrongWhereMade(category string) bool {
	for _, u := range trace.ReturnedPolicies(g.e, g.c) {
		if u.Family != g.use.Family {
			continue
		}
		for _, t := range g.p.Targets([]*value.Value{u.Table}, u.Family) {
			if f := (&given{p: g.p, e: g.e, c: g.c, use: u, target: t}).judge(); f != nil && f.Category == category {
				return true
			}
		}
	}
	return false
}

// toldByList reports whether a list of policies has the finding: all but that a family may
// hold data, which is for those to say who apply the list.
func (g *given) toldByList(category string) bool {
	return category != "existing-data" && g.p.Trace.ListedElsewhere(g.use)
}

// existing reports whether a policy of at most a second is given to a family
// that may hold data already, by what is no list.
func (g *given) existing() bool {
	return g.e.Op != trace.Listed && g.target.Family.Strategy == registry.OneSecond && g.policy.OneSecond() && !g.use.Created && !g.createdHere() && g.p.On("existing-data")
}

// missing judges a family that gets no policy at all.
func (g *given) missing() *check.Finding {
	if !g.use.Created || !g.target.Family.Strategy.NeedsFilter() || g.setElsewhere() {
		return nil
	}
	f := g.finding("no-policy", nil, "creates "+g.target.Name()+" without a policy: nothing is ever collected; give it "+gcpolicy.Needed(g.target.Family).Go())
	if f.Fix = g.declaredConf(); f.Fix == nil {
		f.Fix = g.withConfig()
	}
	return f
}

// setElsewhere reports whether the code that creates a family also sets its
// policy: a migration has a step for each.
func (g *given) setElsewhere() bool {
	return g.setByWrapper() || g.elsewhere(func(u trace.PolicyUse) bool { return u.Policy != nil && !u.Created })
}

// setByWrapper reports whether the function that a call reaches, and that creates
// the family there, sets policies of what it creates, in whatever branch: the
// call may leave that to another.
func (g *given) setByWrapper() bool {
	root := g.e
	for root.Source != nil {
		root = root.Source
	}
	if trace.LeavesPolicy(root) {
		return true
	}
	if root == g.e {
		return false
	}
	for _, e := range g.p.Events {
		if e.Fn == nil || e.Fn != root.Fn || e.Source != nil {
			continue
		}
		for _, c := range e.Cases {
			sets := slices.ContainsFunc(trace.CasePolicies(e, c), func(u trace.PolicyUse) bool { return u.Policy != nil && !u.Created })
			if sets && slices.ContainsFunc(root.Cases, func(r trace.Case) bool { return sameFamily(r, c) }) {
				return true
			}
		}
	}
	return false
}

// sameFamily reports whether calls of the admin client are for one family, as
// their function names it. Raw requests, which hold a list, are for none.
func sameFamily(a, b trace.Case) bool {
	const family = 3
	return len(a.Args) > family && len(b.Args) > family && a.Args[family].String() == b.Args[family].String()
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

// finding makes a finding at the policy at fault, where that is written at
// the call or in a literal, else at the call.
func (g *given) finding(category string, at *gcpolicy.Policy, message string) *check.Finding {
	f := &check.Finding{Category: category, Family: g.target.Family.Name, Table: g.target.TablePattern(), Message: message}
	supplied := g.supplied()
	for _, v := range []*value.Value{gcpolicy.ValueOf(at), g.use.Expr} {
		if f.Wrong == nil {
			f.Wrong = v
		}
		switch {
		case f.At != nil || v == nil || v.Expr == nil:
		case supplied != nil: // at the row that the call takes
			if at := g.inRow(v); at != nil && !syntax.Within(at, supplied) {
				f.At = at
			}
		case g.p.NamedLiteral(g.e, v.Expr, g.target.Family.Name, g.named()), g.besideTable(v.Expr):
			f.At = v.Expr
		default:
			f.At = g.inRow(v)
		}
	}
	if f.At == nil && supplied != nil {
		f.At = supplied
	}
	if message, ok := g.e.Node.(*ast.CompositeLit); ok && f.At == nil {
		// Of several families in one message, at the one that it is about.
		if name := g.named(); name != nil && message.Pos() <= name.Pos() && name.End() <= message.End() {
			f.At = name
		}
	}
	if f.Fix = g.declaredConf(); f.Fix == nil {
		f.Fix = g.fix(category, at)
	}
	return f
}

// inRow returns the expression for a policy in the row that names its family, or for
// the first of its limits that stands there; nil where the row says neither.
func (g *given) inRow(policy *value.Value) (at ast.Expr) {
	if g.named() == nil {
		return nil
	}
	if at = g.e.InRow(g.named(), policy.Expr); at != nil {
		return at
	}
	for _, limit := range policy.Args {
		if limit.Expr != nil && at == nil {
			at = g.inRow(limit)
		}
	}
	return at
}

// besideTable reports whether a policy is written in a literal that names the
// table, while the call names the family.
func (g *given) besideTable(expr ast.Expr) bool {
	if g.use.Table == nil {
		return false
	}
	name := g.use.Table.Base()
	if name.Kind == value.Call && len(name.Args) > 1 {
		name = name.Args[1].Base() // of a table that is opened
	}
	text, ok := name.IsStr()
	return ok && text != "" && g.p.NamedLiteral(g.e, expr, text, name.Expr)
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
