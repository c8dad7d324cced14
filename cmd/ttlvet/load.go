package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/analyzers"
)

// A loader type-checks a few packages from source and takes the rest from
// the compiler's export data. packages.Load can do either for what patterns
// match, but not both with dependencies among the former and without
// listing the tests of dependencies.
type loader struct {
	config  *config
	fset    *token.FileSet
	units   map[*packages.Package]*unit
	order   []*unit           // dependencies first
	exports map[string]string // package path to export data file

	mu sync.Mutex // the importer fills maps of its own
	gc types.Importer
}

// A unit is a package that is loaded from source.
type unit struct {
	loader *loader
	listed *packages.Package // as in the graph
	pkg    *packages.Package // with types, and imports cut to other units
	once   sync.Once
	errs   []error
}

// load returns the packages with syntax and types, in the order given, and
// with their Imports cut to those of them that analyzers must see.
func load(c *config, sources []*packages.Package) (map[*packages.Package]*unit, error) {
	l := &loader{
		config:  c,
		fset:    token.NewFileSet(),
		units:   map[*packages.Package]*unit{},
		exports: map[string]string{},
	}
	l.gc = importer.ForCompiler(l.fset, "gc", l.openExport)
	for _, p := range sources {
		u := &unit{loader: l, listed: p, pkg: &packages.Package{
			ID: p.ID, Name: p.Name, PkgPath: p.PkgPath, ForTest: p.ForTest, Module: p.Module,
			GoFiles: p.GoFiles, CompiledGoFiles: p.GoFiles, OtherFiles: p.OtherFiles, IgnoredFiles: p.IgnoredFiles,
			Fset: l.fset, TypesSizes: p.TypesSizes, Imports: map[string]*packages.Package{},
		}}
		l.units[p] = u
		l.order = append(l.order, u)
	}
	l.each((*loader).parse)
	if err := l.translateCgo(); err != nil {
		return nil, err
	}
	if err := l.failures(); err != nil {
		return nil, err
	}
	if err := l.findExports(); err != nil {
		return nil, err
	}
	l.each((*loader).check)
	if err := l.failures(); err != nil {
		return nil, err
	}
	for p, u := range l.units {
		for path, imp := range p.Imports {
			if dep := l.units[imp]; dep != nil && !analyzers.IsClient(imp.PkgPath) {
				u.pkg.Imports[path] = dep.pkg
			}
		}
	}
	return l.units, nil
}

// each does something to every unit, to as many at once as there are
// processors. Dependencies come first, so that waiting for one cannot lock.
func (l *loader) each(do func(*loader, *unit)) {
	var wg sync.WaitGroup
	free := make(chan bool, runtime.GOMAXPROCS(0))
	for _, u := range l.order {
		free <- true
		wg.Go(func() {
			do(l, u)
			<-free
		})
	}
	wg.Wait()
}

func (l *loader) parse(u *unit) {
	u.pkg.Syntax = nil
	for _, name := range u.pkg.CompiledGoFiles {
		f, err := parser.ParseFile(l.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			u.errs = append(u.errs, err)
		}
		if f != nil {
			u.pkg.Syntax = append(u.pkg.Syntax, f)
		}
	}
}

// translateCgo parses again, as translated by cgo, the packages that use it.
func (l *loader) translateCgo() error {
	plain, tested := map[string]bool{}, map[string]bool{}
	byID := map[string]*unit{}
	for _, u := range l.order {
		switch {
		case !imports(u.pkg.Syntax, "C"):
			continue
		case u.pkg.ForTest != "":
			tested[u.pkg.ForTest] = true
		default:
			plain[u.pkg.PkgPath] = true
		}
		byID[u.pkg.ID] = u
	}
	translate := func(patterns map[string]bool, tests bool) error {
		if len(patterns) == 0 {
			return nil
		}
		list, err := packages.Load(&packages.Config{
			Mode:       packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedForTest,
			Tests:      tests,
			BuildFlags: l.config.buildFlags(),
		}, sortedKeys(patterns)...)
		if err != nil {
			return err
		}
		for _, p := range list {
			u := byID[p.ID]
			if u == nil || tests != (p.ForTest != "") {
				continue
			}
			if len(p.Errors) > 0 {
				return l.config.errorsOf([]*packages.Package{p})
			}
			u.pkg.CompiledGoFiles = p.CompiledGoFiles
			u.errs = nil
			l.parse(u)
		}
		return nil
	}
	if err := translate(plain, false); err != nil {
		return err
	}
	return translate(tested, true)
}

