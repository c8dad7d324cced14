package analyze

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/finding"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/load"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/progress"
	"github.com/ttlvet/ttlvet/internal/adopt"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/code"
	"github.com/ttlvet/ttlvet/internal/declare"
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// Findings returns the findings in the packages that the patterns match,
// sorted, each once.
func (j *Job) Findings() ([]*finding.Finding, error) {
	j.Load.Line = progress.New(j.Stderr)
	defer j.Load.Line.Close()
	g, err := j.Load.Graph()
	if errors.As(err, new(load.NoPackages)) && j.Sources != nil {
		return j.addOutside(nil, nil, nil)
	}
	if err != nil {
		return nil, err
	}
	j.Judged.start(g.Initial)
	roots, err := g.Roots()
	if err != nil {
		return nil, err
	}
	if len(roots) == 0 {
		return j.addOutside(nil, nil, nil)
	}
	loaded, err := g.Load(roots)
	if err != nil {
		return nil, err
	}
	var pkgs []*packages.Package
	units := map[*packages.Package]*load.Unit{}
	for _, p := range roots {
		u := loaded[p]
		pkgs = append(pkgs, u.Pkg)
		units[u.Pkg] = u
	}
	// What else looks at a package may do so after the suite.
	gather := j.wantsSchema() || j.Gather
	j.Options.Release = !gather && !j.Adopt
	j.Options.RegistryApart = true // addOutside says it
	j.Options.Calls = j.wantsCalls()
	list := analyzers.New(&j.Options)
	if j.Adopt {
		list = append(list, adopt.New(list...))
	}
	last := list[len(list)-1]
	if gather {
		list = append(list, code.Analyzer)
	}
	j.Load.Line.Begin("analysing", len(pkgs))
	result, err := checker.Analyze(frugal(list, last, pkgs, j.Options.Release, j.Load.Line.Step), pkgs, nil)
	j.Load.Line.Close() // before anything is printed
	if err != nil {
		return nil, err
	}
	j.noteRegistries(result.Roots)
	var findings []*finding.Finding
	j.Adoptions, j.Held = nil, nil
	var seen []any // what code does
	var mistakes registry.Errors
	for _, act := range result.Roots {
		if act.Err != nil {
			return nil, fmt.Errorf("%s: %s: %v", act.Package.ID, act.Analyzer.Name, act.Err)
		}
		if act.Analyzer.Name == code.Analyzer.Name {
			seen = append(seen, act.Result)
			continue
		}
		if j.Adopt && act.Analyzer.Name == last.Name {
			for _, d := range act.Diagnostics {
				j.Adoptions = append(j.Adoptions, newFinding(act, units, d))
			}
			continue
		}
		if out, ok := act.Result.(*check.Outcome); ok {
			mistakes = append(mistakes, out.Mistakes...)
			if out.Calls != nil && !gather {
				seen = append(seen, &code.Result{Code: &evidence.Code{Calls: out.Calls}, Declared: &declare.Result{Path: out.Path, Model: out.Model}})
			}
			for i, d := range out.Held {
				f := newFinding(act, units, d)
				f.Fingerprint.Key = out.Baselined[i]
				j.Held = append(j.Held, f)
			}
		}
		details, _ := check.DetailsOf(act.Result)
		j.Judged.note(act.Package.PkgPath, details)
		for i, d := range act.Diagnostics {
			f := newFinding(act, units, d)
			f.Fingerprint = details.Fingerprints[i]
			if !j.UnsafeFixes && len(f.SuggestedFixes) > 0 && fix.IsUnsafe(f.SuggestedFixes[0]) {
				f.Unsafe = true
				f.SuggestedFixes = nil
			}
			findings = append(findings, f)
		}
	}
	j.Gathered = seen
	if j.Adoptions, err = j.sorted(j.Adoptions, io.Discard); err != nil {
		return nil, err
	}
	return j.addOutside(findings, seen, mistakes)
}

func newFinding(act *checker.Action, units map[*packages.Package]*load.Unit, d analysis.Diagnostic) *finding.Finding {
	return &finding.Finding{
		Pkg:        act.Package,
		Unit:       units[act.Package],
		Analyzer:   act.Analyzer.Name,
		From:       act.Package.Fset.Position(d.Pos),
		To:         act.Package.Fset.Position(cmp.Or(d.End, d.Pos)),
		Diagnostic: d,
	}
}

// sorted returns the findings in order, each once, as far as they were asked
// for. It tells notes what may be missing.
func (j *Job) sorted(findings []*finding.Finding, notes io.Writer) ([]*finding.Finding, error) {
	slices.SortStableFunc(findings, finding.Compare)
	return j.selected(slices.CompactFunc(findings, func(a, b *finding.Finding) bool {
		return finding.Compare(a, b) == 0 && a.To == b.To
	}), notes)
}
