package fix

import (
	"go/ast"
	"go/printer"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/lazy"
)

// Source returns the text of a node as the file has it, with its comments.
func (b *Builder) Source(n ast.Node) string {
	if text, ok := b.text(n.Pos(), n.End()); ok {
		return text
	}
	var s strings.Builder
	_ = printer.Fprint(&s, b.pass.Fset, n)
	return s.String()
}

// Arguments returns what stands between the parentheses of a call, as the file
// has it.
func (b *Builder) Arguments(call *ast.CallExpr) string {
	if text, ok := b.text(call.Lparen+1, call.Rparen); ok {
		return text
	}
	var list []string
	for _, a := range call.Args {
		list = append(list, b.Source(a))
	}
	return strings.Join(list, ", ")
}

// text returns what stands between two positions of the file.
func (b *Builder) text(from, to token.Pos) (string, bool) {
	tf := b.pass.Fset.File(b.file.FileStart)
	if b.content == nil {
		content, err := read(b.pass, tf)
		if err != nil {
			return "", false
		}
		b.content = content
	}
	return string(b.content[tf.Offset(from):tf.Offset(to)]), true
}

// Indent returns the white space with which the line of a position begins.
func (b *Builder) Indent(pos token.Pos) string {
	tf := b.pass.Fset.File(pos)
	line, _ := b.text(tf.LineStart(tf.Line(pos)), pos)
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// Lines returns the lines on which a statement stands, from the comments
// right above it to the end of its last line, and false when something else
// stands there too.
func (b *Builder) Lines(stmt ast.Stmt) (from, to token.Pos, ok bool) {
	tf := b.pass.Fset.File(stmt.Pos())
	first, last := tf.Line(stmt.Pos()), tf.Line(stmt.End())
	if last >= tf.LineCount() {
		return 0, 0, false
	}
	before, ok1 := b.text(tf.LineStart(first), stmt.Pos())
	after, ok2 := b.text(stmt.End(), tf.LineStart(last+1))
	after = strings.TrimSpace(after)
	if !ok1 || !ok2 || strings.TrimSpace(before) != "" || after != "" && !strings.HasPrefix(after, "//") {
		return 0, 0, false
	}
	for _, group := range slices.Backward(b.file.Comments) {
		if group.End() > stmt.Pos() || tf.Line(group.End()) != first-1 {
			continue
		}
		begin := tf.Line(group.Pos())
		if before, ok := b.text(tf.LineStart(begin), group.Pos()); ok && strings.TrimSpace(before) == "" {
			first = begin
		}
	}
	return tf.LineStart(first), tf.LineStart(last + 1), true
}

// Append adds an argument to a call, on a line of its own where the last one
// has lines of its own, and behind the comments of that.
func (b *Builder) Append(call *ast.CallExpr, text string) *Builder {
	last := call.Args[len(call.Args)-1]
	tf := b.pass.Fset.File(last.Pos())
	line := tf.Line(last.End())
	before, _ := b.text(tf.LineStart(tf.Line(last.Pos())), last.Pos())
	behind, ok := b.text(last.End(), call.Rparen)
	switch {
	case !ok:
	case tf.Line(call.Rparen) > line && strings.TrimSpace(before) == "":
		rest, _, _ := strings.Cut(behind, "\n")
		return b.Insert(last.End()+token.Pos(len(strings.TrimRight(rest, "\r"))), "\n"+before+text+",")
	case tf.Line(call.Rparen) == line:
		return b.Insert(call.Rparen, ", "+text)
	}
	return b.Insert(last.End(), ", "+text)
}

// Above returns where the comments begin that stand on lines of their own
// between a position and what is before it, or the position.
func (b *Builder) Above(pos, before token.Pos) token.Pos {
	tf := b.pass.Fset.File(pos)
	for _, group := range b.file.Comments {
		for _, c := range group.List {
			if before < c.Pos() && c.Pos() < pos && tf.Line(c.Pos()) > tf.Line(before) {
				return c.Pos()
			}
		}
	}
	return pos
}

// EndOfLine returns where a statement ends, with the comment behind it.
func (b *Builder) EndOfLine(stmt ast.Stmt) token.Pos {
	for _, group := range b.file.Comments {
		if between, ok := "", group.Pos() >= stmt.End(); ok {
			if between, ok = b.text(stmt.End(), group.Pos()); ok && strings.Trim(between, " \t") == "" {
				return group.List[0].End()
			}
			break
		}
	}
	return stmt.End()
}

// Move moves a statement, with its comments, before another, where each
// stands on lines of its own.
func (b *Builder) Move(stmt, before ast.Stmt) *Builder {
	from, to, ok := b.Lines(stmt)
	at, _, ok2 := b.Lines(before)
	text, ok3 := b.text(from, to)
	if !ok || !ok2 || !ok3 {
		b.wrong = true
		return b
	}
	if last, _ := b.text(to, b.file.FileEnd); strings.HasPrefix(strings.TrimLeft(last, " \t"), "}") {
		// The block does not end in an empty line.
		above, _ := b.text(at, from)
		from -= token.Pos(len(above) - len(strings.TrimRight(above, " \t\r\n")))
		to-- // its line's end stays
	}
	return b.Insert(at, text).Delete(from, to)
}

// Comments reports whether a comment stands between two positions.
func (b *Builder) Comments(from, to token.Pos) bool {
	return slices.ContainsFunc(b.file.Comments, func(g *ast.CommentGroup) bool {
		return g.Pos() < to && from < g.End()
	})
}

// keepComments reports whether all comments in what edits replace come back.
func keepComments(file *ast.File, edits []analysis.TextEdit) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			replaced := slices.ContainsFunc(edits, func(e analysis.TextEdit) bool { return e.Pos < c.End() && c.Pos() < e.End })
			if replaced && !mentions(edits, strings.TrimRight(c.Text, "\r\n")) {
				return false
			}
		}
	}
	return true
}

var generated = lazy.Regexp(`^// Code generated .* DO NOT EDIT\.$`)

// isGenerated reports whether a program wrote the file. What cgo made of a
// file is what the file is.
func isGenerated(pass *analysis.Pass, f *ast.File) bool {
	if !Translated(pass, f) {
		return ast.IsGenerated(f)
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() < f.Package && generated().MatchString(c.Text) && !strings.Contains(c.Text, "by cmd/cgo;") {
				return true
			}
		}
	}
	return false
}

// Translated reports whether the file is what cgo made of another: its
// positions are of that one, its text is not.
func Translated(pass *analysis.Pass, f *ast.File) bool {
	name := pass.Fset.Position(f.Package).Filename
	return filepath.Ext(name) == ".go" && name != pass.Fset.File(f.Package).Name()
}