// findExports asks the go command for the export data of everything that
// the units import.
func (l *loader) findExports() error {
	paths := map[string]bool{}
	for _, u := range l.order {
		for _, f := range u.pkg.Syntax {
			for _, spec := range f.Imports {
				path, _ := strconv.Unquote(spec.Path.Value)
				imp := u.listed.Imports[path]
				switch {
				case path == "C", path == "unsafe", imp != nil && l.units[imp] != nil:
				case imp != nil:
					paths[imp.PkgPath] = true
				default: // imported by what cgo generates
					paths[path] = true
				}
			}
		}
	}
	if len(paths) == 0 {
		return nil
	}
	list, err := packages.Load(&packages.Config{
		Mode:       packages.NeedName | packages.NeedExportFile,
		BuildFlags: l.config.buildFlags(),
	}, sortedKeys(paths)...)
	if err != nil {
		return err
	}
	var broken []*packages.Package
	for _, p := range list {
		l.exports[p.PkgPath] = p.ExportFile
		if len(p.Errors) > 0 {
			broken = append(broken, p)
		}
	}
	return l.config.errorsOf(broken)
}

func (l *loader) openExport(path string) (io.ReadCloser, error) {
	file := l.exports[path]
	if file == "" {
		return nil, fmt.Errorf("package %s has not been built", path)
	}
	return os.Open(file)
}

// check type-checks the unit once what it imports has been.
func (l *loader) check(u *unit) {
	u.once.Do(func() {
		u.pkg.TypesInfo = &types.Info{
			Types:        map[ast.Expr]types.TypeAndValue{},
			Defs:         map[*ast.Ident]types.Object{},
			Uses:         map[*ast.Ident]types.Object{},
			Implicits:    map[ast.Node]types.Object{},
			Instances:    map[*ast.Ident]types.Instance{},
			Scopes:       map[ast.Node]*types.Scope{},
			Selections:   map[*ast.SelectorExpr]*types.Selection{},
			FileVersions: map[*ast.File]string{},
		}
		conf := u.types(func(err error) { u.errs = append(u.errs, err) })
		u.pkg.Types, _ = conf.Check(u.pkg.PkgPath, l.fset, u.pkg.Syntax, u.pkg.TypesInfo)
	})
}

// types returns how the unit is type-checked.
func (u *unit) types(report func(error)) *types.Config {
	conf := &types.Config{
		Importer: importerFunc(func(path string) (*types.Package, error) { return u.loader.importPackage(u, path) }),
		Sizes:    u.pkg.TypesSizes,
		Error:    report,
	}
	if m := u.pkg.Module; m != nil && m.GoVersion != "" {
		conf.GoVersion = "go" + m.GoVersion
	}
	return conf
}

func (l *loader) importPackage(u *unit, path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if imp := u.listed.Imports[path]; imp != nil {
		if dep := l.units[imp]; dep != nil {
			l.check(dep)
			if len(dep.errs) > 0 {
				// Its own errors are printed; those that follow are noise.
				return nil, errDependency
			}
			return dep.pkg.Types, nil
		}
		path = imp.PkgPath
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.exports[path] == "" {
		return l.importLate(path)
	}
	return l.gc.Import(path)
}

var errDependency = fmt.Errorf("the imported package does not build")

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// failures returns the errors of all units, or nil.
func (l *loader) failures() error {
	var lines buildErrors
	seen := map[string]bool{}
	add := func(u *unit, line string) {
		if !seen[line] {
			if len(lines) == 0 || !seen["# "+u.pkg.ID] {
				lines = append(lines, "# "+u.pkg.ID)
				seen["# "+u.pkg.ID] = true
			}
			seen[line] = true
			lines = append(lines, line)
		}
	}
	for _, u := range l.order {
		for _, err := range u.errs {
			switch err := err.(type) {
			case types.Error:
				if !strings.Contains(err.Msg, errDependency.Error()) {
					add(u, l.config.position(l.fset.Position(err.Pos))+": "+err.Msg)
				}
			case scanner.ErrorList:
				for _, e := range err {
					add(u, l.config.position(e.Pos)+": "+e.Msg)
				}
			default:
				add(u, err.Error())
			}
		}
	}
	if lines == nil {
		return nil
	}
	return lines
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
