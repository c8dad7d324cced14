package eval

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Yielded is the operation that stands for what an iterator yields that is not known
// yet, Args[0]: the argument Args[1] of the body of the loop.
const Yielded = "yielded"

// Yielded resolves what an iterator yields once that is known: of several, what is
// chosen under a key.
func (p *Settler) Yielded(v *value.Value, key any, call ssa.Instruction) *value.Value {
	returns := p.iterated(v.Args[0])
	if len(returns) == 0 {
		return v
	}
	r, i := p.OneOf(returns, key, call), int(v.Args[1].Num)
	switch {
	case r.Kind == value.Tuple && i < len(r.Args):
		return r.Args[i]
	case r.Kind != value.Tuple && i == 0:
		return r
	}
	return v
}

// iterated lists what an iterator yields: values, or tuples; nil where that is not
// known.
func (p *Settler) iterated(iterator *value.Value) []*value.Value {
	f := iterator.Function()
	if returns := f.Returns(nil); len(returns) > 0 {
		return returns
	}
	fn, ok := f.Site.(*ssa.Function)
	if !ok || !kind.IsBound(fn) || len(f.Args) != 1 {
		return elementsOf(iterator)
	}
	t := p.p.Prog.FunctionTarget(fn, nil)
	if t.Fn == nil {
		return nil
	}
	var out []*value.Value
	for _, c := range p.eval.yields(t.Fn) {
		out = append(out, returnedWhen(c).Subst(memory.Binder(f.Args, t.Fn)))
	}
	return out
}

// Pulled returns what iter.Pull makes of an iterator: a function that returns what
// that yields.
func (p *Settler) Pulled(iterator *value.Value) *value.Value {
	unknown := value.UnknownFor("an iterator that is pulled")
	next := unknown
	var results []*value.Value
	for _, r := range p.iterated(iterator) {
		of := &value.Value{Kind: value.Tuple, Args: []*value.Value{r}}
		if r.Kind == value.Tuple {
			of.Args = slices.Clip(r.Args)
		}
		of.Args = append(of.Args, value.UnknownFor("whether an iterator has more"))
		results = append(results, of)
	}
	if len(results) > 0 {
		next = value.Literal(&value.Value{Kind: value.Func, Name: "iter.Pull"}, results)
	}
	return &value.Value{Kind: value.Tuple, Args: []*value.Value{next, unknown}}
}

// elementsOf returns what an iterator that is no function literal yields: one
// of the package slices, or the list that such a one is known as.
func elementsOf(iterator *value.Value) []*value.Value {
	switch b := iterator.Base(); {
	case b.Kind == value.List:
		return []*value.Value{value.Apply(value.Elem, b)}
	case b.Kind != value.Call || len(b.Args) == 0:
		return nil
	case b.Is("slices.Values"):
		return []*value.Value{value.Apply(value.Elem, b.Args[0])}
	case b.Is("slices.All"), b.Is("slices.Backward"):
		return []*value.Value{{Kind: value.Tuple, Args: []*value.Value{value.UnknownFor("an index"), value.Apply(value.Elem, b.Args[0])}}}
	}
	return nil
}
