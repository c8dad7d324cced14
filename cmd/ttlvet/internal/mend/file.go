package mend

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

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/finding"
)

// A patch is edits by file.
type patch map[string][]finding.Edit

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
			if slices.ContainsFunc(p[name], e.Overlaps) {
				return nil
			}
			sum[name] = append(sum[name], e)
		}
	}
	return sum
}

// A File is a file and what fixes make of it.
type File struct {
	Name     string
	Original []byte // its content
	New      []byte
	Mended   []string // the rules of the findings that are mended

	// The analysed file: the same, or what cgo makes of it.
	old         []byte
	syntax      *ast.File
	info        *types.Info
	translation *finding.Translation
}

// newFile reads a file that a finding's fix edits. It returns nil if the
// file is not what was analysed.
func newFile(f *finding.Finding, file *token.File) (*File, error) {
	fixed := &File{Name: file.Name(), syntax: f.Syntax(file.Name()), info: f.Pkg.TypesInfo}
	old, err := os.ReadFile(file.Name())
	if err != nil {
		return nil, err
	}
	if len(old) != file.Size() {
		return nil, nil
	}
	fixed.old, fixed.Original = old, old
	if t := f.Translation(file); t != nil {
		fixed.Name, fixed.Original, fixed.translation = t.Name, t.Original, t
	}
	return fixed, nil
}

// compiled returns what the compiler gets after the edits.
func (f *File) compiled(edits []finding.Edit) ([]byte, error) {
	if f.translation != nil {
		return splice(f.old, edits)
	}
	return f.edited(edits)
}

// splice makes edits.
func splice(old []byte, edits []finding.Edit) ([]byte, error) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b finding.Edit) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return a.End - b.End // an insertion stands before what is replaced
	})
	var b bytes.Buffer
	last := 0
	for _, e := range edits {
		if e.Start < last || e.End < e.Start || e.End > len(old) {
			return nil, errors.New("its edits overlap")
		}
		b.Write(old[last:e.Start])
		b.WriteString(e.Text)
		last = e.End
	}
	b.Write(old[last:])
	return b.Bytes(), nil
}

// edited makes the edits, removes the imports that they leave without a use,
// and formats the file. Its line ends stay what they are.
func (f *File) edited(edits []finding.Edit) ([]byte, error) {
	if f.translation != nil {
		own := make([]finding.Edit, len(edits))
		for i, e := range edits {
			var ok bool
			if own[i], ok = f.translation.Edit(e); !ok {
				return nil, errors.New("what cgo made of the file is not in it")
			}
		}
		edits = own
	}
	source, err := splice(f.Original, edits)
	if err != nil || f.syntax == nil { // not Go
		return source, err
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, f.Name, source, parser.ParseComments|parser.SkipObjectResolution)
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
	if crlf := []byte("\r\n"); bytes.Count(f.Original, crlf)*2 > bytes.Count(f.Original, crlf[1:]) {
		source = bytes.ReplaceAll(source, crlf[1:], crlf)
	}
	if mark := []byte("\ufeff"); bytes.HasPrefix(f.Original, mark) && !bytes.HasPrefix(source, mark) {
		source = append(mark, source...)
	}
	return source, nil
}

// dropImports removes the imports that were used before the edits and are
// no more. Each fix cares for its own; two of them together may remove the
// last two uses.
func (f *File) dropImports(fset *token.FileSet, syntax *ast.File) (dropped bool) {
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
