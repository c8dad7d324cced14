package analyze

import (
	"go/token"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/finding"
	"github.com/ttlvet/ttlvet/internal/input"
	"github.com/ttlvet/ttlvet/internal/schema"
)

// suggest gives a finding outside Go its fix, if there is one that was asked
// for.
func (j *Job) suggest(f *finding.Finding, s *schema.Finding) {
	if s.Fix == nil {
		return
	}
	if s.Fix.Unsafe != "" && !j.UnsafeFixes {
		f.Unsafe = true
		return
	}
	file := fileOf(f.Pkg.Fset, s.Place.File)
	if file == nil {
		return
	}
	var edits []analysis.TextEdit
	for _, e := range s.Fix.Edits {
		if e.Start > e.End || e.End > file.Size() {
			return // it changed meanwhile
		}
		edits = append(edits, analysis.TextEdit{Pos: file.Pos(e.Start), End: file.Pos(e.End), NewText: []byte(e.New)})
	}
	f.SuggestedFixes = []analysis.SuggestedFix{{Message: s.Fix.Title(), TextEdits: edits}}
}

// fileOf returns a file that is not Go as one of the set, in which its fixes
// have positions like those of Go.
func fileOf(fset *token.FileSet, name string) *token.File {
	var found *token.File
	fset.Iterate(func(f *token.File) bool {
		if f.Name() == name {
			found = f
		}
		return found == nil
	})
	if found != nil {
		return found
	}
	data, err := input.Read(name, input.Source)
	if err != nil {
		return nil
	}
	found = fset.AddFile(name, -1, len(data))
	found.SetLinesForContent(data)
	return found
}
