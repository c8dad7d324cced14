package explain

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/trace"
)

// A span is the lines of the calls at a place, each from its first line to its last:
// what is told of a call is the same from each of them. The bodies of function literals
// in a call are lines of their own.
type span struct {
	file     string
	from, to int
	bodies   [][2]int
}

// spanAt returns the lines of the calls that the events at a place are, those around
// the literal in which the place lies where it has none by itself.
func spanAt(pass *analysis.Pass, events []*trace.Event, at Place) span {
	for _, around := range []bool{false, true} {
		s := span{file: at.File, from: at.Line, to: at.Line}
		for _, e := range events {
			file, from, to := lines(pass, e.Node)
			bodies := literals(pass, e.Node)
			if file == at.File && from <= at.Line && at.Line <= to && (around || !within(bodies, at.Line)) {
				s.from, s.to, s.bodies = min(s.from, from), max(s.to, to), append(s.bodies, bodies...)
			}
		}
		if around {
			s.bodies = nil
		}
		for _, e := range events {
			if s.has(pass, e.Node) {
				return s
			}
		}
	}
	return span{}
}

// has reports whether a node begins in the span.
func (s span) has(pass *analysis.Pass, n ast.Node) bool {
	file, line, _ := lines(pass, n)
	return s.line(file, line)
}

func (s span) line(file string, line int) bool {
	return file == s.file && s.from <= line && line <= s.to && !within(s.bodies, line)
}

func within(bodies [][2]int, line int) bool {
	for _, b := range bodies {
		if b[0] < line && line < b[1] {
			return true
		}
	}
	return false
}

func lines(pass *analysis.Pass, n ast.Node) (file string, from, to int) {
	begin, end := pass.Fset.Position(n.Pos()), pass.Fset.Position(n.End())
	return begin.Filename, begin.Line, end.Line
}

// literals returns the first and last lines of the function literals in a node.
func literals(pass *analysis.Pass, n ast.Node) (out [][2]int) {
	ast.Inspect(n, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncLit); ok {
			_, from, to := lines(pass, f)
			out = append(out, [2]int{from, to})
		}
		return true
	})
	return out
}
