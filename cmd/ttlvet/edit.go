package main

import (
	"bytes"
	"errors"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ast/astutil"
)

// An edit replaces a part of a file.
type edit struct {
	start, end int // offsets
	text       string
}

// overlaps reports whether the edits cannot both be made. Insertions at the
// same place can, one after the other.
func (e edit) overlaps(o edit) bool { return e.start < o.end && o.start < e.end }

// A patch is edits by file.
type patch map[string][]edit

// with returns the patch with another beside it, and nil if they overlap.
// Several fixes often make the same edit, an import; it is made once.
func (p patch) with(q patch) patch {
	sum := make(patch)
	for name, list := range p {
		sum[name] = slices.Clip(list)
	}
	for name, list := range q {
		for _, e := range list {
			if slices.Contains(p[name], e) {
				continue
			}
			if slices.ContainsFunc(p[name], e.overlaps) {
				return nil
			}
			sum[name] = append(sum[name], e)
		}
	}
	return sum
}

// A fixedFile is a file and what fixes make of it.
type fixedFile struct {
	name     string
	original []byte // its content
	new      []byte
	mended   []string // the rules of the findings that are mended

	// The analysed file: the same, or what cgo makes of it.
	old         []byte
	syntax      *ast.File
	info        *types.Info
	translation *translation
}

// newFixedFile reads a file that a finding's fix edits. It returns nil if the
// file is not what was analysed.
func newFixedFile(f *finding, file *token.File) (*fixedFile, error) {
	fixed := &fixedFile{name: file.Name(), syntax: syntaxOf(f, file.Name()), info: f.pkg.TypesInfo}
	old, err := os.ReadFile(file.Name())
	if err != nil {
		return nil, err
	}
	if len(old) != file.Size() {
		return nil, nil
	}
	fixed.old, fixed.original = old, old
	if t := translationOf(f, file); t != nil {
		fixed.name, fixed.original, fixed.translation = t.name, t.original, t
	}
	return fixed, nil
}

// compiled returns what the compiler gets after the edits.
func (f *fixedFile) compiled(edits []edit) ([]byte, error) {
	if f.translation != nil {
		return splice(f.old, edits)
	}
	return f.edited(edits)
}

// splice makes edits.
func splice(old []byte, edits []edit) ([]byte, error) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.end - b.end // an insertion stands before what is replaced
	})
	var b bytes.Buffer
	last := 0
	for _, e := range edits {
		if e.start < last || e.end < e.start || e.end > len(old) {
			return nil, errors.New("its edits overlap")
		}
		b.Write(old[last:e.start])
		b.WriteString(e.text)
		last = e.end
	}
	b.Write(old[last:])
	return b.Bytes(), nil
}

// edited makes the edits, removes the imports that they leave without a use,
// and formats the file. Its line ends stay what they are.
func (f *fixedFile) edited(edits []edit) ([]byte, error) {
	if f.translation != nil {
		own := make([]edit, len(edits))
		for i, e := range edits {
			var ok bool
			if own[i], ok = f.translation.edit(e); !ok {
				return nil, errors.New("what cgo made of the file is not in it")
			}
		}
		edits = own
	}
	source, err := splice(f.original, edits)
	if err != nil || f.syntax == nil { // not Go
		return source, err
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, f.name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if f.dropImports(fset, syntax) {
		var printed bytes.Buffer
		if err := format.Node(&printed, fset, syntax); err != nil {
			return nil, err
		}
		source = printed.Bytes()
	}
	if source, err = format.Source(source); err != nil {
		return nil, err
	}
	if crlf := []byte("\r\n"); bytes.Count(f.original, crlf)*2 > bytes.Count(f.original, crlf[1:]) {
		source = bytes.ReplaceAll(source, crlf[1:], crlf)
	}
	if mark := []byte("\ufeff"); bytes.HasPrefix(f.original, mark) && !bytes.HasPrefix(source, mark) {
		source = append(mark, source...)
	}
	return source, nil
}

// dropImports removes the imports that were used before the edits and are
// no more. Each fix cares for its own; two of them together may remove the
// last two uses.
func (f *fixedFile) dropImports(fset *token.FileSet, syntax *ast.File) (dropped bool) {
	used := map[string]bool{}
	ast.Inspect(syntax, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	for _, spec := range f.syntax.Imports {
		obj, explicit := f.info.Implicits[spec], ""
		if spec.Name != nil {
			obj, explicit = f.info.Defs[spec.Name], spec.Name.Name
		}
		if obj == nil || explicit == "_" || explicit == "." || used[obj.Name()] {
			continue
		}
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && path != "C" {
			dropped = astutil.DeleteNamedImport(fset, syntax, explicit, path) || dropped
		}
	}
	return dropped
}
