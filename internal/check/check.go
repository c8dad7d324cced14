// Package check is the frame in which the analyzers run: it gives them the
// traced events and the declarations, and turns what they find into
// diagnostics — the right ones of several, switched on, not silenced.
package check

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"sort"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/declare"
	"github.com/ttlvet/ttlvet/internal/directive"
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/place"
	"github.com/ttlvet/ttlvet/internal/plain"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/rule"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Config chooses rules over the registry file's choice. It is read when an
// analyzer runs, so that flags may be parsed after the analyzer is made.
type Config struct {
	Strict          bool
	Enable, Disable []string
	// Release drops what tracing found in a package once all analyzers of the
	// suite have looked at it, for drivers that keep results until they end.
	Release bool
	// NoRelated leaves out related information, for drivers that make
	// findings of their own of it. Messages say where it is, too.
	NoRelated bool
	// Baseline is the path of a file of findings that are not reported. It
	// takes the place of the one that the registry file names.
	Baseline string
	// NoBaseline reports what baselines know, too.
	NoBaseline bool
	// NoLintHides puts what is wrong with a //nolint directive at the file's
	// package clause, for drivers in which it would hide that, too.
	NoLintHides bool
	// UnsafeFixes offers fixes too that a person should look at before they
	// are applied, titled so, for drivers that show fixes or tell them apart.
	UnsafeFixes bool
	// TranslatedFixes offers fixes in what cgo makes of files, for drivers
	// that apply them to the files themselves.
	TranslatedFixes bool
	// RegistryApart leaves what is wrong with the registry's handles and with the
	// files that its schema names to drivers that say it at its own place.
	RegistryApart bool
	// Calls makes the analyzer of the registry tell what the package calls.
	Calls bool
}

// A Pass is one run of an analyzer over a package.
type Pass struct {
	*analysis.Pass
	Trace *trace.Result
	Model *registry.Model
	// Events are the traced events, and the calls of the functions that the
	// registry file describes.
	Events []*trace.Event

	analyzer string
	layers   rule.Layers
	findings []Finding
	told     map[reach]bool
	known    *Known
	byNode   map[ast.Node][]*trace.Event // the events, once they were asked for
	byTarget map[string][]*trace.Event   // those of what is given a table, by what they reach
}

// A Finding is a diagnostic in the making.
type Finding struct {
	Category string
	Family   string // "" when the finding is not about a family
	Table    string // the registry's pattern of the family's table, where that is certain
	Message  string
	At       ast.Node     // where it stands; nil for the event itself
	Wrong    *value.Value // what is wrong, where it is known: the message names where it comes from
	Fix      *analysis.SuggestedFix
	Related  []analysis.RelatedInformation
	Anyhow   bool // it is wrong whatever the family: told where it is of one, it is told of all

	apart bool   // it stands beside others of its family at one place
	kinds bool   // the same, beside those of other categories
	from  string // the place that its message names, where what is wrong is made
	where string // the same, which the event's call reaches
	when  bool   // it holds under a condition that a parameter decides: it hides no certain one
}

// Apart reports whether a finding stands beside others of its family at one place: each is
// of another method of the object that is given its table there.
func (f Finding) Apart() bool { return f.apart }

// An Outcome is the result of a rule analyzer: what it reported, and what it
// found besides.
type Outcome struct {
	Reported   []analysis.Diagnostic
	Held       []analysis.Diagnostic // not reported: the baseline knows them
	Directives map[token.Pos]bool    // the directives that silenced a finding
	Details
	told map[reach]bool // the events of which what is wrong is told in what they call
	// Reaches, Registry and Declares say of the package that Bigtable can be
	// reached from it, that there is a registry file for it, and that tables are
	// declared for it, in that file or in Go.
	Reaches, Registry, Declares bool
	// Mistakes are what is wrong with the registry's handles, where it is not
	// reported as a diagnostic.
	Mistakes registry.Errors
	// Calls are what the package calls, where that was asked for, and Path and
	// Model are what is declared for it.
	Calls []*evidence.Call
	Path  string // the registry file's
	Model *registry.Model

	fixes *fix.Set // those offered, by this analyzer and those before it
}

