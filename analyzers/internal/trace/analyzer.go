package trace

import (
	"fmt"
	"go/types"
	"os"
	"reflect"
	"sync/atomic"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// Analyzer traces a package. Its result is a *[Result].
var Analyzer = &analysis.Analyzer{
	Name:       "ttlvettrace",
	Doc:        "resolve the values that reach the Bigtable client; reports nothing by itself",
	URL:        "https://github.com/ttlvet/ttlvet/blob/main/docs/README.md",
	Run:        run,
	FactTypes:  []analysis.Fact{(*Reach)(nil), (*Summary)(nil), (*Variable)(nil)},
	ResultType: reflect.TypeFor[*Result](),
}

// A Result is what tracing found in a package.
type Result struct {
	// Reaches reports whether the package can reach Bigtable. If not, all
	// else is empty.
	Reaches bool
	Events  []*Event
	// Declared and Shown are the declarations and the telling policies of
	// this package and of those that it imports.
	Declared []Declared
	Shown    []Shown

	tables map[int64][]*value.Value // of the mutations and rows, by the sites that made them
	raw    map[any][]*value.Value
	// possible are the tables that mutations may be applied to.
	possible map[int64][]*value.Value

	program *program
}

func run(pass *analysis.Pass) (any, error) {
	r := &Result{}
	if btapi.IsClient(pass.Pkg.Path()) {
		return r, nil
	}
	reach := inherited(pass)
	if reach == nil {
		return r, nil
	}
	r.Reaches = true
	p := trace(pass, r)
	r.Declared, r.Shown = reach.Declared, reach.Shown
	if p != nil {
		p.declarations(r)
		p.export(r)
	}
	pass.ExportPackageFact(&Reach{Declared: portableDeclared(r.Declared), Shown: portableShown(r.Shown)})
	return r, nil
}

// trace analyses the package. Code that it cannot follow, up to a panic of
// its own or of the SSA builder on code that does not quite type-check,
// leaves the package without findings: an error would be worse, since the
// go command reports it once and then caches the facts.
func trace(pass *analysis.Pass, r *Result) (p *program) {
	defer func() {
		if debugPanics {
			return
		}
		if err := recover(); err != nil {
			Failed("package %s is not analysed: %v", pass.Pkg.Path(), err)
			p = nil
			r.Events = nil
		}
	}()
	p = newProgram(pass)
	r.Events = p.derive(p.collectEvents())
	p.sortEvents(r.Events)
	r.tables = p.tablesOf(r.Events)
	r.possible = p.possibleTables(r.Events)
	r.raw = p.raw
	r.program = p
	return p
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
func inherited(pass *analysis.Pass) *Reach {
	var reach *Reach
	seen := map[string]bool{}
	for _, imp := range pass.Pkg.Imports() {
		if btapi.IsRoot(imp.Path()) && reach == nil {
			reach = &Reach{}
		}
		var fact Reach
		if !pass.ImportPackageFact(imp, &fact) {
			continue
		}
		if reach == nil {
			reach = &Reach{}
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

// imported returns the summary of a function of another package, or nil.
func (p *program) imported(fn *types.Func) *Summary {
	if s, ok := p.imports[fn]; ok {
		return s
	}
	var s *Summary
	var fact Summary
	if fn != nil && fn.Pkg() != nil && fn.Pkg() != p.pass.Pkg && p.pass.ImportObjectFact(fn, &fact) {
		s = &fact
	}
	p.imports[fn] = s
	return s
}
