package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/toolchain"
	"github.com/ttlvet/ttlvet/internal/btapi"
)

// A loader type-checks a few packages from source and takes what it needs of
// the others from where that costs least. packages.Load does not do so with
// dependencies among the former and without listing the tests of
// dependencies, and compiles what is not compiled yet.
type loader struct {
	config *Config
	graph  *Graph
	fset   *token.FileSet
	units  map[*packages.Package]*Unit
	order  []*Unit // dependencies first
	deps   *dependencies
	late   sync.Mutex // of deps, when something is imported that was not expected
}

// A Unit is a package that is loaded from source.
type Unit struct {
	loader *loader
	listed *packages.Package // as in the graph
	Pkg    *packages.Package // with types, and imports cut to other units
	once   sync.Once
	errs   []error
	// opaque says that functions of a package that cannot reach Bigtable do not
	// type-check: what they are is the compiler's business, and values are not
	// followed through them.
	opaque bool
}

func newLoader(g *Graph) *loader {
	l := &loader{
		config: g.config,
		graph:  g,
		fset:   token.NewFileSet(),
		units:  map[*packages.Package]*Unit{},
	}
	l.deps = newDependencies(g.config, l.fset)
	l.deps.isUnit = func(p *packages.Package) bool { return l.units[p] != nil }
	l.deps.importUnit = l.importUnit
	return l
}

// Load returns the packages, and what they import as far as it must be seen too,
// with syntax and types, and with their Imports cut to those of them that
// analyzers must see.
func (g *Graph) Load(roots []*packages.Package) (map[*packages.Package]*Unit, error) {
	return load(g, g.sources(roots))
}

func load(g *Graph, sources []*packages.Package) (map[*packages.Package]*Unit, error) {
	l := newLoader(g)
	units, err := l.load(sources)
	if err != nil && l.deps.memory.Forget() {
		return newLoader(g).load(sources)
	}
	return units, err
}

func (l *loader) load(sources []*packages.Package) (map[*packages.Package]*Unit, error) {
	for _, p := range sources {
		u := &Unit{loader: l, listed: p, Pkg: &packages.Package{
			ID: p.ID, Name: p.Name, PkgPath: p.PkgPath, ForTest: p.ForTest, Module: p.Module,
			GoFiles: p.GoFiles, CompiledGoFiles: p.GoFiles, OtherFiles: p.OtherFiles, IgnoredFiles: p.IgnoredFiles,
			Fset: l.fset, TypesSizes: p.TypesSizes, Imports: map[string]*packages.Package{},
		}}
		l.units[p] = u
		l.order = append(l.order, u)
	}
	parallel(l.order, l.parse)
	if err := l.translateCgo(); err != nil {
		return nil, err
	}
	if err := l.failures(); err != nil {
		return nil, err
	}
	if err := l.checkAll(); err != nil {
		return nil, err
	}
	if err := l.failures(); err != nil {
		return nil, err
	}
	for p, u := range l.units {
		for path, imp := range p.Imports {
			if dep := l.units[imp]; dep != nil && !dep.opaque && !btapi.IsClient(imp.PkgPath) {
				u.Pkg.Imports[path] = dep.Pkg
			}
		}
	}
	return l.units, nil
}

// parallel does something to every item of a list, to as many at once as
// there are processors. Where items wait for others, it is quickest when
// those come first.
func parallel[T any](list []T, do func(T)) {
	var wg sync.WaitGroup
	free := make(chan bool, runtime.GOMAXPROCS(0))
	for _, item := range list {
		free <- true
		wg.Go(func() {
			do(item)
			<-free
		})
	}
	wg.Wait()
}

func (l *loader) parse(u *Unit) {
	u.Pkg.Syntax = nil
	for _, name := range u.Pkg.CompiledGoFiles {
		f, err := parser.ParseFile(l.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			u.errs = append(u.errs, err)
		}
		if f != nil {
			u.Pkg.Syntax = append(u.Pkg.Syntax, f)
		}
	}
}

// checkAll type-checks the units and what of their dependencies comes from
// source.
func (l *loader) checkAll() error {
	var list []*packages.Package
	seen := map[*packages.Package]bool{}
	for _, u := range l.order {
		for _, f := range u.Pkg.Syntax {
			for _, spec := range f.Imports {
				path, _ := strconv.Unquote(spec.Path.Value)
				if path == "C" {
					continue
				}
				imp, err := l.imported(u, path)
				if err != nil {
					return err
				}
				if !seen[imp] && l.units[imp] == nil {
					seen[imp] = true
					list = append(list, imp)
				}
			}
		}
	}
	order, err := l.deps.prepare(list)
	if err != nil {
		return err
	}
	line := l.config.Line
	line.Begin("type-checking", len(order)+len(l.order))
	parallel(order, func(dep *dependency) {
		l.deps.check(dep)
		line.Step()
	})
	parallel(l.order, func(u *Unit) {
		l.check(u)
		line.Step()
	})
	return nil
}

