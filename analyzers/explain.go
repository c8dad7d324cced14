package analyzers

import (
	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/explain"
)

// A Place is a line of a file, by its absolute path.
type Place = explain.Place

// ExplainLines returns an analyzer whose result, of type map[Place][]string,
// says in lines of text how the values at places were resolved, and what came
// of it.
func ExplainLines(places ...Place) *analysis.Analyzer {
	return explain.Lines(New(&Options{NoBaseline: true}), places...)
}

// Coverage counts how many values tracing resolved, by kind of value.
type Coverage = explain.Coverage

// CoverageAnalyzer returns an analyzer whose result is the [Coverage] of a
// package.
func CoverageAnalyzer() *analysis.Analyzer { return explain.CoverageAnalyzer }
