package fix

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"sort"
	"strconv"

	"golang.org/x/tools/go/analysis"
)

// A compiler tells whether a package compiles after edits. It type-checks
// from the types that the package's imports have already, so that it needs
// neither the go command nor files that a driver does not show to analyzers;
// and only functions that are edited, so that it costs little.
type compiler struct {
	pass     *analysis.Pass
	files    []*sourceFile
	resolver *resolver
}

// A sourceFile is a file of the package as it was analysed.
type sourceFile struct {
	syntax   *ast.File
	token    *token.File
	content  []byte    // read when it is first edited
	stripped *ast.File // without what functions do, made when first needed
}

func newCompiler(pass *analysis.Pass) *compiler {
	c := &compiler{pass: pass, resolver: newResolver(pass)}
	for _, f := range pass.Files {
		c.files = append(c.files, &sourceFile{syntax: f, token: pass.Fset.File(f.FileStart)})
	}
	return c
}

// check returns the first of the compiler's errors after the edits.
func (c *compiler) check(edits []analysis.TextEdit) error {
	fset := token.NewFileSet()
	for _, f := range c.files {
		fset.AddExistingFiles(f.token)
	}
	fset.AddFile("", c.pass.Fset.Base(), 0) // what is edited comes after
	var files []*ast.File
	edited := map[*ast.File]*sourceFile{} // by what they become
	byFile := map[*sourceFile][]analysis.TextEdit{}
	whole := false
	for _, e := range edits {
		f := c.fileOf(e)
		if f == nil {
			return errors.New("an edit outside the package's files")
		}
		byFile[f] = append(byFile[f], e)
		whole = whole || !f.withinFunction(e) && !f.withinImports(e)
	}
	for _, f := range c.files {
		if byFile[f] == nil {
			files = append(files, f.unedited(whole))
			continue
		}
		content, err := f.edited(c.pass, byFile[f])
		if err != nil {
			return err
		}
		syntax, err := parser.ParseFile(fset, f.token.Name(), content, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if !whole {
			syntax = strip(syntax, f.untouched(byFile[f]))
		}
		edited[syntax] = f
		files = append(files, syntax)
	}
	var first error
	conf := &types.Config{
		Importer:    c.resolver,
		Sizes:       c.pass.TypesSizes,
		GoVersion:   c.pass.Pkg.GoVersion(),
		FakeImportC: true,
	}
	conf.Error = func(err error) {
		var e types.Error
		if !errors.As(err, &e) || whole || !c.spurious(e, files, edited, byFile) {
			first = cmp.Or(first, err)
		}
	}
	conf.Check(c.pass.Pkg.Path(), fset, files, nil)
	return first
}

// spurious reports whether an error comes of functions that are left out: an
// import that only these use.
func (c *compiler) spurious(e types.Error, files []*ast.File, edited map[*ast.File]*sourceFile, edits map[*sourceFile][]analysis.TextEdit) bool {
	if !e.Soft {
		return false
	}
	for _, syntax := range files {
		for _, spec := range syntax.Imports {
			if e.Pos < spec.Pos() || spec.End() < e.Pos {
				continue
			}
			f := edited[syntax]
			return f == nil || f.stillUses(c.pass, spec, edits[f])
		}
	}
	return false
}

// stillUses reports whether the file uses an import outside of the edits.
func (f *sourceFile) stillUses(pass *analysis.Pass, imported *ast.ImportSpec, edits []analysis.TextEdit) bool {
	for _, spec := range f.syntax.Imports {
		if spec.Path.Value != imported.Path.Value || nameIn(spec) != nameIn(imported) {
			continue
		}
		pkg := pass.TypesInfo.PkgNameOf(spec)
		return pkg != nil && !Gone(pass, f.syntax, edits)[pkg]
	}
	return false // the edits add it
}

func nameIn(spec *ast.ImportSpec) string {
	if spec.Name == nil {
		return ""
	}
	return spec.Name.Name
}

func (c *compiler) fileOf(e analysis.TextEdit) *sourceFile {
	for _, f := range c.files {
		if f.syntax.FileStart <= e.Pos && end(e) <= f.syntax.FileEnd {
			return f
		}
	}
	return nil
}

// withinFunction reports whether an edit changes nothing but a function's
// body.
func (f *sourceFile) withinFunction(e analysis.TextEdit) bool { return f.function(e) != nil }

// function returns the function whose body an edit changes, and nothing else.
func (f *sourceFile) function(e analysis.TextEdit) *ast.FuncDecl {
	i := sort.Search(len(f.syntax.Decls), func(i int) bool { return f.syntax.Decls[i].End() > e.Pos })
	if i == len(f.syntax.Decls) {
		return nil
	}
	if fn, ok := f.syntax.Decls[i].(*ast.FuncDecl); ok && fn.Body != nil && fn.Body.Lbrace < e.Pos && end(e) <= fn.Body.Rbrace {
		return fn
	}
	return nil
}

// withinImports reports whether an edit changes nothing but imports, or the
// place for the first.
func (f *sourceFile) withinImports(e analysis.TextEdit) bool {
	last := f.syntax.Name.End()
	for _, d := range f.syntax.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.IMPORT {
			// A line with an import ends where the next begins.
			return f.syntax.Name.End() <= e.Pos && (end(e) <= last || end(e) <= d.Pos() && f.token.Line(end(e)) <= f.token.Line(last)+1)
		}
		last = decl.End()
	}
	return f.syntax.Name.End() <= e.Pos
}