// New makes an analyzer of the rules of that name. It runs after others, whose
// fixes have precedence: what one analyzer offers must go with what all offer.
func New(name, doc string, config *Config, run func(*Pass), after ...*analysis.Analyzer) *analysis.Analyzer {
	a := &analysis.Analyzer{
		Name:       name,
		Doc:        doc,
		URL:        rule.PageURL(name),
		Requires:   append([]*analysis.Analyzer{trace.Analyzer, declare.Analyzer, directive.Analyzer}, after...),
		ResultType: reflect.TypeFor[*Outcome](),
	}
	a.Run = func(pass *analysis.Pass) (any, error) {
		var before []*fix.Set
		for _, a := range after {
			before = append(before, pass.ResultOf[a].(*Outcome).fixes)
		}
		out := &Outcome{Directives: map[token.Pos]bool{}, fixes: fix.NewSet(pass, before...)}
		tr := pass.ResultOf[trace.Analyzer].(*trace.Result)
		decl := pass.ResultOf[declare.Analyzer].(*declare.Result)
		if !tr.Reaches || decl.Err != nil {
			return out, nil
		}
		known, err := NewKnown(pass, config, decl.File)
		if err != nil {
			return out, nil // the analyzer ttlvet says so
		}
		p := &Pass{Pass: pass, Trace: tr, Model: decl.Model, analyzer: name, layers: Layers(config, decl.File), known: known, told: map[reach]bool{}}
		p.Events = append(tr.Events[:len(tr.Events):len(tr.Events)], wrapperEvents(tr, decl.File)...)
		p.guarded(func() { run(p) })
		out.told = p.told
		p.finish(out, config, pass.ResultOf[directive.Analyzer].(*directive.Set))
		return out, nil
	}
	return a
}

// guarded runs f and survives its panics: an analyzer that fails must not
// fail its driver.
func (p *Pass) guarded(f func()) {
	if !trace.DebuggingPanics() {
		defer func() {
			if err := recover(); err != nil {
				trace.Failed("%s of package %s is incomplete: %v", p.analyzer, p.Pkg.Path(), err)
			}
		}()
	}
	f()
}

// finish reports the findings that are switched on and not silenced, once
// each, in source order.
func (p *Pass) finish(out *Outcome, config *Config, silenced *directive.Set) {
	sort.SliceStable(p.findings, func(i, j int) bool {
		a, b := p.findings[i], p.findings[j]
		if a, b := p.Link(a.At), p.Link(b.At); a != b {
			return a < b
		}
		if p.strict(a) != p.strict(b) {
			return p.strict(b) // what is strict takes nobody's place
		}
		return a.Table != "" && b.Table == ""
	})
	out.On = p.layers
	seen := positions{}
	var fixes []*analysis.SuggestedFix
	var offers []*analysis.SuggestedFix // of what is reported, with nil for none
	found := withoutOuter(p.findings)
	for i, f := range found {
		r, ok := rule.Lookup(p.analyzer, f.Category)
		if !ok {
			panic("no rule " + p.analyzer + "/" + f.Category)
		}
		// One finding for each place and family.
		pos := p.Link(f.At)
		if !p.layers.On(r) || !seen.addFinding(pos, f) {
			continue
		}
		if d := cmp.Or(silenced.For(p.Fset, pos, r), silenced.For(p.Fset, f.At.Pos(), r)); d != nil {
			out.Directives[d.Pos] = true
			continue
		}
		f.Message += place.Whence(f.from, f.where) + also(f, found[i+1:])
		d := analysis.Diagnostic{
			Pos: pos, End: f.At.End(), Category: f.Category, Message: plain.String(f.Message) + " (" + r.Name() + ")",
			URL: r.URL(), Related: f.Related,
		}
		if !out.Add(p.known, r, pos, f.Table, f.Family) {
			out.Held = append(out.Held, d)
			continue
		}
		if config.NoRelated {
			d.Related = nil
		}
		if p.applicable(f.Fix, config) {
			fixes = append(fixes, f.Fix)
		}
		offers = append(offers, f.Fix)
		out.Reported = append(out.Reported, d)
	}
	var offered map[*analysis.SuggestedFix]bool
	p.guarded(func() { offered = out.fixes.Offer(fixes) })
	for i := range out.Reported {
		if offered[offers[i]] {
			out.Reported[i].SuggestedFixes = []analysis.SuggestedFix{*offers[i]}
		}
		p.Report(out.Reported[i])
	}
}

// also names the other places of which what is wrong is told at one call that makes an
// object: to mend one of its methods mends no other.
func also(f Finding, others []Finding) (names string) {
	if !f.kinds || f.apart {
		return ""
	}
	named := []string{f.where}
	for _, g := range others {
		if !g.apart && g.At == f.At && g.Category == f.Category && g.Family == f.Family && g.Table == f.Table && !slices.Contains(named, g.where) {
			named = append(named, g.where)
		}
	}
	switch len(named) {
	case 1:
		return ""
	case 2:
		return ", also " + named[1]
	}
	return fmt.Sprintf(", also %s and %d more", named[1], len(named)-2)
}

