package ttlgc

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/syntax"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// supplied returns the argument of a wrapper's call that is the policy at
// fault, or part of it.
func (g *given) supplied() ast.Expr {
	if g.e.Depth == 0 || g.use.Expr == nil || g.use.Expr.Expr == nil {
		return nil
	}
	if e := g.use.Expr.Expr; syntax.Within(e, g.e.Node) {
		return e
	}
	return nil
}

// named returns the expression that names the family, or nil.
func (g *given) named() ast.Expr {
	if g.use.Name == nil {
		return nil
	}
	return g.use.Name.Expr
}

// fix puts the policy that the family needs in the place of the wrong one.
func (g *given) fix(category string, at *gcpolicy.Policy) *analysis.SuggestedFix {
	if category == "policy-mismatch" && !g.loosens {
		return nil // a fix must not delete what is there
	}
	if category == "existing-data" || g.policy == nil || at == nil || gcpolicy.ValueOf(g.policy) == nil {
		return nil
	}
	target := at
	if category != "age-mismatch" {
		target = g.policy // the whole: what remains of a union is the right policy
	}
	if gcpolicy.ValueOf(target) == nil || gcpolicy.ValueOf(target).Expr == nil {
		return nil
	}
	expr := gcpolicy.ValueOf(target).Expr
	if !g.p.NamedLiteral(g.e, expr, g.target.Family.Name, g.named()) && g.supplied() == nil || !g.isPolicy(expr) {
		if category == "age-mismatch" {
			return g.ageFix(at)
		}
		return nil
	}
	b := fix.New(g.p.Pass, expr)
	if b == nil || g.sharedWith(expr) {
		return nil
	}
	if !g.mark(b) {
		return nil
	}
	if there := g.rightMember(expr); there != nil && there != expr {
		return b.Delete(expr.Pos(), there.Pos()).Delete(there.End(), expr.End()).Done(message)
	}
	return b.Replace(expr, g.rightPolicy(b, expr.Pos())).Done(message)
}

const message = "Set the policy that the strategy needs"

// mark marks a fix as unsafe where cells that the family has may go; false where it must
// not be offered then.
func (g *given) mark(b *fix.Builder) bool {
	switch live := !g.use.Created && !g.createdHere(); {
	case live && g.target.Family.Strategy == registry.OneSecond:
		if g.p.On("existing-data") {
			return false // which the policy that it needs is reported as
		}
		b.Unsafe("cells of the family that have real timestamps are deleted")
	case live && g.tightens():
		b.Unsafe("cells of the family that are kept today are deleted")
	}
	return true
}

// ageFix puts the age that the family needs in the place of that of a raw message.
func (g *given) ageFix(at *gcpolicy.Policy) *analysis.SuggestedFix {
	age := gcpolicy.AgeOf(gcpolicy.ValueOf(at))
	if age == nil {
		return nil
	}
	call, ok := age.Expr.(*ast.CallExpr)
	if !ok || btapi.Func(typeutil.StaticCallee(g.p.TypesInfo, call)) != "durationpb.New" || g.e.Node.Pos() > call.Pos() || call.End() > g.e.Node.End() {
		return nil
	}
	b := fix.New(g.p.Pass, call)
	if b == nil || !g.mark(b) {
		return nil
	}
	return b.Replace(call.Args[0], b.Duration(g.target.Family.MaxAge, call.Pos())).Done(message)
}

// sharedWith reports whether an expression, written elsewhere than at the call, is the
// policy of another family too, which needs another.
func (g *given) sharedWith(expr ast.Expr) bool {
	events := g.p.Events
	if syntax.Within(expr, g.e.Node) {
		events = g.p.EventsAt(g.e.Node)
	}
	f := g.target.Family
	is := func(v *value.Value) bool { return v.Expr == expr }
	for _, e := range events {
		for _, c := range e.Cases {
			for _, u := range trace.CasePolicies(e, c) {
				if u.Policy == nil || !u.Policy.Has(is) {
					continue
				}
				targets := g.p.Targets([]*value.Value{u.Table}, u.Family)
				if len(targets) == 0 || slices.ContainsFunc(targets, func(t check.Target) bool {
					return t.Family.Strategy != f.Strategy || t.Family.MaxAge != f.MaxAge || t.Family.Versions != f.Versions
				}) {
					return true
				}
			}
		}
	}
	return false
}

// rightMember returns the part of a group of policies, written in the
// expression, that is what the family needs, or nil.
func (g *given) rightMember(expr ast.Expr) (found ast.Expr) {
	f := g.target.Family
	g.policy.Walk(func(q *gcpolicy.Policy, _ bool) {
		right := q.Op == gcpolicy.MaxVersions && q.N == max(f.Versions, 1)
		if f.Strategy.Expires() {
			right = q.Op == gcpolicy.MaxAge && q.AgeKnown && q.Age == f.MaxAge
		}
		if !right || found != nil || gcpolicy.ValueOf(q) == nil {
			return
		}
		if e := gcpolicy.ValueOf(q).Expr; e != nil && syntax.Within(e, expr) && g.isPolicy(e) {
			found = e
		}
	})
	return found
}

// tightens reports whether the policy that the family needs may collect what
// the present one keeps.
func (g *given) tightens() bool {
	f := g.target.Family
	loose := true
	g.policy.Walk(func(q *gcpolicy.Policy, deletes bool) {
		switch {
		case !deletes:
		case q.Op == gcpolicy.MaxAge && f.Strategy.Expires():
			loose = loose && !(q.AgeKnown && q.Age <= f.MaxAge)
		case q.Op == gcpolicy.MaxVersions && !f.Strategy.Expires():
			loose = loose && !(q.N >= 0 && q.N <= max(f.Versions, 1))
		}
	})
	return loose
}

// rightPolicy writes the policy that the family needs.
func (g *given) rightPolicy(b *fix.Builder, at token.Pos) string {
	f := g.target.Family
	switch f.Strategy {
	case registry.OneSecond, registry.Default:
		return b.Ref(fix.Bigtable, "MaxAgePolicy", at) + "(" + b.Duration(f.MaxAge, at) + ")"
	}
	return b.Ref(fix.Bigtable, "MaxVersionsPolicy", at) + "(" + strconv.Itoa(max(f.Versions, 1)) + ")"
}

// withConfig makes CreateColumnFamily create the family with its policy.
func (g *given) withConfig() *analysis.SuggestedFix {
	call := g.e.Call
	if g.e.Op != btapi.CreateColumnFamily || g.e.Depth > 0 || call == nil || len(call.Args) != 3 {
		return nil
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || btapi.Type(g.p.TypesInfo.TypeOf(sel.X)) != "bigtable.AdminClient" {
		return nil
	}
	b := fix.New(g.p.Pass, call)
	if b == nil {
		return nil
	}
	at := call.Rparen
	return b.Replace(sel.Sel, "CreateColumnFamilyWithConfig").
		Insert(call.Args[2].End(), ", "+b.Ref(fix.Bigtable, "Family", at)+"{GCPolicy: "+g.rightPolicy(b, at)+"}").
		Done("Create the family with its policy")
}

// isPolicy reports whether an expression is a policy of the client's, made
// by a constructor or a conversion, that another constructor can replace.
func (g *given) isPolicy(expr ast.Expr) bool {
	t := g.p.TypesInfo.TypeOf(expr)
	if t == nil || !strings.HasSuffix(btapi.Type(t), "Policy") {
		return false
	}
	_, isCall := expr.(*ast.CallExpr)
	_, isLit := expr.(*ast.CompositeLit)
	return isCall || isLit
}
