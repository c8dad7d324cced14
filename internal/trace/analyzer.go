package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync/atomic"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/module"
	"github.com/ttlvet/ttlvet/internal/trace/callers"
	"github.com/ttlvet/ttlvet/internal/trace/heap"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/result"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// Analyzer traces a package. Its result is a *[Result]. A driver that knows that
// nobody imports a package may leave ExportPackageFact of its pass nil: a fifth of
// the work is for others.
var Analyzer = &analysis.Analyzer{
	Name:       "ttlvettrace",
	Doc:        "resolve the values that reach the Bigtable client; reports nothing by itself",
	URL:        "https://github.com/ttlvet/ttlvet/blob/main/docs/README.md",
	Run:        run,
	FactTypes:  summary.FactTypes,
	ResultType: reflect.TypeFor[*result.Result](),
}

// InProcess does not run. A driver that hands facts on within its process may give it a
// [Process] as its result: what a function returns is then found when another package asks.
var InProcess = &analysis.Analyzer{Name: "ttlvetinprocess", Doc: "facts do not leave the process"}

func run(pass *analysis.Pass) (any, error) {
	r := &result.Result{}
	if btapi.IsClient(pass.Pkg.Path()) {
		return r, nil
	}
	store := summary.New(pass)
	defer store.Close()
	pass = store.Pass()
	reach := inherited(pass)
	wanted := pass.ExportPackageFact != nil
	if reach == nil {
		if wanted && helps(pass) {
			guarded(pass, unlessTooMuch(func() {
				t := callers.New(program.New(pass))
				t.Taken()
				export(t, r)
			}))
			pass.ExportPackageFact(&summary.Helps{})
		}
		return r, nil
	}
	r.Reaches = true
	r.Declared, r.Shown = reach.Declared, reach.Shown
	cellTimes := reach.CellTimes
	touched := touches(pass, cellTimes)
	if (touched || wanted) && !guarded(pass, func() {
		t := callers.New(program.New(pass))
		t.Client.Rows.Times.Inherited = cellTimes
		if touched {
			r.Fill(t)
			declarations(t, r)
		} else {
			t.Taken()
		}
		if wanted {
			export(t, r)
			if touched {
				cellTimes = t.Client.Rows.Times.HeldIn()
			}
		}
	}) {
		r.Events = nil
	}
	if !wanted {
		return r, nil
	}
	pass.ExportPackageFact(&summary.Reach{Declared: portableDeclared(r.Declared), Shown: portableShown(r.Shown), CellTimes: cellTimes})
	return r, nil
}

// helps reports whether the package, which cannot reach Bigtable, may name
// families, keys, clocks or options for one that does: whether it is of the
// same module or workspace, or of another that uses Bigtable.
func helps(pass *analysis.Pass) bool {
	if len(pass.Files) == 0 || pass.Pkg.Name() == "main" {
		return false
	}
	return module.Followed(filepath.Dir(pass.Fset.File(pass.Files[0].FileStart).Name()))
}

// guarded traces the package and reports whether that went well. Code that it cannot follow, up to a panic of
// its own or of the SSA builder on code that does not quite type-check,
// leaves the package without findings: an error would be worse, since the
// go command reports it once and then caches the facts.
func guarded(pass *analysis.Pass, trace func()) (ok bool) {
	defer func() {
		if debugPanics {
			return
		}
		if err := recover(); err != nil {
			Failed("package %s is not analysed: %v", pass.Pkg.Path(), err)
			ok = false
		}
	}()
	trace()
	return true
}

// unlessTooMuch traces a package that cannot reach Bigtable: of one that cannot be traced
// within bounds, such as a generated parser, as little is known as of the standard library.
func unlessTooMuch(trace func()) func() {
	return func() {
		defer func() {
			err := recover()
			if _, ok := err.(heap.TooMuch); err != nil && !ok {
				panic(err)
			}
		}()
		trace()
	}
}

// failures counts what [Failed] reported.
var failures atomic.Int64

// Failed reports an internal error on standard error: an analyzer that fails
// must not fail its driver, but silence must not be mistaken for a clean bill.
func Failed(format string, args ...any) {
	failures.Add(1)
	fmt.Fprintf(os.Stderr, "ttlvet: internal error: "+format+"\n", args...)
}

// Failures is the number of internal errors of this process.
func Failures() int { return int(failures.Load()) }

// debugPanics lets tests see panics.
var debugPanics = false

// DebuggingPanics reports whether DebugPanics was called.
func DebuggingPanics() bool { return debugPanics }

// DebugPanics makes the analyzer panic where it would otherwise give up on a
// package. It is for tests.
func DebugPanics() { debugPanics = true }

// inherited returns what the package learns from its imports, or nil when it
// cannot reach Bigtable.
func inherited(pass *analysis.Pass) *summary.Reach {
	var reach *summary.Reach
	seen := map[string]bool{}
	for _, imp := range pass.Pkg.Imports() {
		if btapi.IsRoot(imp.Path()) && reach == nil {
			reach = &summary.Reach{}
		}
		var fact summary.Reach
		if !pass.ImportPackageFact(imp, &fact) {
			continue
		}
		if reach == nil {
			reach = &summary.Reach{}
		}
		for _, field := range fact.CellTimes {
			if !slices.Contains(reach.CellTimes, field) {
				reach.CellTimes = append(reach.CellTimes, field)
			}
		}
		for _, d := range fact.Declared {
			if key := d.Var + d.Where + d.Table.String(); !seen[key] {
				seen[key] = true
				reach.Declared = append(reach.Declared, d)
			}
		}
		for _, s := range fact.Shown {
			if key := s.Where + s.Family + s.Table.String() + s.Policy.String(); !seen[key] {
				seen[key] = true
				reach.Shown = append(reach.Shown, s)
			}
		}
	}
	return reach
}