func touches(e analysis.TextEdit, fn *ast.FuncDecl) bool {
	return fn.Body != nil && e.Pos < fn.Body.End() && fn.Body.Pos() <= end(e)
}

// untouched tells of the file's functions, in their order, which are not
// edited.
func (f *sourceFile) untouched(edits []analysis.TextEdit) []bool {
	within := map[*ast.FuncDecl]bool{}
	var apart []analysis.TextEdit
	for _, e := range edits {
		if fn := f.function(e); fn != nil {
			within[fn] = true
		} else {
			apart = append(apart, e)
		}
	}
	var list []bool
	for _, d := range f.syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			list = append(list, !within[fn] && !slices.ContainsFunc(apart, func(e analysis.TextEdit) bool { return touches(e, fn) }))
		}
	}
	return list
}

// unedited returns a file that no edit changes.
func (f *sourceFile) unedited(whole bool) *ast.File {
	if whole {
		return f.syntax
	}
	if f.stripped == nil {
		f.stripped = strip(f.syntax, f.untouched(nil))
	}
	return f.stripped
}

// endless is what stands in place of functions' bodies: it needs nothing and
// returns whatever there is to return.
var endless = &ast.BlockStmt{List: []ast.Stmt{&ast.ForStmt{Body: &ast.BlockStmt{}}}}

// strip returns the file without the bodies of those functions.
func strip(f *ast.File, which []bool) *ast.File {
	out := *f
	out.Decls = slices.Clone(f.Decls)
	n := 0
	for i, d := range out.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if n < len(which) && which[n] && fn.Body != nil {
			short := *fn
			short.Body = endless
			out.Decls[i] = &short
		}
		n++
	}
	return &out
}

// edited returns the content of the file after edits. What several fixes
// insert alike is inserted once.
func (f *sourceFile) edited(pass *analysis.Pass, edits []analysis.TextEdit) ([]byte, error) {
	if f.content == nil {
		content, err := read(pass, f.token)
		if err != nil {
			return nil, err
		}
		f.content = content
	}
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b analysis.TextEdit) int {
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(end(a), end(b)))
	})
	var b bytes.Buffer
	last := 0
	for i, e := range edits {
		if i > 0 && sameEdit(e, edits[i-1]) {
			continue
		}
		from, to := f.token.Offset(e.Pos), f.token.Offset(end(e))
		if from < last {
			return nil, errors.New("edits overlap")
		}
		b.Write(f.content[last:from])
		b.Write(e.NewText)
		last = to
	}
	b.Write(f.content[last:])
	return b.Bytes(), nil
}

// read returns the content of a file as it was analysed.
func read(pass *analysis.Pass, f *token.File) ([]byte, error) {
	readFile := pass.ReadFile
	if readFile == nil {
		readFile = os.ReadFile
	}
	content, err := readFile(f.Name())
	if err == nil && len(content) != f.Size() {
		err = fmt.Errorf("%s changed meanwhile", f.Name())
	}
	return content, err
}

// pathOf returns the path that an import names.
func pathOf(spec *ast.ImportSpec) string {
	path, _ := strconv.Unquote(spec.Path.Value)
	return path
}
