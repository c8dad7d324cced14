package uses

import (
	"go/token"
	"go/types"
	"sort"

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
}

// A resultOf is one of a function's results.
type resultOf struct {
	fn    *ssa.Function
	index int
}

// A given is an object that a call is given, as argument number index.
type given struct {
	call  ssa.CallInstruction
	index int
}

// A location is a place in memory that holds a pointer to an object.
type location struct {
	root ssa.Value
	path string
}

// A flow follows what one value may hold.
type flow struct {
	p    *Flows
	out  Contents
	seen map[ssa.Value]bool
	locs map[location]bool
}

func (p *Flows) newFlow() *flow {
	return &flow{p: p, out: Contents{map[string]bool{}, map[*ssa.Parameter]bool{}}, seen: map[ssa.Value]bool{}, locs: map[location]bool{}}
}

// ContentsOf returns what a value may hold.
func (p *Flows) ContentsOf(v ssa.Value) Contents {
	f := p.newFlow()
	f.value(v)
	return f.out
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
	var ids []string
	for id := range c.sites {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return ids
}

// value follows what v is or holds.
func (f *flow) value(v ssa.Value) {
	if f.seen[v] || !kind.Interesting(v.Type(), 4) && !kind.IsTuple(v.Type()) {
		return
	}
	f.seen[v] = true
	f.fills(location{root: v})
	if kind.ChanKey(v) != "" && f.channel(v) {
		return
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		f.parameter(v)
	case *ssa.FreeVar:
		if b := f.p.Binding(v); b != nil {
			f.value(b)
		}
	case *ssa.Phi:
		for _, e := range v.Edges {
			f.value(e)
		}
	case *ssa.Call:
		f.call(v, 0)
	case *ssa.Extract:
		f.extract(v)
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			f.memory(v.X)
		case token.ARROW:
			f.value(v.X) // what it carries
		}
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global:
		f.memory(v)
	case *ssa.Alloc:
		if btapi.Type(kind.Deref(v.Type())) == "bigtable.Mutation" {
			f.out.sites[f.p.Site(v)] = true
		}
		f.memory(v)
	case *ssa.Field, *ssa.Index, *ssa.Lookup, *ssa.Slice, *ssa.ChangeType, *ssa.MakeInterface, *ssa.TypeAssert:
		f.value(*v.(ssa.Instruction).Operands(nil)[0]) // what it is a part of, or is called otherwise
	case *ssa.MakeSlice, *ssa.MakeMap:
		f.elements(v)
	}
}

// parameter follows a parameter: of a literal to the calls in view.
func (f *flow) parameter(v *ssa.Parameter) {
	f.out.params[v] = true
	fn := v.Parent()
	if fn.Parent() != nil {
		for _, call := range f.p.Callers[fn] {
			if i := len(call.Common().Args) - len(fn.Params) + kind.ParamIndex(v); i >= 0 && i < len(call.Common().Args) {
				f.value(call.Common().Args[i])
			}
		}
	}
}

// channel follows what is sent on a channel; false where its function's callers
// say what that is.
func (f *flow) channel(v ssa.Value) bool {
	if param, ok := v.(*ssa.Parameter); ok && len(f.p.Callers[param.Parent()]) > 0 {
		return false
	}
	for _, sent := range f.p.SentOn(v) {
		f.value(sent.Value)
	}
	_, isParam := v.(*ssa.Parameter)
	return !isParam
}

func (f *flow) extract(v *ssa.Extract) {
	switch t := v.Tuple.(type) {
	case *ssa.Call:
		f.call(t, v.Index)
	case *ssa.Next:
		if r, ok := t.Iter.(*ssa.Range); ok {
			f.value(r.X)
		}
	case *ssa.Select:
		for _, s := range t.States {
			if s.Dir == types.RecvOnly {
				f.value(s.Chan)
			}
		}
	default:
		f.value(v.Tuple)
	}
}

// elements follows what is stored in the elements of a new slice or map.
func (f *flow) elements(v ssa.Value) {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.IndexAddr:
			for _, s := range f.p.Stores[r] {
				f.value(s.Val)
			}
		case *ssa.MapUpdate:
			f.value(r.Value)
		case *ssa.Store:
			if root, _ := f.p.Address(r.Addr); r.Val == v {
				for _, up := range f.p.MapUpdates[root] {
					f.value(up.Value)
				}
			}
		}
	}
}

