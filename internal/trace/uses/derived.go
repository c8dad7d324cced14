package uses

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// What helpers make of a cell — the column without its family, the time behind
// it — is followed to the deletions that it names, in them and in who calls them.

// onlyNames reports whether a call that is given cells does no more with them than
// to delete them or to name what is deleted.
func (p *Sweeps) onlyNames(t program.Target, call ssa.CallInstruction) bool {
	switch {
	case t.Recv != nil:
		return false
	case t.Fn != nil:
		return p.follows(t.Fn, func() bool { return p.onlyDeletesCells(t.Fn) }) && p.resultNamesDeleted(call, 8)
	case t.Obj != nil:
		return p.namesElsewhere(t, call, 8)
	}
	return false
}

// passes reports whether a call of a function of the program does no more with what
// it is given than to delete it or to name what is deleted.
func (p *Sweeps) passes(v ssa.Value, t program.Target, call *ssa.Call, depth int) bool {
	switch {
	case t.Recv != nil:
		return false
	case t.Fn != nil:
		for i, a := range t.Args {
			if a == v && (i >= len(t.Fn.Params) || !p.follows(t.Fn, func() bool { return p.onlyNamesDeleted(t.Fn.Params[i], depth-1) })) {
				return false
			}
		}
		return p.resultNamesDeleted(call, depth-1)
	case t.Obj != nil:
		return p.namesElsewhere(t, call, depth-1)
	}
	return false
}

// follows asks something of a function whose results are followed where it is
// called.
func (p *Sweeps) follows(fn *ssa.Function, ask func() bool) bool {
	if p.followed[fn] {
		return true // of one that calls itself the rest decides
	}
	p.followed[fn] = true
	defer delete(p.followed, fn)
	return ask()
}

// resultNamesDeleted reports whether the results of a call, those aside that tell
// only whether or how often, go into deletions and conditions only. What cells
// there are among them is looked at where they are used.
func (p *Sweeps) resultNamesDeleted(call ssa.CallInstruction, depth int) bool {
	v := call.Value()
	if v == nil {
		return true // go and defer
	}
	results, several := v.Type().(*types.Tuple)
	if !several {
		return tellsNothing(v.Type()) || p.onlyNamesDeleted(v, depth)
	}
	for _, r := range *v.Referrers() {
		if part, ok := r.(*ssa.Extract); ok && !tellsNothing(results.At(part.Index).Type()) && !p.onlyNamesDeleted(part, depth) {
			return false
		}
	}
	return true
}

// tellsNothing reports whether a result of that type says nothing of what a cell
// holds, or is one.
func tellsNothing(t types.Type) bool {
	return kind.IsError(t) || kind.IsBool(t) || types.Identical(t, types.Typ[types.Int]) || kind.CarriesCells(t) || isMutation(t)
}

// isMutation reports whether what is made of cells is what deletes them.
func isMutation(t types.Type) bool { return btapi.Type(t) == "bigtable.Mutation" }

// namesElsewhere reports whether a function of another package that is traced is
// given no more than names, times or cells, and does nothing that is known but to
// delete, or to return a name or time of what is deleted.
func (p *Sweeps) namesElsewhere(t program.Target, call ssa.CallInstruction, depth int) bool {
	if !p.Analysed(t.Obj) {
		return false
	}
	var effects []summary.Effect
	if s := p.Imported(t.Obj); s != nil {
		effects = s.Effects
	}
	if slices.ContainsFunc(effects, func(e summary.Effect) bool {
		return strings.HasPrefix(e.Op, "bigtable.") && !deletions[e.Op] && e.Op != "bigtable.Timestamp()" || e.Op == "store time"
	}) {
		return false
	}
	results := t.Obj.Signature().Results()
	return (len(effects) > 0 || results.Len() > 0 && names(results.At(0).Type())) && p.resultNamesDeleted(call, depth)
}

// names reports whether values of a type are names or times, or an iterator over
// such.
func names(t types.Type) bool {
	if yielded := kind.Yielded(t); yielded != nil && yielded.Len() > 0 {
		t = yielded.At(0).Type()
	}
	return kind.IsText(t) || kind.ClassOf(t) != 0
}
