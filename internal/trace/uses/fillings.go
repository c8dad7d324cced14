package uses

import (
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// What functions hold and put in what they are given, for [flow].

// flowsInto returns what a target puts in one of its arguments.
func (p *Flows) flowsInto(t program.Target, to int) []summary.Flow {
	var all []summary.Flow
	switch {
	case t.Fn != nil:
		all = p.Of(t.Fn)
	case t.Obj != nil:
		if s := p.Imported(t.Obj); s != nil {
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
		f := p.newFlow()
		f.seen[param] = true
		for _, s := range p.Stores[param] {
			f.value(s.Val)
		}
		f.fills(location{root: param})
		for _, from := range f.out.Of(fn) {
			if from != to {
				out = append(out, summary.Flow{From: from, To: to})
			}
		}
		for _, id := range f.out.SortedSites() {
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
	f := p.newFlow()
	for _, b := range r.fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && r.index < len(ret.Results) {
			f.value(ret.Results[r.index])
		}
	}
	p.holds[r] = f.out
	return f.out
}

// ofItsType returns the functions that a call of a value of a named function
// type may run: those of this package that have it and are used as values
// here. What other packages pass is not known.
func (p *Flows) ofItsType(common *ssa.CallCommon) []program.Target {
	named, ok := types.Unalias(common.Value.Type()).(*types.Named)
	if !ok || common.IsInvoke() || named.Obj().Pkg() != p.Pass.Pkg {
		return nil
	}
	var out []program.Target
	for _, fn := range p.Funcs {
		if !p.Taken[kind.Origin(fn)] {
			continue
		}
		sig := types.NewSignatureType(nil, nil, nil, fn.Signature.Params(), fn.Signature.Results(), fn.Signature.Variadic())
		if types.Identical(sig, named.Underlying()) {
			args := common.Args
			if fn.Signature.Recv() != nil {
				args = append([]ssa.Value{ssa.NewConst(nil, fn.Params[0].Type())}, args...)
			}
			out = append(out, program.Target{Fn: fn, Args: args})
		}
	}
	return out
}

// fillings are what is put in an object by way of a pointer to it: the calls
// that are given it, and what is stored in its parts.
type fillings struct {
	given  []given
	stored []ssa.Value
}

// fillings lists what is put in objects, by where the pointers to them are.
func (p *Flows) fillings() map[location]*fillings {
	if p.filled != nil {
		return p.filled
	}
	p.filled = map[location]*fillings{}
	for _, fn := range p.Funcs {
		for _, call := range p.Calls[fn] {
			for _, t := range p.Targets(call) {
				if t.API != "" {
					continue
				}
				for i, a := range t.Args {
					if kind.IsPointer(a.Type()) && kind.Interesting(a.Type(), 4) {
						p.fill(a, fillings{given: []given{{call, i}}}, map[ssa.Value]bool{})
					}
				}
			}
		}
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if s, ok := instr.(*ssa.Store); ok && kind.Interesting(s.Val.Type(), 4) {
					root, path := p.Address(s.Addr)
					if ia, ok := root.(*ssa.IndexAddr); ok { // an element of a slice
						p.fill(ia.X, fillings{stored: []ssa.Value{s.Val}}, map[ssa.Value]bool{})
					}
					if len(path) > 0 {
						p.fill(root, fillings{stored: []ssa.Value{s.Val}}, map[ssa.Value]bool{})
					}
				}
			}
		}
	}
	return p.filled
}

// fill records what is put in the object that v points to.
func (p *Flows) fill(v ssa.Value, with fillings, seen map[ssa.Value]bool) {
	if seen[v] {
		return
	}
	seen[v] = true
	record := func(loc location) {
		f := p.filled[loc]
		if f == nil {
			f = &fillings{}
			p.filled[loc] = f
		}
		f.given = append(f.given, with.given...)
		f.stored = append(f.stored, with.stored...)
	}
	switch x := v.(type) {
	case *ssa.Phi:
		for _, e := range x.Edges {
			p.fill(e, with, seen)
		}
		return
	case *ssa.UnOp:
		v = x.X
	}
	root, path := p.Address(v)
	record(location{root, pathKey(path)})
	if len(path) > 0 {
		t := kind.Deref(root.Type())
		if name, field := kind.StructName(t), kind.StructField(t, path[0]); name != nil && field != nil && p.Owns(name) {
			record(location{path: name.Name() + "." + field.Name()})
		}
	}
}

func pathKey(path kind.PathTo) string {
	key := ""
	for _, step := range path {
		key += "." + strconv.Itoa(step)
	}
	return key
}
