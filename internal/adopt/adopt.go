// Package adopt rewrites correct plain code to the helpers of the runtime
// package: writes, reads, predicates and policies of tables that variables in
// view declare.
//
// What is written and read stays the same. Only a form whose timestamp, filter
// or policy is certainly the helper's is rewritten: one-second expiration at
// now plus a lifetime is SetFor, at a deadline SetUntil, a number times 1000 is
// the number, a filter of each family by its strategy is Live. What a rule
// reports is left to the rule's fix.
package adopt

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/declare"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/trace"
)

// Name is the name of the analyzer. It is no rule's: what it reports is what
// can be rewritten, and nothing that is wrong.
const Name = "ttladopt"

// Category is the category of all that it reports.
const Category = "adopt"

// Rule is the name under which drivers count what the analyzer rewrites.
const Rule = Name + "/" + Category

// New returns the analyzer, which runs after the analyzers of the rules.
func New(after ...*analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     Name,
		Doc:      "find correct plain code that the runtime package's helpers can replace",
		URL:      "https://github.com/ttlvet/ttlvet/blob/main/docs/helpers.md",
		Requires: append([]*analysis.Analyzer{trace.Analyzer, declare.Analyzer}, after...),
		Run: func(pass *analysis.Pass) (any, error) {
			tr := pass.ResultOf[trace.Analyzer].(*trace.Result)
			decl := pass.ResultOf[declare.Analyzer].(*declare.Result)
			if !tr.Reaches || decl.Err != nil || len(tr.Variables) == 0 {
				return nil, nil
			}
			a := &adopter{Pass: &check.Pass{Pass: pass, Trace: tr, Model: decl.Model, Events: tr.Events}}
			for _, rules := range after {
				if out, ok := pass.ResultOf[rules].(*check.Outcome); ok {
					a.found = append(append(a.found, out.Reported...), out.Held...)
				}
			}
			a.run()
			return nil, nil
		},
	}
}

// An adopter is one run.
type adopter struct {
	*check.Pass
	found []analysis.Diagnostic // what rules report
	// seen are the calls that have been rewritten.
	seen map[ast.Node]bool
}

func (a *adopter) run() {
	a.seen = map[ast.Node]bool{}
	for _, e := range a.Events {
		// Of a call that stands for several, what is right for one may be
		// wrong for another.
		if e.Depth > 0 || e.Helper != "" || e.Call == nil || len(e.Cases) != 1 || a.seen[e.Call] || a.reported(e.Call) {
			continue
		}
		var f *analysis.SuggestedFix
		switch c := e.Cases[0]; e.Op {
		case btapi.Set:
			f = a.write(e, c)
		case btapi.ReadRow, btapi.ReadRows:
			f = a.read(e, c)
		case btapi.NewCondMutation:
			f = a.predicate(e, c)
		case btapi.CreateTableFromConf:
			f = a.conf(e, c)
		}
		if f != nil {
			a.seen[e.Call] = true
			a.Report(analysis.Diagnostic{Pos: e.Call.Pos(), End: e.Call.End(), Category: Category, Message: "the runtime package does the same: " + f.Message,
				SuggestedFixes: []analysis.SuggestedFix{*f}})
		}
	}
}

// reported reports whether a rule has a finding in a call or around it.
func (a *adopter) reported(call *ast.CallExpr) bool {
	for _, d := range a.found {
		if d.Pos < call.End() && call.Pos() < max(d.End, d.Pos+1) {
			return true
		}
	}
	return false
}

// done ends a fix of the kind that a person should look at.
func done(b *fix.Builder, message, why string) *analysis.SuggestedFix {
	return b.Unsafe(why).Done(message)
}
