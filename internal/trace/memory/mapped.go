package memory

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/heap"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Lookup resolves an element of a map or string. Of a map that is made in the function,
// or in one around it, and a key that is known it is what was stored there last.
func (p *Reader) Lookup(v *ssa.Lookup) *value.Value {
	if _, isMap := v.X.Type().Underlying().(*types.Map); v.CommaOk || !isMap {
		return way.Lookup(p.Way, v)
	}
	made, ok := p.Way.Eval(v.X, v).Base().Site.(*ssa.MakeMap)
	key := p.Way.Eval(v.Index, v)
	if !ok || !key.Known() {
		return way.Lookup(p.Way, v)
	}
	place := p.p.Prog.Heap().At(made, nil)
	var at ssa.Instruction = v
	if v.Parent() != made.Parent() {
		at = p.p.asOf(made, place, v)
	}
	if at == nil || at.Parent() != made.Parent() || len(place.Writers()) > way.MaxElements {
		return way.Lookup(p.Way, v)
	}
	w := p.history.lastUpdates(made, key, place, at)
	switch {
	case w.unknown == writtenByCall, w.unknown == "" && len(w.stores) == 0:
		return way.Lookup(p.Way, v) // what that puts there, a zero value, or a row's family
	case w.unknown != "":
		return kind.UnknownOf(v.Type(), w.unknown)
	}
	return p.alternatives(made, w.stores, nil, nil, nil, v.Type(), at, false)
}

// lastUpdates finds what may be stored last in a map under a key.
func (p *history) lastUpdates(made *ssa.MakeMap, key *value.Value, place *heap.Place, at ssa.Instruction) (w lastWrites) {
	writes := map[ssa.Instruction]bool{}
	for _, i := range place.Writers() {
		writes[i] = true
	}
	p.back(at, func(instr ssa.Instruction) bool {
		if call, ok := instr.(ssa.CallInstruction); ok && !writes[instr] {
			if place.Written(call) {
				w.unknown = writtenByCall
			}
			return w.unknown != ""
		}
		if !writes[instr] {
			return instr == ssa.Instruction(made)
		}
		up, ok := instr.(*ssa.MapUpdate)
		if !ok {
			w.unknown = writtenByCall
			return true
		}
		to, decided := p.asked(up.Map)
		site, known := to.Base().Site.(*ssa.MakeMap)
		if decided && known && site != made {
			return false
		}
		k, sure := p.asked(up.Key)
		switch {
		case !decided || !known || !sure || !k.Known():
			w.unknown = perhapsBefore
			return true
		case k.String() != key.String():
			return false
		}
		w.stores = append(w.stores, program.Store{Val: up.Value, At: up})
		return true
	})
	return w
}
