package analyzers

import (
	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/analyzers/internal/explain"
)

// ExplainLine returns an analyzer whose result, of type []string, is lines of
// text that say how the values at a line of a file were resolved. file is an
// absolute path.
func ExplainLine(file string, line int) *analysis.Analyzer { return explain.Line(file, line) }

// Coverage counts how many values tracing resolved, by kind of value.
type Coverage = explain.Coverage

// CoverageAnalyzer returns an analyzer whose result is the [Coverage] of a
// package.
func CoverageAnalyzer() *analysis.Analyzer { return explain.CoverageAnalyzer }
