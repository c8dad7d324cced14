package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/progress"
	"github.com/ttlvet/ttlvet/internal/adopt"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/code"
	"github.com/ttlvet/ttlvet/internal/fingerprint"
	"github.com/ttlvet/ttlvet/internal/fix"
)

// A finding is a diagnostic and where it comes from.
type finding struct {
	pkg      *packages.Package
	unit     *unit // where pkg was loaded
	analyzer string
	pos, end token.Position // with absolute paths

	fingerprint fingerprint.Fingerprint

	// unfixable is what the compiler would say after the fix.
	unfixable error
	// unsafe says that there is a fix, but one that was not asked for.
	unsafe bool
	analysis.Diagnostic
}

// rule is the name by which the finding's rule is known.
func (f *finding) rule() string {
	if f.Category == "" {
		return f.analyzer
	}
	return f.analyzer + "/" + f.Category
}

// text is the message, which ends with the rule's name.
func (f *finding) text() string {
	suffix := " (" + f.rule() + ")"
	return strings.TrimSuffix(f.Message, suffix) + suffix
}

// analyze returns the findings in the packages that the patterns match,
// sorted, each once.
func (c *config) analyze() ([]*finding, error) {
	c.line = progress.New(c.stderr)
	defer c.line.Close()
	g, err := loadGraph(c)
	if errors.As(err, new(noPackages)) && c.sources != nil {
		return c.addSchema(nil, nil)
	}
	if err != nil {
		return nil, err
	}
	c.judged.start(g.initial)
	roots, err := g.roots()
	if err != nil {
		return nil, err
	}
	if len(roots) == 0 {
		return c.addSchema(nil, nil)
	}
	loaded, err := load(g, g.sources(roots))
	if err != nil {
		return nil, err
	}
	var pkgs []*packages.Package
	units := map[*packages.Package]*unit{}
	for _, p := range roots {
		u := loaded[p]
		pkgs = append(pkgs, u.pkg)
		units[u.pkg] = u
	}
	// What else looks at a package may do so after the suite.
	c.options.Release = !c.wantsSchema() && !c.adopt
	c.options.SchemaApart = true // addSchema says it
	list := analyzers.New(&c.options)
	if c.adopt {
		list = append(list, adopt.New(list...))
	}
	last := list[len(list)-1]
	if c.wantsSchema() {
		list = append(list, code.Analyzer)
	}
	c.line.Begin("analysing", len(pkgs))
	result, err := checker.Analyze(frugal(list, last, pkgs, c.line.Step), pkgs, nil)
	c.line.Close() // before anything is printed
	if err != nil {
		return nil, err
	}
	c.noteRegistries(result.Roots)
	var findings []*finding
	c.adoptions = nil
	var seen []any
	for _, act := range result.Roots {
		if act.Err != nil {
			return nil, fmt.Errorf("%s: %s: %v", act.Package.ID, act.Analyzer.Name, act.Err)
		}
		if act.Analyzer.Name == code.Analyzer.Name {
			seen = append(seen, act.Result)
			continue
		}
		if c.adopt && act.Analyzer.Name == last.Name {
			for _, d := range act.Diagnostics {
				c.adoptions = append(c.adoptions, newFinding(act, units, d))
			}
			continue
		}
		details, _ := check.DetailsOf(act.Result)
		c.judged.note(act.Package.PkgPath, details)
		for i, d := range act.Diagnostics {
			f := newFinding(act, units, d)
			f.fingerprint = details.Fingerprints[i]
			if !c.unsafeFixes && len(f.SuggestedFixes) > 0 && fix.IsUnsafe(f.SuggestedFixes[0]) {
				f.unsafe = true
				f.SuggestedFixes = nil
			}
			findings = append(findings, f)
		}
	}
	if c.adoptions, err = c.sorted(c.adoptions); err != nil {
		return nil, err
	}
	return c.addSchema(findings, seen)
}

func newFinding(act *checker.Action, units map[*packages.Package]*unit, d analysis.Diagnostic) *finding {
	return &finding{
		pkg:        act.Package,
		unit:       units[act.Package],
		analyzer:   act.Analyzer.Name,
		pos:        act.Package.Fset.Position(d.Pos),
		end:        act.Package.Fset.Position(cmp.Or(d.End, d.Pos)),
		Diagnostic: d,
	}
}

// sorted returns the findings in order, each once, as far as they were asked
// for.
func (c *config) sorted(findings []*finding) ([]*finding, error) {
	slices.SortStableFunc(findings, compare)
	return c.selected(slices.CompactFunc(findings, func(a, b *finding) bool {
		return compare(a, b) == 0 && a.end == b.end
	}))
}

// compare orders findings as they are printed.
func compare(a, b *finding) int {
	return cmp.Or(
		cmp.Compare(a.pos.Filename, b.pos.Filename),
		cmp.Compare(a.pos.Line, b.pos.Line),
		cmp.Compare(a.pos.Column, b.pos.Column),
		cmp.Compare(a.text(), b.text()),
	)
}
