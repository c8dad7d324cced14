// Package finding is what analyzers report, with what drivers need to know of it.
package finding

import (
	"cmp"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/load"
	"github.com/ttlvet/ttlvet/internal/fingerprint"
	"github.com/ttlvet/ttlvet/internal/input"
)

// Outside stands for the package of findings outside Go.
const Outside = "schema"

// A Finding is a diagnostic and where it comes from.
type Finding struct {
	Pkg      *packages.Package
	Unit     *load.Unit // where Pkg was loaded; nil outside Go
	Analyzer string
	From, To token.Position // with absolute paths

	Fingerprint fingerprint.Fingerprint

	// Unfixable is what the compiler would say after the fix.
	Unfixable error
	// Unsafe says that there is a fix, but one that was not asked for.
	Unsafe bool
	analysis.Diagnostic
}

// Rule is the name by which the finding's rule is known.
func (f *Finding) Rule() string {
	if f.Category == "" {
		return f.Analyzer
	}
	return f.Analyzer + "/" + f.Category
}

// Text is the message, which ends with the rule's name.
func (f *Finding) Text() string {
	suffix := " (" + f.Rule() + ")"
	return strings.TrimSuffix(f.Message, suffix) + suffix
}

// Shows reports whether the file that the finding names may be shown: the one in which
// it is, or one beside it. A comment //line can name any file of the machine.
func (f *Finding) Shows() bool {
	name := f.From.Filename
	if f.Unit == nil || slices.Contains(f.Pkg.GoFiles, name) {
		return true
	}
	tree := input.Tree(filepath.Dir(f.Pkg.GoFiles[0]))
	return input.Within(tree, name) && input.Stays(tree, name) == nil
}

// Compare orders findings as they are printed.
func Compare(a, b *Finding) int {
	return cmp.Or(
		cmp.Compare(a.From.Filename, b.From.Filename),
		cmp.Compare(a.From.Line, b.From.Line),
		cmp.Compare(a.From.Column, b.From.Column),
		cmp.Compare(a.Text(), b.Text()),
	)
}

// Mendable reports whether -fix would mend the finding, other fixes that are
// in the way apart: it comes with a fix that compiles, as far as that has been
// tried, and all that the fix edits are the main module's files, written by
// people.
func (f *Finding) Mendable() bool {
	if len(f.SuggestedFixes) == 0 || f.Unfixable != nil || f.Pkg.Module != nil && !f.Pkg.Module.Main {
		return false
	}
	if f.Pkg.PkgPath == Outside {
		return true
	}
	for _, e := range f.SuggestedFixes[0].TextEdits {
		file := f.Pkg.Fset.File(e.Pos)
		if file == nil {
			return false
		}
		syntax := f.Syntax(file.Name())
		if syntax == nil {
			return false
		}
		if slices.Contains(f.Pkg.GoFiles, file.Name()) {
			if ast.IsGenerated(syntax) {
				return false
			}
			continue
		}
		// What cgo made of a file is not the file.
		t := f.Translation(file)
		if t == nil {
			return false
		}
		if _, ok := t.Edit(Edit{Start: file.Offset(e.Pos), End: file.Offset(cmp.Or(e.End, e.Pos))}); !ok {
			return false
		}
	}
	return true
}

// Syntax returns the syntax of a file of the finding's package.
func (f *Finding) Syntax(name string) *ast.File {
	for _, s := range f.Pkg.Syntax {
		if file := f.Pkg.Fset.File(s.FileStart); file != nil && file.Name() == name {
			return s
		}
	}
	return nil
}