// memory follows what is stored at an address, or in the object there.
func (f *flow) memory(addr ssa.Value) {
	root, path := f.p.Address(addr)
	for _, s := range f.p.Stores[root] {
		if s.Path.HasPrefix(path) || path.HasPrefix(s.Path) {
			f.value(s.Val)
		}
	}
	for _, up := range f.p.MapUpdates[root] {
		f.value(up.Value)
	}
	f.fills(location{root, pathKey(path)})
	if ia, ok := root.(*ssa.IndexAddr); ok { // an element of a slice
		f.value(ia.X)
	}
	if len(path) == 0 {
		return
	}
	switch root := root.(type) {
	case *ssa.Alloc, *ssa.Global:
		f.fills(location{root: root})
	default:
		f.value(root)
		f.field(kind.Deref(root.Type()), path[0])
	}
}

// field follows what the package stores in a field of objects of a type.
func (f *flow) field(t types.Type, index int) {
	name, field := kind.StructName(t), kind.StructField(t, index)
	if name == nil || field == nil || !f.p.Owns(name) {
		return
	}
	loc := location{path: name.Name() + "." + field.Name()}
	if f.locs[loc] {
		return
	}
	f.locs[loc] = true
	for _, s := range f.p.Fields[field] {
		f.value(s.Val)
	}
	for _, a := range f.p.Created[name] {
		for _, s := range f.p.Stores[a] {
			if len(s.Path) > 0 && s.Path[0] == index {
				f.value(s.Val)
			}
		}
	}
	f.filled(loc)
}

// fills follows what is put in the object that a location points to.
func (f *flow) fills(loc location) {
	if !f.locs[loc] {
		f.locs[loc] = true
		f.filled(loc)
	}
}

func (f *flow) filled(loc location) {
	fillings := f.p.fillings()[loc]
	if fillings == nil {
		return
	}
	for _, v := range fillings.stored {
		f.value(v)
	}
	for _, g := range fillings.given {
		f.given(g)
	}
}

// given follows what a call puts in its argument.
func (f *flow) given(g given) {
	for _, t := range f.p.Targets(g.call) {
		if t.Recv != nil || g.index >= len(t.Args) {
			continue
		}
		for _, fl := range f.p.flowsInto(t, g.index) {
			switch {
			case fl.From < 0:
				f.out.sites[f.p.Site(program.CallSite{Call: g.call, ID: fl.Site, Foreign: t.Fn == nil})] = true
			case fl.From < len(t.Args):
				f.value(t.Args[fl.From])
			}
		}
	}
}

// call follows one of the results of a call.
func (f *flow) call(v *ssa.Call, index int) {
	if b, ok := v.Call.Value.(*ssa.Builtin); ok {
		if b.Name() == "append" {
			for _, a := range v.Call.Args {
				f.value(a)
			}
		}
		return
	}
	targets := f.p.Targets(v)
	if len(targets) == 0 {
		targets = f.p.ofItsType(&v.Call)
	}
	for _, t := range targets {
		switch {
		case t.API != "":
			if kind.Makers[t.API] {
				f.out.sites[f.p.Site(v)] = true
			}
		case t.Fn != nil:
			f.returned(v, t, f.p.held(resultOf{t.Fn, index}))
		case t.Obj != nil:
			if s := f.p.Imported(t.Obj); s != nil {
				f.imported(v, t, s, index)
			}
		}
	}
}

// returned adds what a function of this package returns.
func (f *flow) returned(v *ssa.Call, t program.Target, c Contents) {
	for id := range c.sites {
		f.out.sites[f.p.Site(program.CallSite{Call: v, ID: id, Foreign: false})] = true
	}
	for _, i := range c.Of(t.Fn) {
		if t.Recv == nil && i < len(t.Args) {
			f.value(t.Args[i])
		}
	}
}

// imported adds what a function of another package returns.
func (f *flow) imported(v *ssa.Call, t program.Target, s *summary.Summary, index int) {
	for _, c := range s.Results {
		if index >= len(c.Values) {
			continue
		}
		c.Values[index].Walk(func(w *value.Value) {
			if id := kind.Root(w); id != "" {
				f.out.sites[f.p.Site(program.CallSite{Call: v, ID: id, Foreign: true})] = true
			}
			if w.Kind == value.Param && int(w.Num) < len(t.Args) {
				f.value(t.Args[w.Num])
			}
		})
	}
}
