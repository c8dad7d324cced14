package analyzers_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/analyzers/internal/check"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace"
)

// combined runs the whole suite as one analyzer and puts the category before
// each message, so that the cases can name it.
func combined(o *analyzers.Options, seen ...*messages) *analysis.Analyzer {
	suite := analyzers.New(o)
	return &analysis.Analyzer{
		Name: "ttlvetall", Doc: "all analyzers", Requires: append(suite[:len(suite):len(suite)], trace.Analyzer),
		Run: func(pass *analysis.Pass) (any, error) {
			for _, a := range suite {
				for _, d := range pass.ResultOf[a].(*check.Outcome).Reported {
					for _, m := range seen {
						m.add(a.Name, d)
					}
					d.Message = d.Category + ": " + d.Message
					pass.Report(d)
				}
			}
			return vanished.Run(pass)
		},
	}
}

func cases(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestCases holds the findings of the whole suite against what the packages
// of testdata/cases say they want, and their messages against
// testdata/messages.txt. TTLVET_CASE=./ttlwrite/... holds some packages only.
func TestCases(t *testing.T) {
	trace.DebugPanics()
	patterns := ordinary(t)
	seen := &messages{}
	if only := os.Getenv("TTLVET_CASE"); only != "" {
		analysistest.Run(t, cases(t), combined(&analyzers.Options{}, seen), strings.Fields(only)...)
		return
	}
	analysistest.Run(t, cases(t), combined(&analyzers.Options{}, seen), patterns...)
	seen.compare(t)
}

// ordinary returns patterns for the cases that the default rules and no fixes
// are for.
func ordinary(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(cases(t))
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != "fixes" && e.Name() != "strict" {
			patterns = append(patterns, "./"+e.Name()+"/...")
		}
	}
	return patterns
}

// TestBlind does the same with programs by people who had not seen the code:
// each is the smallest that showed something wrong, or a twin of one. Lines
// marked "not seen" are mistakes that are still missed.
func TestBlind(t *testing.T) {
	trace.DebugPanics()
	for _, module := range []string{"policies", "reads", "writes"} {
		t.Run(module, func(t *testing.T) {
			dir := filepath.Join(filepath.Dir(cases(t)), "blind", module)
			analysistest.Run(t, dir, combined(&analyzers.Options{}), "./...")
		})
	}
}

// TestStrict does the same with the cases for the rules that are off unless asked for.
func TestStrict(t *testing.T) {
	trace.DebugPanics()
	strict := combined(&analyzers.Options{Strict: true, UnsafeFixes: true})
	analysistest.Run(t, cases(t), strict, "./strict/existing", "./strict/flags", "./runtime_program/tables", "./runtime_program/service")
	analysistest.RunWithSuggestedFixes(t, cases(t), strict, "./strict/stale", "./strict/wrongbase", "./strict/careful", "./strict/reads", "./strict/helpers")
}

// TestFixes holds the suggested fixes, unsafe ones too, against the golden
// files of testdata/cases/fixes.
func TestFixes(t *testing.T) {
	trace.DebugPanics()
	analysistest.RunWithSuggestedFixes(t, cases(t), combined(&analyzers.Options{UnsafeFixes: true}), "./fixes/...")
}
