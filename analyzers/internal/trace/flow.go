package trace

import (
	"go/token"
	"go/types"
	"sort"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// Which mutations may be in a container — a slice, a map, a struct with a
// method that adds to it, a channel — when it is applied to a table. It errs
// towards more: order, branches and indexes do not count, nor do the objects
// of a type whose fields several functions set. What comes of it says only to
// which tables a mutation may go, never that it does.

// A Flow is what a function puts in one of its parameters, receiver first:
// what another parameter is or holds, or, where From is −1, the mutation that
// it makes at a site.
type Flow struct {
	From int
	Site int64
	To   int
}

// contents is what a value may hold.
type contents struct {
	sites  map[int64]bool
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
	p    *program
	out  contents
	seen map[ssa.Value]bool
	locs map[location]bool
}

func (p *program) newFlow() *flow {
	return &flow{p: p, out: contents{map[int64]bool{}, map[*ssa.Parameter]bool{}}, seen: map[ssa.Value]bool{}, locs: map[location]bool{}}
}

// contentsOf returns what a value may hold.
func (p *program) contentsOf(v ssa.Value) contents {
	f := p.newFlow()
	f.value(v)
	return f.out
}

// of returns which parameters of fn are in the contents.
func (c contents) of(fn *ssa.Function) []int {
	var out []int
	for i, param := range fn.Params {
		if c.params[param] {
			out = append(out, i)
		}
	}
	return out
}

func (c contents) sortedSites() []int64 {
	var ids []int64
	for id := range c.sites {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	return ids
}

// value follows what v is or holds.
func (f *flow) value(v ssa.Value) {
	if f.seen[v] || !interesting(v.Type(), 4) && !isTuple(v.Type()) {
		return
	}
	f.seen[v] = true
	f.fills(location{root: v})
	switch v := v.(type) {
	case *ssa.Parameter:
		f.parameter(v)
	case *ssa.FreeVar:
		if b := f.p.binding(v); b != nil {
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
			for _, sent := range f.p.sends[f.p.chanKey(v.X)] {
				f.value(sent)
			}
		}
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global:
		f.memory(v)
	case *ssa.Alloc:
		if btapi.Type(deref(v.Type())) == "bigtable.Mutation" {
			f.out.sites[f.p.site(v)] = true
		}
		f.memory(v)
	case *ssa.Field, *ssa.Index, *ssa.Lookup, *ssa.Slice, *ssa.ChangeType, *ssa.MakeInterface, *ssa.TypeAssert:
		f.value(*v.(ssa.Instruction).Operands(nil)[0]) // what it is a part of, or is called otherwise
	case *ssa.MakeSlice, *ssa.MakeMap:
		f.elements(v)
	}
}

func isTuple(t types.Type) bool {
	_, ok := t.(*types.Tuple)
	return ok
}

// parameter follows a parameter: of a literal to the calls in view.
func (f *flow) parameter(v *ssa.Parameter) {
	f.out.params[v] = true
	fn := v.Parent()
	if fn.Parent() != nil {
		for _, call := range f.p.callers[fn] {
			if i := len(call.Common().Args) - len(fn.Params) + paramIndex(v); i >= 0 && i < len(call.Common().Args) {
				f.value(call.Common().Args[i])
			}
		}
	}
}

func paramIndex(v *ssa.Parameter) int {
	for i, q := range v.Parent().Params {
		if q == v {
			return i
		}
	}
	return 0
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
				for _, sent := range f.p.sends[f.p.chanKey(s.Chan)] {
					f.value(sent)
				}
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
			for _, s := range f.p.stores[r] {
				f.value(s.val)
			}
		case *ssa.MapUpdate:
			f.value(r.Value)
		case *ssa.Store:
			if root, _ := f.p.address(r.Addr); r.Val == v {
				for _, up := range f.p.mapUpdates[root] {
					f.value(up.Value)
				}
			}
		}
	}
}

// memory follows what is stored at an address, or in the object there.
func (f *flow) memory(addr ssa.Value) {
	root, path := f.p.address(addr)
	for _, s := range f.p.stores[root] {
		if s.path.hasPrefix(path) || path.hasPrefix(s.path) {
			f.value(s.val)
		}
	}
	for _, up := range f.p.mapUpdates[root] {
		f.value(up.Value)
	}
	f.fills(location{root, pathKey(path)})
	if len(path) == 0 {
		return
	}
	switch root := root.(type) {
	case *ssa.Alloc, *ssa.Global:
		f.fills(location{root: root})
	default:
		f.value(root)
		f.field(deref(root.Type()), path[0])
	}
}

// field follows what the package stores in a field of objects of a type.
func (f *flow) field(t types.Type, index int) {
	name, field := structName(t), structField(t, index)
	if name == nil || field == nil || !f.p.owns(name) {
		return
	}
	loc := location{path: name.Name() + "." + field.Name()}
	if f.locs[loc] {
		return
	}
	f.locs[loc] = true
	for _, s := range f.p.fields[field] {
		f.value(s.val)
	}
	for _, a := range f.p.created[name] {
		for _, s := range f.p.stores[a] {
			if len(s.path) > 0 && s.path[0] == index {
				f.value(s.val)
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
	for _, t := range f.p.targets(g.call) {
		if t.recv != nil || g.index >= len(t.args) {
			continue
		}
		for _, fl := range f.p.flowsInto(t, g.index) {
			switch {
			case fl.From < 0:
				f.out.sites[f.p.site(callSite{g.call, fl.Site, t.fn == nil})] = true
			case fl.From < len(t.args):
				f.value(t.args[fl.From])
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
	targets := f.p.targets(v)
	if len(targets) == 0 {
		targets = f.p.ofItsType(&v.Call)
	}
	for _, t := range targets {
		switch {
		case t.api != "":
			if makers[t.api] {
				f.out.sites[f.p.site(v)] = true
			}
		case t.fn != nil:
			f.returned(v, t, f.p.held(resultOf{t.fn, index}))
		case t.obj != nil:
			if s := f.p.imported(t.obj); s != nil {
				f.imported(v, t, s, index)
			}
		}
	}
}

// returned adds what a function of this package returns.
func (f *flow) returned(v *ssa.Call, t target, c contents) {
	for id := range c.sites {
		f.out.sites[f.p.site(callSite{v, id, false})] = true
	}
	for _, i := range c.of(t.fn) {
		if t.recv == nil && i < len(t.args) {
			f.value(t.args[i])
		}
	}
}

// imported adds what a function of another package returns.
func (f *flow) imported(v *ssa.Call, t target, s *Summary, index int) {
	for _, c := range s.Results {
		if index >= len(c.Values) {
			continue
		}
		c.Values[index].Walk(func(w *value.Value) {
			if id := Root(w); id != 0 {
				f.out.sites[f.p.site(callSite{v, id, true})] = true
			}
			if w.Kind == value.Param && int(w.Num) < len(t.args) {
				f.value(t.args[w.Num])
			}
		})
	}
}
