package memory

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Sets returns what a function of this package sets of what its parameters point to.
func (p *Objects) Sets(fn *ssa.Function) []summary.FieldSet {
	if s, ok := p.settings[fn]; ok {
		return s
	}
	p.settings[fn] = nil // recursion adds nothing
	var out []summary.FieldSet
	for i, param := range fn.Params {
		if !kind.IsPointer(param.Type()) {
			continue
		}
		byField := ByField(p.Touches(param))
		if len(byField[whole]) > 0 || len(byField) > 0 && !hasFields(param.Type()) {
			out = append(out, summary.FieldSet{Param: i, Field: whole})
			continue // what it is, the function's results say
		}
		for _, field := range slices.Sorted(maps.Keys(byField)) {
			if field == value.AnyField && btapi.IsRootType(param.Type()) && !p.sets(kind.StructName(param.Type())) {
				continue // the client's objects are not changed by whoever has them
			}
			set := summary.FieldSet{Param: i, Field: field}
			if ts := byField[field]; len(ts) == 1 && (len(byField) == 1 || len(byField[value.AnyField]) == 0) && tells(param.Type(), field) {
				p.values.SetOnce(fn, ts[0], &set)
			}
			out = append(out, set)
		}
	}
	p.settings[fn] = out
	return out
}

// whole is the field of a [Touch], and of a [summary.FieldSet], of what a pointer points to
// itself.
const whole = ""

// hasFields reports whether what a pointer points to may be a struct.
func hasFields(t types.Type) bool {
	_, generic := types.Unalias(kind.Deref(t)).(*types.TypeParam)
	return generic || kind.StructName(t) != nil
}

// Leaves lists the parameters by way of which a function of this package stores something
// where they themselves point to, as far as that can tell a rule anything.
func (p *Objects) Leaves(fn *ssa.Function) (params []int) {
	for _, s := range p.Sets(fn) {
		if t := kind.Deref(fn.Params[s.Param].Type()); s.Field == whole && (Meaningful(t, 3) || kind.IsBool(t)) {
			params = append(params, s.Param)
		}
	}
	return params
}

// wholly returns what a call does that stores something where one of its arguments points
// to, and nothing else there; nil of others.
func (p *Objects) wholly(addr ssa.Value, instr ssa.Instruction) *Touch {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return nil
	}
	ts := p.touchesByCall(addr, call)
	if len(ts) != 1 || ts[0].Set == nil || ts[0].Set.Field != whole {
		return nil
	}
	return &ts[0]
}

// isSource reports whether a function returns what can tell a rule anything: a
// clock.
func isSource(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && sig.Results().Len() > 0 && Meaningful(sig.Results().At(0).Type(), 3)
}

// tells reports whether the value of a field can tell a rule anything, by
// itself or in a condition.
func tells(t types.Type, field string) bool {
	f, _ := kind.FieldNamed(kind.Deref(t), field)
	return f == nil || Meaningful(f.Type(), 3) || kind.IsBool(f.Type()) || types.IsInterface(f.Type()) || isSource(f.Type())
}
