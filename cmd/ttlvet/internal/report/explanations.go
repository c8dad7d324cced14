package report

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/finding"
	"github.com/ttlvet/ttlvet/internal/explain"
)

// explanations returns how the values at findings were resolved.
func explanations(findings []*finding.Finding) map[explain.Place][]string {
	places := map[*packages.Package][]explain.Place{}
	for _, f := range findings {
		if f.Pkg.PkgPath == finding.Outside {
			continue // no Go, whose values were resolved
		}
		places[f.Pkg] = append(places[f.Pkg], explain.Place{File: f.From.Filename, Line: f.From.Line})
	}
	out := map[explain.Place][]string{}
	for pkg, at := range places {
		graph, err := checker.Analyze([]*analysis.Analyzer{explain.Lines(analyzers.New(&analyzers.Options{NoBaseline: true}), true, at...)}, []*packages.Package{pkg}, nil)
		if err != nil {
			continue // the findings stand without
		}
		for _, act := range graph.Roots {
			if lines, ok := act.Result.(map[explain.Place][]string); ok {
				for place, text := range lines {
					// The verdict is the finding.
					out[place] = slices.DeleteFunc(text, func(line string) bool { return strings.HasPrefix(line, "verdict: ") })
				}
			}
		}
	}
	return out
}
