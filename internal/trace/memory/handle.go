package memory

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Handles are the fields, variables and functions that a table, or its name,
// came through: what registries may name where the name is not known.

// ViaHandle marks a table with the field, variable or function that it came
// through; a text too, where it is not known: it may be a table's name.
func ViaHandle(key string, v *value.Value, t types.Type) *value.Value {
	if key == "" || !kind.TableLike(t) && !(kind.IsText(t) && v.Base().Kind == value.Unknown) {
		return v
	}
	return value.ViaOf(key, v)
}

// Via is viaHandle for the results of a call, of which the first is marked.
func (p *Reader) Via(key string, v *value.Value, t types.Type) *value.Value {
	results, ok := t.(*types.Tuple)
	if !ok {
		return ViaHandle(key, v, t)
	}
	if results.Len() == 0 || v.Kind != value.Tuple || len(v.Args) == 0 {
		return v
	}
	c := *v
	c.Args = append([]*value.Value{ViaHandle(key, v.Args[0], results.At(0).Type())}, v.Args[1:]...)
	return &c
}

// UnknownResult is the result of a call of which nothing is known but what was
// called. followed says whether the function's package was traced.
func (p *Reader) UnknownResult(key string, t types.Type, followed bool) *value.Value {
	reason := "the result of " + key + ", which is not known"
	results, ok := t.(*types.Tuple)
	if !ok && kind.IsText(t) && !followed {
		return kind.UnknownOf(t, reason) // os.Getenv and the like hold no name
	}
	if !ok {
		return p.Via(key, kind.UnknownOf(t, reason), t)
	}
	if results.Len() == 0 || !kind.TableLike(results.At(0).Type()) {
		return kind.UnknownOf(t, reason)
	}
	v := &value.Value{Kind: value.Tuple}
	for r := range results.Variables() {
		v.Args = append(v.Args, kind.UnknownOf(r.Type(), reason))
	}
	return p.Via(key, v, t)
}

// Opened marks the name under which a table is opened with what holds it,
// known or not: a registry that names the holder means all its names.
func (p *Reader) Opened(name ssa.Value, v *value.Value) *value.Value {
	if key := p.holder(name); key != "" {
		return value.ViaOf(key, v)
	}
	return v
}

// holder names the field, variable or function that a value is taken from.
func (p *Reader) holder(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return ""
		}
		switch addr := v.X.(type) {
		case *ssa.FieldAddr:
			return kind.FieldKey(kind.FieldOf(addr), addr.X.Type())
		case *ssa.Global:
			return addr.Pkg.Pkg.Path() + "." + addr.Name()
		}
	case *ssa.Field:
		return kind.FieldKey(kind.StructField(v.X.Type(), v.Field), v.X.Type())
	case *ssa.Convert, *ssa.MultiConvert, *ssa.ChangeType:
		return p.holder(kind.Converted(v))
	case *ssa.Extract:
		if v.Index == 0 {
			return p.holder(v.Tuple)
		}
	case *ssa.Call:
		if v.Call.IsInvoke() {
			return kind.FuncKey(v.Call.Method)
		}
		if fn := kind.CalledFunc(&v.Call); fn != nil && btapi.Func(fn) == "" {
			return kind.FuncKey(fn)
		}
	}
	return ""
}