// applicable reports whether the driver can do with a fix what it should.
func (p *Pass) applicable(f *analysis.SuggestedFix, config *Config) bool {
	if f == nil || fix.IsUnsafe(*f) && !config.UnsafeFixes {
		return false
	}
	if config.TranslatedFixes {
		return true
	}
	for _, file := range p.Files {
		if file.FileStart <= f.TextEdits[0].Pos && f.TextEdits[0].Pos <= file.FileEnd {
			return !fix.Translated(p.Pass, file)
		}
	}
	return false
}

// Layers returns the choice of rules: the registry file's, and over it the
// configuration.
func Layers(config *Config, file *registry.File) rule.Layers {
	var layers rule.Layers
	if file != nil {
		layers = append(layers, file.Rules)
	}
	return append(layers, rule.Selection{Strict: config.Strict, Enable: config.Enable, Disable: config.Disable})
}

// A Judge says what is wrong with one case of an event.
type Judge func(e *trace.Event, c trace.Case) []Finding

// Event judges an event, case by case, and records what is wrong with it.
//
// A case that hangs on a condition over parameters which nobody in view
// supplies counts only if all others are wrong too. What the function that
// the event calls is known to do wrong without this call is left to it.
func (p *Pass) Event(e *trace.Event, judge Judge) {
	for _, f := range p.surviving(e, judge) {
		if home := p.home(e, f, judge); home != e {
			if f = p.moved(home, e, f, judge); p.toldByMaker(home, f, judge) {
				continue
			}
			f.from = p.madeAt(f, "")
			p.findings = append(p.findings, f)
			continue
		}
		if f.At == nil {
			f.At = cmp.Or(p.appliedAt(e, f), e.Node)
		}
		f.from = p.madeAt(f, e.Where)
		if e.Where != "" && e.Depth > 0 && !p.standsAt(f.At, e.Where) {
			f.where = Reached(p.Fset, e)
			f.apart, f.kinds = e.OnlyTable, e.Makes(f.At)
			if from := e.SuppliedAt(); from != "" {
				f.from = seen(p.Fset, e, from)
			}
			if src := e.Origin(); src != nil {
				f.Related = append(f.Related, analysis.RelatedInformation{Pos: src.Pos(), End: src.End(), Message: "what the call reaches"})
			}
		}
		p.findings = append(p.findings, f)
	}
}

// Add records a finding that is not a case's.
func (p *Pass) Add(f Finding) { p.findings = append(p.findings, f) }

// On reports whether a category of the analyzer is switched on.
func (p *Pass) On(category string) bool {
	r, ok := rule.Lookup(p.analyzer, category)
	return ok && p.layers.On(r)
}

// Strict reports whether the strict rules are asked for as such.
func (p *Pass) Strict() bool { return p.layers.Strict() }

// Filter drops the findings for which keep returns false.
func (p *Pass) Filter(keep func(Finding) bool) {
	var kept []Finding
	for _, f := range p.findings {
		if keep(f) {
			kept = append(kept, f)
		}
	}
	p.findings = kept
}

// strict reports whether a finding is one that is off unless asked for.
func (p *Pass) strict(f Finding) bool {
	r, ok := rule.Lookup(p.analyzer, f.Category)
	return ok && r.Strict || f.when
}

// agreed reports whether a fix is right for every case of an event: it mends it, or
// changes nothing that its values are made of, as with another row of a table of literals.
// What one branch needs may be wrong for the others.
func agreed(f Finding, cases []trace.Case, byCase [][]Finding) bool {
	all, seen := true, false
	for i, found := range byCase {
		switch touched := touches(f.Fix, cases[i]); {
		case hasFix(found, f):
			seen = seen || touched
		case touched:
			return false
		default:
			all = false
		}
	}
	return all || seen
}

// hasFix reports whether the fix of a finding is among those of findings of its kind.
func hasFix(found []Finding, f Finding) bool {
	return slices.ContainsFunc(found, func(g Finding) bool {
		return g.Category == f.Category && g.Family == f.Family && g.Fix != nil && sameEdits(f.Fix, g.Fix)
	})
}

// touches reports whether a fix changes an expression that made a value of a case, or
// something in it.
func touches(fix *analysis.SuggestedFix, c trace.Case) bool {
	return c.Has(func(v *value.Value) bool {
		return v.Expr != nil && slices.ContainsFunc(fix.TextEdits, func(e analysis.TextEdit) bool {
			return e.Pos <= v.Expr.End() && v.Expr.Pos() <= max(e.Pos, e.End)
		})
	})
}

func sameEdits(a, b *analysis.SuggestedFix) bool {
	return slices.EqualFunc(a.TextEdits, b.TextEdits, func(x, y analysis.TextEdit) bool {
		return x.Pos == y.Pos && x.End == y.End && string(x.NewText) == string(y.NewText)
	})
}
