package uses

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// What functions hold and put in what they are given, for [back].

// flowsInto returns what a target puts in one of its arguments.
func (p *Flows) flowsInto(t program.Target, to int) []summary.Flow {
	var all []summary.Flow
	switch {
	case t.Fn != nil:
		all = p.Of(t.Fn)
	case t.Obj != nil:
		if s := p.prog.Imported(t.Obj); s != nil {
			all = s.Flows
		}
	}
	var out []summary.Flow
	for _, fl := range all {
		if fl.To == to {
			out = append(out, fl)
		}
	}
	return out
}

// Of returns what a function of this package puts in its parameters.
func (p *Flows) Of(fn *ssa.Function) []summary.Flow {
	if flows, ok := p.flowing[fn]; ok {
		return flows
	}
	p.flowing[fn] = nil // recursion adds nothing
	var out []summary.Flow
	for to, param := range fn.Params {
		if _, isPtr := param.Type().Underlying().(*types.Pointer); !isPtr || !kind.Interesting(param.Type(), 4) {
			continue
		}
		b := p.back()
		for _, put := range p.of[param] {
			b.add(p.graph.from[put]...)
		}
		into := b.run()
		for _, from := range into.Of(fn) {
			if from != to {
				out = append(out, summary.Flow{From: from, To: to})
			}
		}
		for _, id := range into.SortedSites() {
			out = append(out, summary.Flow{From: -1, Site: id, To: to})
		}
	}
	p.flowing[fn] = out
	return out
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
		}
	}
}

// returned adds what a function of this package returns.
func (b *back) returned(v *ssa.Call, t program.Target, c Contents) {
	for id := range c.sites {
		b.out.sites[b.p.prog.Sites.Site(program.CallSite{Call: v, ID: id, Foreign: false})] = true
	}
	for _, i := range c.Of(t.Fn) {
		if t.Recv == nil && i < len(t.Args) {
			b.value(t.Args[i])
		}
	}
}
