package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Imports reports whether the file imports the package with that path.
func (b *Builder) Imports(importPath string) bool {
	_, ok := b.name(importPath)
	return ok
}

func (b *Builder) name(importPath string) (string, bool) {
	for _, spec := range b.file.Imports {
		if p := pathOf(spec); p != importPath && !strings.HasSuffix(p, "/vendor/"+importPath) {
			continue
		}
		switch {
		case spec.Name == nil:
			return path.Base(importPath), true
		case spec.Name.Name == "_":
		default:
			return spec.Name.Name, true
		}
	}
	return "", false
}

// Sees reports whether the package being analysed imports the package with
// that path in any of its files.
func Sees(pass *analysis.Pass, importPath string) bool {
	for _, p := range pass.Pkg.Imports() {
		if p.Path() == importPath {
			return true
		}
	}
	return false
}

// Ref returns the identifier of a package as the file writes it, such as
// time.Now, and imports the package if need be. at is where it is to stand.
func (b *Builder) Ref(importPath, ident string, at token.Pos) string {
	name, ok := b.name(importPath)
	if ok && name != "." && !b.isPackage(name, at) {
		b.wrong = true
	}
	if !ok {
		name, ok = b.added[importPath]
	}
	if !ok {
		name = b.add(importPath, at)
	}
	if name == "." {
		return ident
	}
	return name + "." + ident
}

// add imports a package under a name that nothing hides at that position.
func (b *Builder) add(importPath string, at token.Pos) string {
	base := path.Base(importPath)
	name := base
	for i := 2; b.hidden(name, at); i++ {
		name = base + strconv.Itoa(i)
	}
	b.added[importPath] = name
	return name
}

// addImports inserts the imports that the fix needs: of the standard library
// into the first group, or before it, others at the end. One that is there for its
// effect alone gets the name.
func (b *Builder) addImports() {
	var std, others []string
	for _, p := range slices.Sorted(maps.Keys(b.added)) {
		if b.nameBlank(p) {
			continue
		}
		spec := strconv.Quote(p)
		if name := b.added[p]; name != path.Base(p) {
			spec = name + " " + spec
		}
		if isStd(p) {
			std = append(std, spec)
		} else {
			others = append(others, spec)
		}
	}
	if len(std)+len(others) == 0 {
		return
	}
	decl := b.imports()
	switch {
	case decl == nil:
		b.firstImports(std, others)
	case !decl.Lparen.IsValid():
		only := decl.Specs[0].(*ast.ImportSpec)
		head, tail := "(\n\t", ""
		for _, s := range std {
			head += s + "\n\t"
		}
		if len(std) > 0 && !isStd(pathOf(only)) {
			head += "\n\t"
		}
		if len(others) > 0 && isStd(pathOf(only)) {
			tail = "\n"
		}
		for _, s := range others {
			tail += "\n\t" + s
		}
		b.Insert(only.Pos(), head).Insert(after(only), tail+"\n)")
	default:
		first := decl.Specs[0].(*ast.ImportSpec)
		for _, s := range std {
			if isStd(pathOf(first)) {
				b.insertSorted(decl, s)
			} else {
				b.Insert(before(first), s+"\n\n\t")
			}
		}
		for _, s := range others {
			b.Insert(after(decl.Specs[len(decl.Specs)-1]), "\n\t"+s)
		}
	}
}

// nameBlank gives an import of that path whose name is _ the name that the fix uses. It
// reports false where there is none.
func (b *Builder) nameBlank(importPath string) bool {
	for _, spec := range b.file.Imports {
		if pathOf(spec) != importPath || spec.Name == nil || spec.Name.Name != "_" {
			continue
		}
		if name := b.added[importPath]; name != path.Base(importPath) {
			b.Replace(spec.Name, name)
		} else {
			b.Delete(spec.Name.Pos(), spec.Path.Pos())
		}
		return true
	}
	return false
}

// firstImports adds imports to a file that has none.
func (b *Builder) firstImports(std, others []string) {
	at := b.file.Name.End()
	for _, g := range b.file.Comments {
		if tf := b.pass.Fset.File(at); g.Pos() > at && tf.Line(g.Pos()) == tf.Line(at) {
			at = g.End()
		}
	}
	groups := strings.Join(std, "\n\t")
	if len(std) > 0 && len(others) > 0 {
		groups += "\n\n\t"
	}
	groups += strings.Join(others, "\n\t")
	if len(std)+len(others) > 1 {
		groups = "(\n\t" + groups + "\n)"
	}
	b.Insert(at, "\n\nimport "+groups)
}

