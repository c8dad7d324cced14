package trace

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// Operations of this package, as names of calls in values.
const (
	Row   = "row"   // the row that a read returned; Args[0]: the number of the read
	Cells = "cells" // the cells of family Args[1] of row Args[0]
)

// makers are the calls whose results are told apart by where they are made.
var makers = map[string]bool{
	"bigtable.NewMutation":        true,
	"bigtable.NewReadModifyWrite": true,
	btapi.NewCondMutation:         true,
	Row:                           true,
}

// made returns a new object, told apart from others like it by the site at
// which it is made: the last argument is the site's number.
func (p *path) made(name string, site any, args ...*value.Value) *value.Value {
	args = append(args, value.IntOf(p.p.site(site)))
	return &value.Value{Kind: value.Call, Name: name, Args: args, Site: site}
}

// Root returns the number of the site at which a mutation or row was made,
// or 0.
func Root(v *value.Value) int64 {
	b := v.Base()
	if b.Kind != value.Call || !makers[b.Name] || len(b.Args) == 0 {
		return 0
	}
	return b.Args[len(b.Args)-1].Num
}

// resited renumbers what a call made by way of sites in its callee, so that
// two calls make two objects. callee is nil for a function of another
// package.
func (p *program) resited(v *value.Value, call ssa.Instruction, callee *ssa.Function) *value.Value {
	if v.Kind != value.Call && len(v.Args) == 0 {
		return v
	}
	changed := false
	args := make([]*value.Value, len(v.Args))
	for i, a := range v.Args {
		args[i] = p.resited(a, call, callee)
		changed = changed || args[i] != a
	}
	if v.Kind == value.Call && makers[v.Name] && len(args) > 0 && madeIn(v.Site, callee) {
		args[len(args)-1] = value.IntOf(p.site(callSite{call, args[len(args)-1].Num, callee == nil}))
		changed = true
	}
	if !changed {
		return v
	}
	c := *v
	c.Args = args
	if makers[v.Name] {
		c.Site = call
	}
	return &c
}

// madeIn reports whether a site is one of the callee's: what a function
// literal does to its function's mutation is no new mutation.
func madeIn(site any, callee *ssa.Function) bool {
	instr, ok := site.(ssa.Instruction)
	return callee == nil || !ok || instr.Parent() == callee || within(instr.Parent(), callee)
}

// api resolves the result of a call whose meaning is known.
func (p *path) api(t target, v *ssa.Call) *value.Value {
	switch t.api {
	case btapi.ReadRow:
		return &value.Value{Kind: value.Tuple, Args: []*value.Value{p.made(Row, v), unknown("an error")}}
	case "bigtable.NewMutation", "bigtable.NewReadModifyWrite":
		return p.made(t.api, v)
	case btapi.NewCondMutation:
		return p.made(t.api, v, p.args(t, v)...)
	}
	args := p.args(t, v)
	if res, ok := v.Type().(*types.Tuple); ok {
		// Of several results the first is the value, the others errors and
		// the like.
		out := []*value.Value{value.Apply(t.api, args...)}
		for i := 1; i < res.Len(); i++ {
			out = append(out, unknownOf(res.At(i).Type(), "a further result of "+t.api))
		}
		return &value.Value{Kind: value.Tuple, Args: out}
	}
	if t.api == "fmt.Errorf" || t.api == "errors.New" {
		return &value.Value{Kind: value.Call, Name: t.api} // which error it is does not matter
	}
	r := value.Apply(t.api, args...)
	if strings.HasPrefix(t.api, "fmt.") && t.api != value.Sprint {
		return unknownOf(v.Type(), "the result of "+t.api)
	}
	return r
}

// closure resolves a function literal or a method value.
func (p *path) closure(v *ssa.MakeClosure) *value.Value {
	fn := v.Fn.(*ssa.Function)
	f := p.function(fn)
	if isBound(fn) && len(v.Bindings) == 1 {
		f.Args = []*value.Value{p.eval(v.Bindings[0], v)}
	}
	return f
}

// function resolves a function that is used as a value.
func (p *path) function(fn *ssa.Function) *value.Value {
	name := fn.Name()
	obj := object(fn)
	if obj != nil {
		if name = btapi.Func(obj); name == "" {
			name = funcKey(obj)
		}
	}
	f := &value.Value{Kind: value.Func, Name: name, Site: fn}
	if obj != nil && !p.p.hasBody(origin(fn)) && !isBound(fn) {
		f.Site = obj
		if optionType(obj.Signature()) != nil && p.p.analysed(obj) {
			f = setterOf(f, p.p.importedSets(obj), 0, nil)
		}
	} else if s := p.p.setter(fn); s != nil && !isBound(fn) {
		f = value.Setter(f, s.Keys, s.Args)
	}
	return f
}

// rowParam is the parameter by which a callback is given the rows of a read.
type rowParam struct {
	index int
	site  any // the call of the read
}

// rowOf returns the row that a read passes to its callback.
func (p *path) rowOf(site any) *value.Value { return p.made(Row, site) }

// indexRows records which function literals are callbacks of ReadRows.
func (p *program) indexRows(call ssa.CallInstruction) {
	t, ok := p.target(call.Common())
	if !ok || t.api != btapi.ReadRows || len(t.args) < 4 {
		return
	}
	switch f := t.args[3].(type) {
	case *ssa.MakeClosure:
		p.rows[f.Fn.(*ssa.Function)] = rowParam{0, call}
	case *ssa.Function:
		if f.Parent() != nil {
			p.rows[f] = rowParam{0, call}
		}
	}
}
