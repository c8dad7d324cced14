package directive

import (
	"go/ast"
	"go/token"
)

// A layout says what stands on which line of a file.
type layout struct {
	file      *token.File
	lines     []line                         // by number
	documents map[*ast.CommentGroup]ast.Node // the declarations that comments stand above
}

// A line is what code there is on one line, comments left out.
type line struct {
	first     token.Pos // where the first node begins that begins there
	ended     token.Pos // where the first node ends that ends there
	node      ast.Node  // the outermost node that begins there
	statement token.Pos // where the last ends of the statements that begin there and hold no others
	next      int       // the first line below on which not only a comment stands
}

// layOut lays out a file.
func layOut(tf *token.File, f *ast.File) *layout {
	l := &layout{file: tf, lines: make([]line, tf.LineCount()+2), documents: map[*ast.CommentGroup]ast.Node{}}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.Comment, *ast.CommentGroup:
			return false
		case *ast.File:
			return true
		case *ast.FuncDecl:
			l.documents[n.Doc] = n
		case *ast.GenDecl:
			l.documents[n.Doc] = n
		}
		l.add(n)
		return true
	})
	delete(l.documents, nil)
	comments := make([]bool, len(l.lines))
	for _, g := range f.Comments {
		for _, c := range g.List {
			if n := l.line(c.Pos()); l.lines[n].first == token.NoPos || c.Pos() < l.lines[n].first {
				comments[n] = true
			}
		}
	}
	below := len(l.lines) - 1
	for n := len(l.lines) - 2; n >= 0; n-- {
		l.lines[n].next = below
		if !comments[n] || n >= tf.LineCount() {
			below = n
		}
	}
	return l
}

// add notes where a node begins and ends. Nodes come from the outside inwards.
func (l *layout) add(n ast.Node) {
	if !n.Pos().IsValid() || !n.End().IsValid() {
		return
	}
	begin := &l.lines[l.line(n.Pos())]
	if begin.node == nil {
		begin.node = n
	}
	if begin.first == token.NoPos || n.Pos() < begin.first {
		begin.first = n.Pos()
	}
	at := l.line(n.End())
	if end := &l.lines[at]; n.End() > l.file.LineStart(at) && (end.ended == token.NoPos || n.End() < end.ended) {
		end.ended = n.End()
	}
	if s, ok := n.(ast.Stmt); ok && simple(s) {
		if _, block := s.(*ast.BlockStmt); !block {
			begin.statement = max(begin.statement, s.End())
		}
	}
}

// alone reports whether nothing stands before a comment on its line.
func (l *layout) alone(c *ast.Comment) bool {
	on := l.lines[l.line(c.Pos())]
	return (on.first == token.NoPos || on.first >= c.Pos()) && (on.ended == token.NoPos || on.ended > c.Pos())
}

// line returns the line of a position in the file itself, whatever //line comments
// make of it.
func (l *layout) line(pos token.Pos) int { return l.file.PositionFor(pos, false).Line }