// isStd reports whether a package is of the standard library.
func isStd(importPath string) bool {
	return !strings.Contains(strings.Split(importPath, "/")[0], ".")
}

// before is where an import can be inserted before another: above what is
// said of that.
func before(spec ast.Spec) token.Pos {
	if s, ok := spec.(*ast.ImportSpec); ok && s.Doc != nil {
		return s.Doc.Pos()
	}
	return spec.Pos()
}

// after is where an import can be inserted after another.
func after(spec ast.Spec) token.Pos {
	if s, ok := spec.(*ast.ImportSpec); ok && s.Comment != nil {
		return s.Comment.End()
	}
	return spec.End()
}

// imports returns the file's first import declaration that is not empty.
func (b *Builder) imports() *ast.GenDecl {
	for _, d := range b.file.Decls {
		if decl, ok := d.(*ast.GenDecl); ok && decl.Tok == token.IMPORT && len(decl.Specs) > 0 && !b.isC(decl) {
			return decl
		}
	}
	return nil
}

// isC reports whether a declaration is import "C", or what cgo puts in its
// place. What stands above it is C.
func (b *Builder) isC(decl *ast.GenDecl) bool {
	spec := decl.Specs[0].(*ast.ImportSpec)
	return pathOf(spec) == "C" || Translated(b.pass, b.file) && pathOf(spec) == "unsafe" && nameIn(spec) == "_"
}

// insertSorted inserts a package of the standard library into the first
// group of imports.
func (b *Builder) insertSorted(decl *ast.GenDecl, added string) {
	tf := b.pass.Fset.File(decl.Pos())
	prev := 0
	for i, s := range decl.Specs {
		s := s.(*ast.ImportSpec)
		line := tf.Line(before(s))
		if i > 0 && line > prev+1 {
			b.Insert(after(decl.Specs[i-1]), "\n\t"+added)
			return
		}
		if s.Path.Value > added[strings.Index(added, `"`):] {
			b.Insert(before(s), added+"\n\t")
			return
		}
		prev = tf.Line(s.End())
	}
	b.Insert(after(decl.Specs[len(decl.Specs)-1]), "\n\t"+added)
}

// hidden reports whether a name means something at a position, in any file
// of the package.
func (b *Builder) hidden(name string, at token.Pos) bool {
	scope := b.pass.Pkg.Scope().Innermost(at)
	if scope == nil {
		scope = b.pass.TypesInfo.Scopes[b.file]
	}
	if scope == nil {
		return false
	}
	_, obj := scope.LookupParent(name, at)
	return obj != nil && obj != types.Universe.Lookup(name)
}

// nameOf returns the name that an import declares.
func (b *Builder) nameOf(spec *ast.ImportSpec) *types.PkgName {
	obj := b.pass.TypesInfo.Implicits[spec]
	if spec.Name != nil {
		obj = b.pass.TypesInfo.Defs[spec.Name]
	}
	pkg, _ := obj.(*types.PkgName)
	return pkg
}

// removeImport removes an import with its line. What is said of an import is
// for people to remove.
func (b *Builder) removeImport(spec *ast.ImportSpec) {
	b.wrong = b.wrong || spec.Doc != nil
	// An import that is inserted beside it takes its place.
	var kept []analysis.TextEdit
	added := ""
	for _, e := range b.edits {
		if e.Pos == e.End && spec.Pos() <= e.Pos && e.Pos <= spec.End() {
			added += strings.Trim(string(e.NewText), "()\n\t ")
			continue
		}
		kept = append(kept, e)
	}
	if added != "" {
		b.edits = kept
		b.Replace(spec, added)
		return
	}
	tf := b.pass.Fset.File(spec.Pos())
	line := tf.Line(spec.Pos())
	for _, d := range b.file.Decls {
		if decl, ok := d.(*ast.GenDecl); ok && decl.Tok == token.IMPORT && decl.Pos() <= spec.Pos() && spec.End() <= decl.End() && !decl.Lparen.IsValid() {
			line = tf.Line(decl.Pos())
		}
	}
	end := token.Pos(tf.Base() + tf.Size())
	if line < tf.LineCount() {
		end = tf.LineStart(line + 1)
	}
	b.Delete(tf.LineStart(line), end)
}

// isPackage reports whether a name is a package's at a position.
func (b *Builder) isPackage(name string, at token.Pos) bool {
	scope := b.pass.Pkg.Scope().Innermost(at)
	if scope == nil {
		return true
	}
	_, obj := scope.LookupParent(name, at)
	_, ok := obj.(*types.PkgName)
	return ok
}
