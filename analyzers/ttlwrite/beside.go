package ttlwrite

import (
	"go/ast"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// Beside cells of a family whose lifetime varies from call to call, the usual one of the
// family would be a guess, and of a family without a usual one there is none to set: what
// is meant is that the row expires together.

// maxBeside bounds the writes to one mutation among which those of a row's other cells
// are looked for.
const maxBeside = 64

// beside returns the times of expiry of other cells of the family, which are written to
// the same mutation on the same way: those that vary, or all, each with where it is
// written, nil where that is not known.
func (w write) beside(all bool) (out []ast.Expr) {
	m := w.mutations[mutationOf(w.p, w.e)]
	if m == nil {
		return nil
	}
	if len(m.sets) > maxBeside {
		return []ast.Expr{nil}
	}
	for _, e := range m.sets {
		if e == w.e || !e.Precedes(w.e) && !w.e.Precedes(e) {
			continue
		}
		wrong := func(c trace.Case) bool {
			usual, _ := value.WithoutOptions(c.Args[3])
			return w.target.Family.Agreement().Write(instant.OfTimestamp(usual)) != strategy.None
		}
		for _, c := range e.Cases {
			if family, ok := c.Args[1].IsStr(); !ok || family != w.target.Family.Name {
				continue
			}
			ts := instant.OfTimestamp(c.Args[3])
			_, exact := ts.Exact()
			switch {
			case exact && all && !wrong(c):
			case exact, wrong(c), !ts.Clock() && (ts.Kind != instant.Unknown || !c.Args[3].HasParams()):
				continue
			}
			if e.Depth > 0 || e.Fn != w.e.Fn {
				out = append(out, nil)
			} else {
				out = append(out, e.Arg(c, 3))
			}
		}
	}
	return out
}

// alike is the fix that gives the cell the time of expiry of those beside it, where that
// is one expression which means the same here.
func (w write) alike(beside []ast.Expr) *analysis.SuggestedFix {
	expr, b := w.written()
	if len(beside) == 0 || w.twice() || b == nil || w.e.Depth > 0 || !b.Timestamp(w.p.TypesInfo.TypeOf(expr)) {
		return nil
	}
	text := ""
	for _, e := range beside {
		if e == nil || !b.Has(e) || !b.Means(e, expr.Pos()) || text != "" && b.Source(e) != text {
			return nil
		}
		text = b.Source(e)
	}
	return b.Replace(expr, text).Done("Set the time of expiry of the cells beside it")
}

// twice reports whether the mutation is given another value for the same column, on the
// same way: with one timestamp for both, the first would be lost.
func (w write) twice() bool {
	m := w.mutations[mutationOf(w.p, w.e)]
	family, ok := w.c.Args[1].IsStr()
	column, named := w.c.Args[2].IsStr()
	return m != nil && ok && named && slices.ContainsFunc(m.columns[[2]string{family, column}], func(e *trace.Event) bool {
		return e != w.e && (e.Precedes(w.e) || w.e.Precedes(e))
	})
}
