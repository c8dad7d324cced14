package analyze

import (
	"go/types"
	"runtime"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/internal/trace"
)

// frugal returns copies of analyzers that work on as many packages at once as
// there are processors, and leave out facts that nobody imports. last is one of
// them, with which a package is done: the others are required by it or of little
// weight. The checker by itself begins with all packages at once, and holds what is
// known of each, above all its functions in SSA form, until it comes to the last of
// its analyzers.
func frugal(list []*analysis.Analyzer, last *analysis.Analyzer, pkgs []*packages.Package, release bool, done func()) []*analysis.Analyzer {
	f := &frugality{
		free:   make(chan bool, runtime.GOMAXPROCS(0)),
		turns:  map[*types.Package]*turn{},
		copies: map[*analysis.Analyzer]*analysis.Analyzer{},
		wanted: map[*types.Package]bool{},

		process: new(trace.Process),
	}
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		for _, imp := range p.Imports {
			f.wanted[imp.Types] = true
		}
	})
	for _, p := range pkgs {
		f.turns[p.Types] = new(turn)
	}
	var copies []*analysis.Analyzer
	for _, a := range list {
		copies = append(copies, f.copy(a))
	}
	run := f.copies[last].Run
	f.copies[last].Run = func(pass *analysis.Pass) (any, error) {
		defer f.end(pass.Pkg)
		defer done()
		result, err := run(pass)
		if release {
			f.release(pass)
		}
		return result, err
	}
	return copies
}

type frugality struct {
	free   chan bool // has an item for each package that is worked on
	turns  map[*types.Package]*turn
	copies map[*analysis.Analyzer]*analysis.Analyzer
	wanted map[*types.Package]bool // whose facts others import

	process  *trace.Process
	reported sync.Map // packages that have a finding
}

// release drops what is known of a package's source after its last analyzer, where
// nobody imports it, who may ask for more, and no finding asks for its syntax.
func (f *frugality) release(pass *analysis.Pass) {
	if _, found := f.reported.Load(pass.Pkg); !found && !f.wanted[pass.Pkg] {
		clear(pass.Files)
		*pass.TypesInfo = types.Info{}
	}
}

// A turn is the work on a package.
type turn struct{ begin, end sync.Once }

func (f *frugality) begin(p *types.Package) {
	if t := f.turns[p]; t != nil {
		t.begin.Do(func() { f.free <- true })
	}
}

func (f *frugality) end(p *types.Package) {
	if t := f.turns[p]; t != nil {
		t.begin.Do(func() { f.free <- true })
		t.end.Do(func() { <-f.free })
	}
}

// copy returns a copy of the analyzer, which other runs share. One with facts
// waits for its turn to begin with a package. It runs when it has run on all
// that the package imports, so that a package that has begun never waits for
// one that has not.
func (f *frugality) copy(a *analysis.Analyzer) *analysis.Analyzer {
	if c := f.copies[a]; c != nil {
		return c
	}
	c := *a
	f.copies[a] = &c
	c.Requires = nil
	for _, r := range a.Requires {
		c.Requires = append(c.Requires, f.copy(r))
	}
	c.Run = func(pass *analysis.Pass) (any, error) {
		if len(a.FactTypes) > 0 {
			f.begin(pass.Pkg)
		}
		// The analyzer asks for what it requires by its own name.
		own := *pass
		own.Analyzer = a
		own.Report = func(d analysis.Diagnostic) {
			f.reported.Store(pass.Pkg, true)
			pass.Report(d)
		}
		if !f.wanted[pass.Pkg] {
			own.ExportPackageFact = nil
		}
		own.ResultOf = map[*analysis.Analyzer]any{trace.InProcess: f.process}
		for _, r := range a.Requires {
			own.ResultOf[r] = pass.ResultOf[f.copies[r]]
		}
		result, err := a.Run(&own)
		if err != nil {
			f.end(pass.Pkg) // the last analyzer will not run
		}
		return result, err
	}
	return &c
}
