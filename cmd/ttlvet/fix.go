package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/rogpeppe/go-internal/diff"
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

// A fixedFile is a file and what fixes make of it.
type fixedFile struct {
	name     string
	old, new []byte
	syntax   *ast.File   // of old
	info     *types.Info // of old
	edits    []edit
}

// maxRounds bounds the rounds of -fix. Each mends what the one before had to
// leave because fixes overlapped.
const maxRounds = 10

// applyFixes mends what can be mended and reports what is left.
func (c *config) applyFixes() int {
	for round := range maxRounds {
		findings, err := c.analyze()
		if err != nil {
			if round > 0 {
				fmt.Fprintln(c.stderr, "ttlvet: after the fixes the code does not build:")
			}
			return c.fail(err)
		}
		files, err := c.fixedFiles(findings)
		if err != nil {
			return c.fail(err)
		}
		if len(files) == 0 || round == maxRounds-1 {
			return c.print(findings)
		}
		for _, f := range files {
			if err := rewrite(f.name, f.new); err != nil {
				return c.fail(err)
			}
		}
	}
	panic("unreachable")
}

// showFixes prints as a diff what -fix would do at first.
func (c *config) showFixes() int {
	findings, err := c.analyze()
	if err != nil {
		return c.fail(err)
	}
	files, err := c.fixedFiles(findings)
	if err != nil {
		return c.fail(err)
	}
	for _, f := range files {
		name := filepath.ToSlash(c.path(f.name))
		if !filepath.IsAbs(f.name) || c.path(f.name) != f.name {
			c.stdout.Write(diff.Diff("a/"+name, f.old, "b/"+name, f.new))
		} else {
			c.stdout.Write(diff.Diff(name, f.old, name, f.new))
		}
	}
	if len(files) > 0 {
		return exitFindings
	}
	return exitClean
}

// rewrite replaces the content of a file and keeps its mode.
func rewrite(name string, content []byte) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	return os.WriteFile(name, content, info.Mode().Perm())
}

// mendable reports whether -fix would mend the finding, other fixes that are
// in the way apart: it comes with a fix, and all that the fix edits are the
// main module's files, written by people.
func (c *config) mendable(f *finding) bool {
	if len(f.SuggestedFixes) == 0 || f.pkg.Module != nil && !f.pkg.Module.Main {
		return false
	}
	for _, e := range f.SuggestedFixes[0].TextEdits {
		file := f.pkg.Fset.File(e.Pos)
		// What cgo made of a file is not the file.
		if file == nil || !slices.Contains(f.pkg.GoFiles, file.Name()) {
			return false
		}
		if syntax := syntaxOf(f, file.Name()); syntax == nil || ast.IsGenerated(syntax) {
			return false
		}
	}
	return true
}

// syntaxOf returns the syntax of a file of the finding's package.
func syntaxOf(f *finding, name string) *ast.File {
	for _, s := range f.pkg.Syntax {
		if file := f.pkg.Fset.File(s.FileStart); file != nil && file.Name() == name {
			return s
		}
	}
	return nil
}

// fixedFiles returns, by name, the files that change when the findings are
// mended. Of fixes that overlap the first is made. Several fixes often make
// the same edit, an import; it is made once.
func (c *config) fixedFiles(findings []*finding) ([]*fixedFile, error) {
	files := map[string]*fixedFile{}
	for _, f := range findings {
		if !c.mendable(f) {
			continue
		}
		edits := map[string][]edit{}
		for _, e := range f.SuggestedFixes[0].TextEdits {
			file := f.pkg.Fset.File(e.Pos)
			if files[file.Name()] == nil {
				old, err := os.ReadFile(file.Name())
				if err != nil {
					return nil, err
				}
				if len(old) != file.Size() {
					return nil, fmt.Errorf("%s changed meanwhile; run ttlvet again", c.path(file.Name()))
				}
				files[file.Name()] = &fixedFile{
					name: file.Name(), old: old, syntax: syntaxOf(f, file.Name()), info: f.pkg.TypesInfo,
				}
			}
			end := e.End
			if !end.IsValid() {
				end = e.Pos
			}
			edits[file.Name()] = append(edits[file.Name()], edit{file.Offset(e.Pos), file.Offset(end), string(e.NewText)})
		}
		if !anyOverlap(files, edits) {
			for name, list := range edits {
				for _, e := range list {
					if !slices.Contains(files[name].edits, e) {
						files[name].edits = append(files[name].edits, e)
					}
				}
			}
		}
	}
	var changed []*fixedFile
	for _, name := range sortedKeys(files) {
		f := files[name]
		if err := f.apply(); err != nil {
			return nil, fmt.Errorf("%s: a fix is wrong, please report it: %v", c.path(f.name), err)
		}
		if !bytes.Equal(f.old, f.new) {
			changed = append(changed, f)
		}
	}
	return changed, nil
}

func anyOverlap(files map[string]*fixedFile, edits map[string][]edit) bool {
	for name, list := range edits {
		for _, e := range list {
			for _, o := range files[name].edits {
				if e != o && e.overlaps(o) {
					return true
				}
			}
		}
	}
	return false
}

// apply makes the edits, removes the imports that they leave without a use,
// and formats the file.
func (f *fixedFile) apply() error {
	f.new = f.old
	if len(f.edits) == 0 {
		return nil
	}
	slices.SortStableFunc(f.edits, func(a, b edit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.end - b.end // an insertion stands before what is replaced
	})
	var b bytes.Buffer
	last := 0
	for _, e := range f.edits {
		if e.start < last || e.end < e.start || e.end > len(f.old) {
			return errors.New("its edits overlap")
		}
		b.Write(f.old[last:e.start])
		b.WriteString(e.text)
		last = e.end
	}
	b.Write(f.old[last:])

	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, f.name, b.Bytes(), parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	source := b.Bytes()
	if f.dropImports(fset, syntax) {
		var printed bytes.Buffer
		if err := format.Node(&printed, fset, syntax); err != nil {
			return err
		}
		source = printed.Bytes()
	}
	f.new, err = format.Source(source)
	return err
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
