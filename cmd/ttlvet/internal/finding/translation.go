package finding

import (
	"bytes"
	"cmp"
	"go/token"
	"os"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// A Translation maps what cgo made of a file to the file. cgo copies what is
// not C and leaves positions of the file in what it makes.
type Translation struct {
	fset     *token.FileSet
	file     *token.File // what cgo made
	text     []byte      // of file
	Name     string      // of the file that it was made of
	Original []byte
	lines    []int // where the lines of original begin
}

// Translation returns the translation of a file of the finding's package,
// or nil if it is none.
func (f *Finding) Translation(file *token.File) *Translation {
	syntax := f.Syntax(file.Name())
	if syntax == nil {
		return nil
	}
	name := f.Pkg.Fset.Position(syntax.Package).Filename
	if name == file.Name() || !slices.Contains(f.Pkg.GoFiles, name) {
		return nil
	}
	text, err := os.ReadFile(file.Name())
	original, err2 := os.ReadFile(name)
	if err != nil || err2 != nil || len(text) != file.Size() {
		return nil
	}
	t := &Translation{fset: f.Pkg.Fset, file: file, text: text, Name: name, Original: original, lines: []int{0}}
	for i, b := range original {
		if b == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// A Placed is an edit of a file as it lies there, whatever //line says.
type Placed struct {
	From, To token.Position
	Text     string
}

// Placed returns the edits of a fix, and false when they are of what cgo made
// and of no file.
func (f *Finding) Placed(fix analysis.SuggestedFix) ([]Placed, bool) {
	var list []Placed
	for _, e := range fix.TextEdits {
		fset, pos, end := f.Pkg.Fset, e.Pos, cmp.Or(e.End, e.Pos)
		p := Placed{fset.PositionFor(pos, false), fset.PositionFor(end, false), string(e.NewText)}
		file := fset.File(pos)
		if t := f.Translation(file); t != nil {
			own, ok := t.Edit(Edit{file.Offset(pos), file.Offset(end), p.Text})
			if !ok {
				return nil, false
			}
			p.From, p.To = fset.Position(pos), fset.Position(end)
			p.From.Offset, p.To.Offset = own.Start, own.End
		}
		list = append(list, p)
	}
	return list, true
}

// Edit returns an edit of what cgo made as one of the file, if what it
// replaces, and what is beside, is there as it is here.
func (t *Translation) Edit(e Edit) (Edit, bool) {
	start, ok := t.offset(e.Start)
	end, ok2 := t.offset(e.End)
	if !ok || !ok2 || end-start != e.End-e.Start || !bytes.Equal(t.text[e.Start:e.End], t.Original[start:end]) {
		return Edit{}, false
	}
	const beside = 2
	before, after := max(e.Start-beside, 0), min(e.End+beside, len(t.text))
	if start < e.Start-before || end+after-e.End > len(t.Original) {
		return Edit{}, false
	}
	if !bytes.Equal(t.text[before:e.Start], t.Original[start-(e.Start-before):start]) ||
		!bytes.Equal(t.text[e.End:after], t.Original[end:end+after-e.End]) {
		return Edit{}, false
	}
	return Edit{start, end, e.Text}, true
}

// offset returns where in the file a place of what cgo made is.
func (t *Translation) offset(i int) (int, bool) {
	p := t.fset.Position(t.file.Pos(i))
	if p.Filename != t.Name || p.Line < 1 || p.Line > len(t.lines) || p.Column < 1 {
		return 0, false
	}
	at := t.lines[p.Line-1] + p.Column - 1
	return at, at <= len(t.Original)
}
