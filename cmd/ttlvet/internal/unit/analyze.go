package unit

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/intact"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/jsontree"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/toolchain"
)

// analyze analyses the unit, and writes its facts and findings. Its error is of
// code that does not build.
func (u *unit) analyze(list []*analysis.Analyzer) error {
	a := &analyzing{unit: u, fset: token.NewFileSet(), results: map[*analysis.Analyzer]any{}, tree: jsontree.Tree{}}
	var err error
	if a.facts, err = newFacts(u, list); err != nil {
		return err
	}
	if err := a.load(); err != nil {
		if u.SucceedOnTypecheckFailure && !errors.As(err, new(unreadable)) {
			return u.print([]byte("{}\n"))
		}
		return err
	}
	for _, analyzer := range list {
		if err := a.run(analyzer); err != nil {
			return err
		}
	}
	if err := a.facts.write(); err != nil || u.VetxOnly {
		return err
	}
	out, err := a.tree.Bytes()
	if err != nil {
		return err
	}
	return u.print(out)
}

// analyzing is the analysis of a unit.
type analyzing struct {
	*unit
	fset    *token.FileSet
	files   []*ast.File
	pkg     *types.Package
	info    *types.Info
	sizes   types.Sizes
	facts   *facts
	results map[*analysis.Analyzer]any
	tree    jsontree.Tree
}

// load parses and type-checks the unit.
func (a *analyzing) load() error {
	for _, name := range a.GoFiles {
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(a.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		a.files = append(a.files, f)
	}
	a.sizes = types.SizesFor("gc", cmp.Or(os.Getenv("GOARCH"), runtime.GOARCH))
	a.info = &types.Info{
		Types:        map[ast.Expr]types.TypeAndValue{},
		Defs:         map[*ast.Ident]types.Object{},
		Uses:         map[*ast.Ident]types.Object{},
		Implicits:    map[ast.Node]types.Object{},
		Instances:    map[*ast.Ident]types.Instance{},
		Scopes:       map[ast.Node]*types.Scope{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		FileVersions: map[*ast.File]string{},
	}
	imp, err := a.importer()
	if err != nil {
		return err
	}
	conf := &types.Config{Importer: imp, Sizes: a.sizes, GoVersion: a.GoVersion}
	a.pkg, err = conf.Check(a.ImportPath, a.fset, a.files, a.info)
	return err
}

// run runs an analyzer after those that it requires. Where only facts are wanted,
// it runs those that have some.
func (a *analyzing) run(analyzer *analysis.Analyzer) error {
	if _, done := a.results[analyzer]; done {
		return nil
	}
	for _, r := range analyzer.Requires {
		if err := a.run(r); err != nil {
			return err
		}
	}
	if a.VetxOnly && len(analyzer.FactTypes) == 0 {
		a.results[analyzer] = nil
		return nil
	}
	pass := &analysis.Pass{
		Analyzer: analyzer,
		Fset:     a.fset, Files: a.files, OtherFiles: a.NonGoFiles, IgnoredFiles: a.IgnoredFiles,
		Pkg: a.pkg, TypesInfo: a.info, TypesSizes: a.sizes,
		ResultOf: map[*analysis.Analyzer]any{},
		Report:   func(d analysis.Diagnostic) { a.tree.Add(a.ID, analyzer.Name, a.diagnostic(d)) },
		ReadFile: os.ReadFile,
		Module:   a.module(),
	}
	a.facts.serve(pass)
	for _, r := range analyzer.Requires {
		pass.ResultOf[r] = a.results[r]
	}
	var err error
	if a.results[analyzer], err = analyzer.Run(pass); err != nil {
		return fmt.Errorf("%s: %w", analyzer.Name, err)
	}
	return nil
}

func (u *unit) module() *analysis.Module {
	if u.Module == nil && u.ModulePath != "" {
		return &analysis.Module{Path: u.ModulePath, Version: u.ModuleVersion, GoVersion: u.GoVersion}
	}
	return u.Module
}

func (a *analyzing) diagnostic(d analysis.Diagnostic) jsontree.Diagnostic {
	out := jsontree.Of(a.fset, d)
	for _, fix := range d.SuggestedFixes {
		f := jsontree.Fix{Message: fix.Message}
		for _, e := range fix.TextEdits {
			from, to := a.fset.Position(e.Pos), a.fset.Position(cmp.Or(e.End, e.Pos))
			f.Edits = append(f.Edits, jsontree.Edit{Filename: from.Filename, Start: from.Offset, End: to.Offset, New: string(e.NewText)})
		}
		slices.SortStableFunc(f.Edits, func(a, b jsontree.Edit) int {
			return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
		})
		out.SuggestedFixes = append(out.SuggestedFixes, f)
	}
	return out
}

// readable returns an error when the library would take facts that are lost for a
// package without, or when the export data of what the unit imports is damaged or
// cannot be read by a ttlvet built with this Go. All were written by one compiler: one
// tells, and a small one soonest.
func (u *unit) readable() error {
	for path, file := range u.PackageVetx {
		if info, err := os.Stat(file); err == nil && info.Size() == 0 {
			return damaged(path, io.EOF)
		}
	}
	smallest, size := "", int64(0)
	for _, path := range slices.Sorted(maps.Keys(u.PackageFile)) {
		file := u.PackageFile[path]
		if err := intact.Check(file); err != nil {
			return err
		}
		info, err := os.Stat(file)
		if err == nil && (smallest == "" || info.Size() < size) {
			smallest, size = file, info.Size()
		}
	}
	if smallest == "" {
		return nil
	}
	return toolchain.Readable(smallest)
}
