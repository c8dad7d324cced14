package trace

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// exportedHands returns the tables with which a function calls the functions that it is
// given, as far as it opens them itself: always the same.
func (p *exporter) exportedHands(fn *ssa.Function) []summary.Hand {
	var out []summary.Hand
	for i, param := range fn.Params {
		sig, ok := param.Type().Underlying().(*types.Signature)
		if !ok {
			continue
		}
		for j := range sig.Params().Len() {
			if !kind.TableLike(sig.Params().At(j).Type()) {
				continue
			}
			if table := p.handedTable(fn, param, j); table != nil {
				out = append(out, summary.Hand{Param: i, Arg: j, Value: portable(table, fn)})
			}
		}
	}
	return out
}

// handedTable returns the one table with which a function, or a literal in it, calls its
// parameter; nil where there are several, or it is not known under which name it is opened.
func (p *exporter) handedTable(fn *ssa.Function, param *ssa.Parameter, arg int) *value.Value {
	var only *value.Value
	known := true
	var visit func(in *ssa.Function)
	visit = func(in *ssa.Function) {
		for _, call := range p.prog.Calls[in] {
			common := call.Common()
			if common.IsInvoke() || !p.holdsParameter(common.Value, param) || arg >= len(common.Args) {
				continue
			}
			n := 0
			complete := p.eval.Explore(false, 2, func(q *eval.Path) []*value.Value {
				return []*value.Value{q.Settler.Force(q.Reader.Argument(common.Args[arg], call), 4)}
			}, func(_ *eval.Path, vs []*value.Value) {
				n++
				known = known && kind.OpenedName(vs[0]) != nil && (only == nil || only.String() == vs[0].String())
				only = vs[0]
			})
			known = known && complete && n == 1
		}
		for _, literal := range in.AnonFuncs {
			visit(literal)
		}
	}
	if visit(fn); !known {
		return nil
	}
	return only
}

// holdsParameter reports whether a value is a parameter, or the variable for it that a
// literal captures.
func (p *exporter) holdsParameter(v ssa.Value, param *ssa.Parameter) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return v == ssa.Value(param)
	}
	root, path := p.prog.Address(load.X)
	stores := p.prog.Stores[root]
	return len(path) == 0 && len(stores) == 1 && stores[0].Val == ssa.Value(param)
}
