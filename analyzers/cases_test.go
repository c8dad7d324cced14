package analyzers_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/sources"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/wants"
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

// loadedCases are the packages of testdata/cases.
var loadedCases = sync.OnceValues(func() (*sources.Program, error) {
	return sources.Load("../testdata/cases", true, "./...")
})

// onCases runs an analyzer on those of the cases that the patterns match, and
// holds what it reports to what they say they want.
func onCases(t *testing.T, a *analysis.Analyzer, patterns ...string) []*checker.Action {
	t.Helper()
	trace.DebugPanics()
	p, err := loadedCases()
	if err != nil {
		t.Fatal(err)
	}
	return wants.Check(t, p, a, wants.Below(cases(t), patterns...))
}

// onAll does so with all packages of a module.
func onAll(t *testing.T, dir string, a *analysis.Analyzer) []*checker.Action {
	t.Helper()
	trace.DebugPanics()
	p, err := sources.Load(dir, true, "./...")
	if err != nil {
		t.Fatal(err)
	}
	return wants.Check(t, p, a, wants.Below(dir, "./..."))
}

// TestCases holds the findings of the whole suite against what the packages
// of testdata/cases say they want, and their messages against
// testdata/messages.txt. TTLVET_CASE=./ttlwrite/... holds some packages only.
func TestCases(t *testing.T) {
	seen := &messages{}
	if only := os.Getenv("TTLVET_CASE"); only != "" {
		onCases(t, combined(&analyzers.Options{}, seen), strings.Fields(only)...)
		return
	}
	onCases(t, combined(&analyzers.Options{}, seen), ordinary(t)...)
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
	for _, module := range []string{"policies", "reads", "writes"} {
		t.Run(module, func(t *testing.T) {
			onAll(t, filepath.Join(filepath.Dir(cases(t)), "blind", module), combined(&analyzers.Options{}))
		})
	}
}

// TestStrict does the same with the cases for the rules that are off unless asked for.
func TestStrict(t *testing.T) {
	strict := combined(&analyzers.Options{Strict: true, UnsafeFixes: true})
	onCases(t, strict, "./strict/existing", "./strict/ensured/...", "./strict/flags", "./strict/onechooses", "./strict/certain", "./strict/units", "./runtime_program/tables", "./runtime_program/service")
	wants.Fixes(t, onCases(t, strict, "./strict/stale", "./strict/wrongbase", "./strict/careful", "./strict/reads", "./strict/helpers"))
}

// TestFixes holds the suggested fixes, unsafe ones too, against the golden
// files of testdata/cases/fixes.
func TestFixes(t *testing.T) {
	wants.Fixes(t, onCases(t, combined(&analyzers.Options{UnsafeFixes: true}), "./fixes/..."))
}
