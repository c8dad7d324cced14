package uses

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Contents is what a value may hold.
type Contents struct {
	sites  map[string]bool
	params map[*ssa.Parameter]bool
	calls  map[*ssa.Parameter]bool // what these functions return
}

// Of returns which parameters of fn are in the contents.
func (c Contents) Of(fn *ssa.Function) []int {
	var out []int
	for i, param := range fn.Params {
		if c.params[param] {
			out = append(out, i)
		}
	}
	return out
}

func (c Contents) SortedSites() []string {
	return slices.Sorted(maps.Keys(c.sites))
}

// A back finds what things may hold by the way back.
type back struct {
	p    *Flows
	out  Contents
	seen map[thing]bool
	work []thing
}

func (p *Flows) back() *back {
	p.follow()
	return &back{p: p, out: Contents{map[string]bool{}, map[*ssa.Parameter]bool{}, map[*ssa.Parameter]bool{}}, seen: map[thing]bool{}}
}

// ContentsOf returns what a value may hold.
func (p *Flows) ContentsOf(v ssa.Value) Contents {
	b := p.back()
	b.value(v)
	return b.run()
}

func (b *back) value(v ssa.Value) { b.add(b.p.of[v]...) }

func (b *back) add(ts ...thing) {
	for _, t := range ts {
		if !b.seen[t] {
			b.seen[t] = true
			b.work = append(b.work, t)
		}
	}
}

func (b *back) run() Contents {
	for len(b.work) > 0 {
		t := b.work[len(b.work)-1]
		b.work = b.work[:len(b.work)-1]
		if t.v == nil {
			b.given(b.p.puts[t.field])
		} else if b.origin(t) {
			b.add(b.p.graph.from[t]...)
		}
	}
	return b.out
}

// origin records what a thing is by itself, and says whether it comes from others too.
func (b *back) origin(t thing) bool {
	if t.field != nil {
		return true
	}
	switch v := t.v.(type) {
	case *ssa.Alloc:
		if btapi.Type(kind.Deref(v.Type())) == "bigtable.Mutation" {
			b.out.sites[b.p.prog.Sites.Site(v)] = true
		}
	case *ssa.Parameter:
		b.parameter(v)
	case *ssa.Call:
		b.call(v, 0)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			b.call(call, v.Index)
		}
	case *ssa.FieldAddr:
		b.ofField(kind.Deref(v.X.Type()), v.Field)
	case *ssa.Field:
		b.ofField(v.X.Type(), v.Field)
	}
	if kind.ChanKey(t.v) == "" {
		return true
	}
	param, isParam := t.v.(*ssa.Parameter)
	if isParam && len(b.p.prog.Callers[param.Parent()]) > 0 {
		return true // they say what that is
	}
	for _, sent := range b.p.eval.Memory.Chans.SentOn(t.v) {
		b.value(sent.Value)
	}
	return isParam
}

// ofField adds what the package puts in a field of objects of a type of its own.
func (b *back) ofField(of types.Type, i int) {
	if name, f := kind.StructName(types.NewPointer(of)), kind.StructField(of, i); name != nil && f != nil && b.p.prog.Owns(name) {
		b.add(b.p.inField[f]...)
	}
}

// parameter adds a parameter: of a literal what the calls in view give.
func (b *back) parameter(v *ssa.Parameter) {
	b.out.params[v] = true
	if v.Parent().Parent() == nil {
		return
	}
	for _, a := range b.p.prog.Given(v) {
		b.value(a)
	}
}

// held returns what a result of a function may hold.
func (p *Flows) held(r resultOf) Contents {
	if c, ok := p.holds[r]; ok {
		return c
	}
	p.holds[r] = Contents{}
	b := p.back()
	for _, ret := range kind.ReturnsOf(r.fn) {
		b.value(ret.Results[r.index])
	}
	p.holds[r] = b.run()
	return p.holds[r]
}

// given follows what a call puts in its argument.
func (b *back) given(g given) {
	for _, t := range b.p.eval.Targets(g.call) {
		if t.Recv != nil || g.index >= len(t.Args) {
			continue
		}
		for _, fl := range b.p.flowsInto(t, g.index) {
			switch {
			case fl.From < 0:
				b.out.sites[b.p.prog.Sites.Site(program.CallSite{Call: g.call, ID: fl.Site, Foreign: t.Fn == nil})] = true
			case fl.From < len(t.Args):
				b.value(t.Args[fl.From])
			}
		}
	}
}

// call follows one of the results of a call.
func (b *back) call(v *ssa.Call, index int) {
	if _, ok := v.Call.Value.(*ssa.Builtin); ok {
		return
	}
	if param, ok := v.Call.Value.(*ssa.Parameter); ok && !v.Call.IsInvoke() && param.Parent().Parent() == nil && len(b.p.prog.Callers[param.Parent()]) > 0 {
		b.out.calls[param] = true
		return // its callers say which function that is
	}
	targets := b.p.eval.Targets(v)
	if len(targets) == 0 {
		for _, fn := range b.p.prog.Heap().Calls(v) {
			targets = append(targets, b.p.prog.FunctionTarget(fn, v.Call.Args))
		}
	}
	for _, t := range targets {
		switch {
		case t.API != "":
			if kind.Makers[t.API] {
				b.out.sites[b.p.prog.Sites.Site(v)] = true
			}
		case t.Fn != nil:
			b.returned(v, t, b.p.held(resultOf{t.Fn, index}))
		case t.Obj != nil:
			if s := b.p.prog.Imported(t.Obj); s != nil {
				b.imported(v, t, s, index)
			}
		}
	}
}

// returned adds what a function of this package returns.
func (b *back) returned(v *ssa.Call, t program.Target, c Contents) {
	for id := range c.sites {
		b.out.sites[b.p.prog.Sites.Site(program.CallSite{Call: v, ID: id, Foreign: false})] = true
	}
	for i, param := range t.Fn.Params {
		switch {
		case t.Recv != nil || i >= len(t.Args):
		case c.params[param]:
			b.value(t.Args[i])
		case c.calls[param]:
			b.returnedBy(v, t.Args[i])
		}
	}
}

// returnedBy adds what a function returns that a call is given.
func (b *back) returnedBy(v *ssa.Call, given ssa.Value) {
	fn := functionOf(b.p.prog, given)
	if fn == nil {
		return
	}
	for i := range fn.Signature.Results().Len() {
		if interesting(fn.Signature.Results().At(i).Type()) {
			b.returned(v, b.p.prog.FunctionTarget(fn, nil), b.p.held(resultOf{fn, i}))
		}
	}
}

// imported adds what a function of another package returns; of a generic one, what the
// literals return that it is given.
func (b *back) imported(v *ssa.Call, t program.Target, s *summary.Summary, index int) {
	if t.Obj.Signature().TypeParams() != nil {
		for _, a := range t.Args {
			b.returnedBy(v, a)
		}
	}
	for _, c := range s.Results.Cases() {
		if index >= len(c.Values) {
			continue
		}
		c.Values[index].Walk(func(w *value.Value) {
			if id := kind.Root(w); id != "" {
				b.out.sites[b.p.prog.Sites.Site(program.CallSite{Call: v, ID: id, Foreign: true})] = true
			}
			if w.Kind == value.Param && int(w.Num) < len(t.Args) {
				b.value(t.Args[w.Num])
			}
		})
	}
}