// imported returns the package that the unit's source calls by that path.
func (l *loader) imported(u *Unit, path string) (*packages.Package, error) {
	if imp := u.listed.Imports[path]; imp != nil {
		return imp, nil
	}
	// Imported by what cgo generates, or by a fix.
	return l.graph.lookup(path)
}

// check type-checks the unit once what it imports has been.
func (l *loader) check(u *Unit) {
	u.once.Do(func() {
		u.check(false)
		if len(u.errs) > 0 && l.graph.helps(u.listed) && !l.graph.reaching[u.listed] {
			u.opaque = true
			u.check(true)
		}
	})
}

// check type-checks the unit, with or without the bodies of functions.
func (u *Unit) check(ignoreBodies bool) {
	u.errs = nil
	u.Pkg.TypesInfo = &types.Info{
		Types:        map[ast.Expr]types.TypeAndValue{},
		Defs:         map[*ast.Ident]types.Object{},
		Uses:         map[*ast.Ident]types.Object{},
		Implicits:    map[ast.Node]types.Object{},
		Instances:    map[*ast.Ident]types.Instance{},
		Scopes:       map[ast.Node]*types.Scope{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		FileVersions: map[*ast.File]string{},
	}
	conf := u.types(u.Pkg.Syntax, func(err error) { u.errs = append(u.errs, err) })
	conf.IgnoreFuncBodies = ignoreBodies
	u.Pkg.Types, _ = conf.Check(u.Pkg.PkgPath, u.loader.fset, u.Pkg.Syntax, u.Pkg.TypesInfo)
}

// types returns how the unit is type-checked when these are its files.
func (u *Unit) types(files []*ast.File, report func(error)) *types.Config {
	conf := typesConfig(u.listed, files, report)
	conf.Importer = importerFunc(func(path string) (*types.Package, error) { return u.loader.importPackage(u, path) })
	return conf
}

// typesConfig returns how a package with these files is type-checked.
func typesConfig(p *packages.Package, files []*ast.File, report func(error)) *types.Config {
	conf := &types.Config{Sizes: p.TypesSizes, Error: report}
	if m := p.Module; m != nil && m.GoVersion != "" {
		conf.GoVersion = toolchain.AtMostOwn("go" + m.GoVersion)
	}
	for _, f := range files {
		f.GoVersion = toolchain.AtMostOwn(f.GoVersion)
	}
	return conf
}

func (l *loader) importPackage(u *Unit, path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	imp := u.listed.Imports[path]
	if imp == nil {
		l.late.Lock()
		defer l.late.Unlock()
		var err error
		if imp, err = l.imported(u, path); err != nil {
			return nil, err
		}
		if _, err := l.deps.prepare([]*packages.Package{imp}); err != nil {
			return nil, err
		}
	}
	return l.deps.importPackage(imp)
}

func (l *loader) importUnit(p *packages.Package) (*types.Package, error) {
	u := l.units[p]
	l.check(u)
	if len(u.errs) > 0 {
		// Its own errors are printed; those that follow are noise.
		return nil, errDependency
	}
	return u.Pkg.Types, nil
}

var errDependency = fmt.Errorf("the imported package does not build")

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// failures returns what is wrong with the packages, or nil.
func (l *loader) failures() error {
	var lines BuildErrors
	seen := map[string]bool{}
	add := func(id string, line string) {
		if !seen[line] {
			if len(lines) == 0 || !seen["# "+id] {
				lines = append(lines, "# "+id)
				seen["# "+id] = true
			}
			seen[line] = true
			lines = append(lines, line)
		}
	}
	addAll := func(id string, errs []error) {
		for _, err := range errs {
			switch err := err.(type) {
			case types.Error:
				if !strings.Contains(err.Msg, errDependency.Error()) {
					add(id, l.config.Shown.Position(l.fset.Position(err.Pos))+": "+err.Msg)
				}
			case scanner.ErrorList:
				for _, e := range err {
					add(id, l.config.Shown.Position(e.Pos)+": "+e.Msg)
				}
			default:
				add(id, err.Error())
			}
		}
	}
	l.deps.failures(addAll)
	for _, u := range l.order {
		addAll(u.Pkg.ID, u.errs)
	}
	return lines.orTooOld()
}

// imports reports whether one of the files imports the path.
func imports(files []*ast.File, path string) bool {
	for _, f := range files {
		for _, spec := range f.Imports {
			if spec.Path.Value == strconv.Quote(path) {
				return true
			}
		}
	}
	return false
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
