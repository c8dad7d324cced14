package main

import (
	"bytes"
	"cmp"
	"go/token"
	"os"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// A translation maps what cgo made of a file to the file. cgo copies what is
// not C and leaves positions of the file in what it makes.
type translation struct {
	fset     *token.FileSet
	file     *token.File // what cgo made
	text     []byte      // of file
	name     string      // of the file that it was made of
	original []byte
	lines    []int // where the lines of original begin
}

// translationOf returns the translation of a file of the finding's package,
// or nil if it is none.
func translationOf(f *finding, file *token.File) *translation {
	syntax := syntaxOf(f, file.Name())
	if syntax == nil {
		return nil
	}
	name := f.pkg.Fset.Position(syntax.Package).Filename
	if name == file.Name() || !slices.Contains(f.pkg.GoFiles, name) {
		return nil
	}
	text, err := os.ReadFile(file.Name())
	original, err2 := os.ReadFile(name)
	if err != nil || err2 != nil || len(text) != file.Size() {
		return nil
	}
	t := &translation{fset: f.pkg.Fset, file: file, text: text, name: name, original: original, lines: []int{0}}
	for i, b := range original {
		if b == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// A placedEdit is an edit of a file as it lies there, whatever //line says.
type placedEdit struct {
	from, to token.Position
	text     string
}

// placed returns the edits of a fix, and false when they are of what cgo made
// and of no file.
func (f *finding) placed(fix analysis.SuggestedFix) ([]placedEdit, bool) {
	var list []placedEdit
	for _, e := range fix.TextEdits {
		fset, pos, end := f.pkg.Fset, e.Pos, cmp.Or(e.End, e.Pos)
		p := placedEdit{fset.PositionFor(pos, false), fset.PositionFor(end, false), string(e.NewText)}
		file := fset.File(pos)
		if t := translationOf(f, file); t != nil {
			own, ok := t.edit(edit{file.Offset(pos), file.Offset(end), p.text})
			if !ok {
				return nil, false
			}
			p.from, p.to = fset.Position(pos), fset.Position(end)
			p.from.Offset, p.to.Offset = own.start, own.end
		}
		list = append(list, p)
	}
	return list, true
}

// edit returns an edit of what cgo made as one of the file, if what it
// replaces, and what is beside, is there as it is here.
func (t *translation) edit(e edit) (edit, bool) {
	start, ok := t.offset(e.start)
	end, ok2 := t.offset(e.end)
	if !ok || !ok2 || end-start != e.end-e.start || !bytes.Equal(t.text[e.start:e.end], t.original[start:end]) {
		return edit{}, false
	}
	const beside = 2
	before, after := max(e.start-beside, 0), min(e.end+beside, len(t.text))
	if start < e.start-before || end+after-e.end > len(t.original) {
		return edit{}, false
	}
	if !bytes.Equal(t.text[before:e.start], t.original[start-(e.start-before):start]) ||
		!bytes.Equal(t.text[e.end:after], t.original[end:end+after-e.end]) {
		return edit{}, false
	}
	return edit{start, end, e.text}, true
}

// offset returns where in the file a place of what cgo made is.
func (t *translation) offset(i int) (int, bool) {
	p := t.fset.Position(t.file.Pos(i))
	if p.Filename != t.name || p.Line < 1 || p.Line > len(t.lines) || p.Column < 1 {
		return 0, false
	}
	at := t.lines[p.Line-1] + p.Column - 1
	return at, at <= len(t.original)
}
