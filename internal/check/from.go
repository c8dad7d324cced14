package check

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/ttlvet/ttlvet/internal/place"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Reached returns where the client's call is that an event reaches: the line, in the
// event's own file, and otherwise file:line relative to the root of the event's module.
func Reached(fset *token.FileSet, e *trace.Event) string { return seen(fset, e, e.Where) }

// seen returns a place in what an event's call runs as it is seen from the event.
func seen(fset *token.FileSet, e *trace.Event, where string) string {
	fn := e.Target.Obj
	if fn == nil || e.Node == nil {
		return where
	}
	seen, file := fset.Position(e.Node.Pos()).Filename, fset.Position(fn.Pos()).Filename
	if name, line, _ := strings.Cut(where, ":"); seen == file && strings.HasSuffix(filepath.ToSlash(seen), "/"+name) {
		return "line " + line
	}
	return place.From(seen, file, where)
}

// standsAt reports whether a node stands at a place, as file:line below the module.
func (p *Pass) standsAt(n ast.Node, where string) bool {
	pos := p.Fset.Position(n.Pos())
	return strings.HasSuffix(fmt.Sprintf("%s:%d", filepath.ToSlash(pos.Filename), pos.Line), "/"+where)
}

// inSight are the lines above a finding's that people see with it.
const inSight = 3

// madeAt returns where the value that is wrong is made in the package, the clock behind it
// read where that is what is wrong; "" on the lines of the finding, in sight above
// them, and at a place that the message names.
func (p *Pass) madeAt(f Finding, where string) string {
	made := madeBy(f.Wrong)
	if made == nil || p.standsAt(made, where) {
		return ""
	}
	at, end, pos := p.Fset.Position(f.At.Pos()), p.Fset.Position(f.At.End()), p.Fset.Position(made.Pos())
	switch {
	case at.Filename != pos.Filename:
		return place.Of(pos)
	case at.Line-inSight <= pos.Line && pos.Line <= end.Line:
		return ""
	}
	return fmt.Sprint("line ", pos.Line)
}

// madeBy returns the expression that made a value: the number that it is made of, as in
// a row of a table of policies, or the reading of the clock in it that was taken once. It
// is nil where that stands in another package.
func madeBy(v *value.Value) (made ast.Expr) {
	if v == nil {
		return nil
	}
	v.Walk(func(w *value.Value) {
		if w.Is(value.Once) {
			made = cmp.Or(made, w.Expr)
		}
	})
	if b := v.Base(); b.Kind == value.Call && len(b.Args) == 1 && b.Args[0].Base().Kind == value.Int {
		made = cmp.Or(made, b.Args[0].Expr)
	}
	return cmp.Or(made, v.Expr, v.Base().Expr)
}
