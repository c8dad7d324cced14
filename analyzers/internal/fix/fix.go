// Package fix writes suggested fixes: expressions of the client, the
// standard library's time and the runtime package under the names that a
// file has for them, and the imports that they need.
package fix

import (
	"go/ast"
	"go/printer"
	"go/token"
	"go/types"
	"path"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
)

// The packages that fixes use.
const (
	Bigtable = "cloud.google.com/go/bigtable"
	Runtime  = "github.com/ttlvet/ttlvet/runtime/ttl"
	Time     = "time"
)

// A Builder makes the fix of one finding, in one file.
type Builder struct {
	pass  *analysis.Pass
	file  *ast.File
	edits []analysis.TextEdit
	added map[string]string
	wrong bool // a name that the fix needs means something else there
}

// New starts a fix in the file of node. It returns nil where there is no
// file to fix: none is known, or it is generated.
func New(pass *analysis.Pass, node ast.Node) *Builder {
	for _, f := range pass.Files {
		if f.FileStart <= node.Pos() && node.Pos() <= f.FileEnd {
			if ast.IsGenerated(f) {
				return nil
			}
			return &Builder{pass: pass, file: f, added: map[string]string{}}
		}
	}
	return nil
}

// Replace replaces a node by text.
func (b *Builder) Replace(n ast.Node, text string) *Builder {
	b.edits = append(b.edits, analysis.TextEdit{Pos: n.Pos(), End: n.End(), NewText: []byte(text)})
	return b
}

// Insert inserts text at a position.
func (b *Builder) Insert(pos token.Pos, text string) *Builder {
	b.edits = append(b.edits, analysis.TextEdit{Pos: pos, End: pos, NewText: []byte(text)})
	return b
}

// Delete removes what stands between two positions.
func (b *Builder) Delete(from, to token.Pos) *Builder {
	b.edits = append(b.edits, analysis.TextEdit{Pos: from, End: to})
	return b
}

// DeleteLine removes a statement with its line, where it stands alone on it.
func (b *Builder) DeleteLine(n ast.Node) *Builder {
	tf := b.pass.Fset.File(n.Pos())
	from, to := tf.Line(n.Pos()), tf.Line(n.End())
	if to >= tf.LineCount() {
		return b.Delete(n.Pos(), n.End())
	}
	return b.Delete(tf.LineStart(from), tf.LineStart(to+1))
}

// Done returns the fix, or nil when it would not compile: a name that it
// needs is hidden, or a variable that it no longer uses is used nowhere else.
// Imports that it adds or leaves without use are part of it.
func (b *Builder) Done(message string) *analysis.SuggestedFix {
	if b.wrong || len(b.edits) == 0 || !b.settle() || overlap(b.edits) {
		return nil
	}
	return &analysis.SuggestedFix{Message: message, TextEdits: b.edits}
}

// Imports reports whether the file imports the package with that path.
func (b *Builder) Imports(importPath string) bool {
	_, ok := b.name(importPath)
	return ok
}

func (b *Builder) name(importPath string) (string, bool) {
	for _, spec := range b.file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil || p != importPath && !strings.HasSuffix(p, "/vendor/"+importPath) {
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
	spec := strconv.Quote(importPath)
	if name != base {
		spec = name + " " + spec
	}
	std := !strings.Contains(strings.Split(importPath, "/")[0], ".")
	decl := b.imports()
	if decl != nil {
		if !decl.Lparen.IsValid() {
			only := decl.Specs[0]
			b.Insert(only.Pos(), "(\n\t"+spec+"\n\n\t").Insert(only.End(), "\n)")
			return name
		}
		first := decl.Specs[0].(*ast.ImportSpec)
		firstPath, _ := strconv.Unquote(first.Path.Value)
		firstStd := !strings.Contains(strings.Split(firstPath, "/")[0], ".")
		switch {
		case std && !firstStd:
			b.Insert(first.Pos(), spec+"\n\n\t")
		case std:
			b.insertSorted(decl, importPath, spec)
		default:
			last := decl.Specs[len(decl.Specs)-1]
			b.Insert(last.End(), "\n\t"+spec)
		}
		return name
	}
	b.Insert(b.file.Name.End(), "\n\nimport "+spec)
	return name
}

// imports returns the file's first import declaration that is not empty.
func (b *Builder) imports() *ast.GenDecl {
	for _, d := range b.file.Decls {
		if decl, ok := d.(*ast.GenDecl); ok && decl.Tok == token.IMPORT && len(decl.Specs) > 0 {
			return decl
		}
	}
	return nil
}

// insertSorted inserts a package of the standard library into the first
// group of imports.
func (b *Builder) insertSorted(decl *ast.GenDecl, importPath, spec string) {
	tf := b.pass.Fset.File(decl.Pos())
	prev := 0
	for i, s := range decl.Specs {
		s := s.(*ast.ImportSpec)
		p, _ := strconv.Unquote(s.Path.Value)
		line := tf.Line(s.Pos())
		if i > 0 && line > prev+1 {
			b.Insert(decl.Specs[i-1].End(), "\n\t"+spec)
			return
		}
		if p > importPath {
			b.Insert(s.Pos(), spec+"\n\t")
			return
		}
		prev = tf.Line(s.End())
	}
	b.Insert(decl.Specs[len(decl.Specs)-1].End(), "\n\t"+spec)
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

// Source returns the text of an expression as gofmt has it.
func (b *Builder) Source(n ast.Node) string {
	var s strings.Builder
	_ = printer.Fprint(&s, b.pass.Fset, n)
	return s.String()
}

// Duration writes a duration as Go has it: 30*time.Minute.
func (b *Builder) Duration(d time.Duration, at token.Pos) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{
		{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"},
		{time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"},
	} {
		if d%u.unit == 0 {
			unit := b.Ref(Time, u.name, at)
			if d == u.unit {
				return unit
			}
			return strconv.FormatInt(int64(d/u.unit), 10) + "*" + unit
		}
	}
	return strconv.FormatInt(int64(d), 10)
}

// Timestamp reports whether an expression of type t may be replaced by one of
// type bigtable.Timestamp: it is one, or an untyped constant in its place.
func (b *Builder) Timestamp(t types.Type) bool {
	if t == nil {
		return false
	}
	if basic, ok := t.(*types.Basic); ok && basic.Info()&types.IsUntyped != 0 {
		return true
	}
	return btapi.Type(t) == "bigtable.Timestamp"
}
