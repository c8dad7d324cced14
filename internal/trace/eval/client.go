package eval

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/helper"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// api resolves the result of a call whose meaning is known.
func (p *Path) api(t program.Target, v *ssa.Call) *value.Value {
	switch t.API {
	case btapi.ReadRow:
		return &value.Value{Kind: value.Tuple, Args: []*value.Value{p.Reader.Made(kind.Row, v), value.UnknownFor("an error")}}
	case "bigtable.NewMutation", "bigtable.NewReadModifyWrite":
		return p.Reader.Made(t.API, v)
	case btapi.NewCondMutation:
		return p.Reader.Made(t.API, v, p.Reader.Arguments(t, v).All()...)
	}
	if h := helper.Of(t.API); h != nil && h.Returns != nil {
		return firstOf(t, v, p.Settler.Settle(h.Returns.Subst(p.Reader.Arguments(t, v).Binder(nil)), v))
	}
	switch {
	case t.API == "fmt.Errorf", t.API == "errors.New":
		return &value.Value{Kind: value.Call, Name: t.API} // which error it is does not matter
	case strings.HasPrefix(t.API, "fmt.") && t.API != value.Sprint && t.API != value.Text:
		return kind.UnknownOf(v.Type(), "the result of "+t.API)
	}
	if step, ok := p.p.Prog.AtomicStep(t); ok {
		return value.Apply(value.Count, value.IntOf(step))
	}
	args := p.Reader.Arguments(t, v).All()
	if btapi.Opens(t.API) && t.Recv == nil && len(args) > 1 {
		args[1] = p.Reader.Opened(t.Args[1], args[1])
	}
	if t.API == "cmp.Or" {
		given := value.Apply(value.Where, args[0], value.Apply(value.Neq, value.It, value.ZeroOf(value.NoClass)), value.It)
		return p.Settler.Settle(value.Apply(value.Index, value.Concat(given, value.ListOf(kind.ZeroOf(v.Type()))), value.IntOf(0)), v)
	}
	if t.API == "slices.ContainsFunc" && len(args) == 2 {
		if such := p.Settler.Called(value.Apply(value.Invoke, args[1], value.It)); !such.Is(value.Invoke) {
			such = value.Apply(value.Where, args[0], such, value.It)
			return value.Apply(value.Gtr, value.Apply(value.Len, such), value.IntOf(0))
		}
	}
	if res, ok := v.Type().(*types.Tuple); ok {
		if names := partsOf[t.API]; len(names) == res.Len() {
			var out []*value.Value
			for _, name := range names {
				out = append(out, value.Apply(name, args...))
			}
			return &value.Value{Kind: value.Tuple, Args: out}
		}
	}
	return firstOf(t, v, value.Apply(t.API, args...))
}

// firstOf returns what a call returns: of several results the first is the
// value, the others errors and the like.
func firstOf(t program.Target, v *ssa.Call, first *value.Value) *value.Value {
	res, ok := v.Type().(*types.Tuple)
	if !ok {
		return first
	}
	out := []*value.Value{first}
	for i := 1; i < res.Len(); i++ {
		out = append(out, kind.UnknownOf(res.At(i).Type(), "a further result of "+t.API))
	}
	return &value.Value{Kind: value.Tuple, Args: out}
}

// partsOf names the functions that return what those with several results do.
var partsOf = map[string][]string{
	"time.Time.Date":    {"time.Time.Year", "time.Time.Month", "time.Time.Day"},
	"time.Time.Clock":   {"time.Time.Hour", "time.Time.Minute", "time.Time.Second"},
	"strings.Cut":       {value.CutBefore, value.CutAfter, value.CutFound},
	"strings.CutPrefix": {"strings.TrimPrefix", "strings.HasPrefix"},
	"strings.CutSuffix": {"strings.TrimSuffix", "strings.HasSuffix"},
}

// function resolves a function that is used as a value.
func (p *Path) function(fn *ssa.Function) *value.Value {
	name := fn.Name()
	obj := kind.Object(fn)
	if m := p.expressed(fn, obj); m != nil {
		fn = m
	}
	if obj != nil {
		if name = btapi.Func(obj); name == "" {
			name = kind.FuncKey(obj)
		}
	}
	f := &value.Value{Kind: value.Func, Name: name, Site: fn}
	if obj != nil && !p.p.Prog.HasBody(kind.Origin(fn)) && !kind.IsBound(fn) {
		f.Site = obj
		if memory.OptionType(obj.Signature()) != nil && p.p.Prog.Analysed(obj) {
			f = memory.SetterOf(f, p.p.Memory.Objects.SetsOf(program.Target{Obj: obj}), 0, nil)
		}
	} else if s := p.p.Memory.Objects.Setter(fn); s != nil && !kind.IsBound(fn) {
		f = value.Setter(f, s.Keys, s.Args)
	} else if !kind.IsBound(fn) {
		f = p.p.literal(f, fn)
	}
	if given := p.p.GivenTo(fn); given != nil && plain(f) {
		f = value.Closure(f, []string{itsMutation}, []*value.Value{given})
	}
	return f
}

// expressed returns the method for which a function stands, as (*T).f does; nil of other
// functions, and of methods of what T embeds, which are not given a T.
func (p *Path) expressed(fn *ssa.Function, obj *types.Func) *ssa.Function {
	recv := kind.Receiver(obj)
	if recv == nil || fn.Signature.Recv() != nil || kind.IsBound(fn) || fn.Signature.Params().Len() == 0 ||
		!types.Identical(kind.Deref(recv), kind.Deref(fn.Signature.Params().At(0).Type())) {
		return nil
	}
	return p.p.Prog.Pkg.Prog.FuncValue(obj)
}

// RowOf returns the row that a read passes to its callback.
func (p *Path) RowOf(site any) *value.Value { return p.Reader.Made(kind.Row, site) }
