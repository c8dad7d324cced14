package trace

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// A target is what a call runs.
type target struct {
	api  string        // the name in btapi of a call whose meaning is known
	fn   *ssa.Function // a function with a body in this package
	obj  *types.Func   // a function of another package
	args []ssa.Value   // the arguments, receiver first
	recv *value.Value  // instead of args[0], where the receiver was resolved
}

// target finds what a call runs as far as its instruction tells; false when
// only values can tell.
func (p *program) target(common *ssa.CallCommon) (target, bool) {
	if common.IsInvoke() {
		args := append([]ssa.Value{common.Value}, common.Args...)
		if name := btapi.ShapeOf(common.Method); name != "" {
			return target{api: name, args: args}, true
		}
		if name := btapi.Func(common.Method); name != "" {
			return target{api: name, args: args}, true
		}
		if fn := p.implementation(common); fn != nil {
			return p.functionTarget(fn, args), true
		}
		if p.imported(common.Method) != nil {
			return target{obj: common.Method, args: args}, true
		}
		return target{args: args}, false
	}
	args := common.Args
	callee := common.StaticCallee()
	if callee == nil {
		return target{args: args}, false
	}
	if mc, ok := common.Value.(*ssa.MakeClosure); ok && isBound(callee) {
		args = append(append([]ssa.Value{}, mc.Bindings...), args...)
	}
	return p.functionTarget(callee, args), true
}

// isBound reports whether fn stands for a method value: x.f.
func isBound(fn *ssa.Function) bool {
	return fn.Object() != nil && len(fn.FreeVars) == 1 && fn.Parent() == nil
}

// functionTarget finds what a function is: one of the client's, one of this
// package, or another.
func (p *program) functionTarget(fn *ssa.Function, args []ssa.Value) target {
	obj := object(fn)
	if name := btapi.Func(obj); name != "" {
		return target{api: canonical(name, obj), args: args}
	}
	if fn.Synthetic != "" && obj != nil {
		// A bound method, a thunk or an instance: what it stands for.
		if decl := p.pkg.Prog.FuncValue(obj); decl != nil {
			fn = decl
		}
	}
	fn = origin(fn)
	if p.hasBody(fn) {
		return target{fn: fn, args: args}
	}
	return target{obj: obj, args: args}
}

// canonical gives the methods of the client's several tables one name.
func canonical(name string, obj *types.Func) string {
	if shape := btapi.ShapeOf(obj); shape != "" {
		return shape
	}
	return name
}

// call resolves the result of a call.
func (p *path) call(v *ssa.Call) *value.Value {
	if b, ok := v.Call.Value.(*ssa.Builtin); ok {
		return p.builtin(b.Name(), v)
	}
	t, ok := p.p.target(&v.Call)
	if !ok {
		t, ok = p.dynamic(&v.Call, v)
	} else if v.Call.IsInvoke() {
		// What the receiver is known to be says more than the interface.
		if d, ok := p.dynamic(&v.Call, v); ok {
			t = d
		}
	}
	if !ok {
		if r := p.agreedResult(v); r != nil {
			return r
		}
		return p.dynamicResult(v)
	}
	return p.result(t, v)
}

// dynamic finds what a call runs by the value of the function or receiver.
func (p *path) dynamic(common *ssa.CallCommon, at ssa.Instruction) (target, bool) {
	v := p.eval(common.Value, at)
	b := v.Base()
	if common.IsInvoke() {
		args := append([]ssa.Value{common.Value}, common.Args...)
		m := p.p.methodOf(b, common.Method)
		if m == nil {
			return target{}, false
		}
		if fn := p.p.pkg.Prog.FuncValue(m); fn != nil {
			return p.p.functionTarget(fn, args), true
		}
		return target{obj: m.Origin(), args: args}, true
	}
	if b.Kind != value.Func {
		return target{}, false
	}
	switch fn := b.Site.(type) {
	case *ssa.Function:
		t := p.p.functionTarget(fn, common.Args)
		if isBound(fn) && len(b.Args) == 1 {
			t.recv = b.Args[0]
		}
		return t, true
	case *types.Func:
		if name := btapi.Func(fn); name != "" {
			return target{api: canonical(name, fn), args: common.Args}, true
		}
		return target{obj: fn, args: common.Args}, true
	}
	return target{}, false
}

// methodOf returns the method of a struct that was made in view, or by a
// constructor of another package.
func (p *program) methodOf(recv *value.Value, method *types.Func) *types.Func {
	if recv.Kind != value.Struct {
		return nil
	}
	var t types.Type
	if alloc, ok := recv.Site.(ssa.Value); ok {
		t = alloc.Type()
	} else if t = p.typeNamed(recv.Name); t == nil {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, method.Pkg(), method.Name())
	m, ok := obj.(*types.Func)
	if !ok || types.IsInterface(m.Signature().Recv().Type()) {
		return nil
	}
	return m
}

// typeNamed returns the type of another package that values name
// "path.Type", or nil when the package is not imported.
func (p *program) typeNamed(name string) types.Type {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return nil
	}
	for _, imp := range p.pass.Pkg.Imports() {
		if imp.Path() == name[:dot] {
			if tn, ok := imp.Scope().Lookup(name[dot+1:]).(*types.TypeName); ok {
				return tn.Type()
			}
		}
	}
	return nil
}

// args resolves the arguments of a call.
func (p *path) args(t target, at ssa.Instruction) []*value.Value {
	var out []*value.Value
	if t.recv != nil {
		out = append(out, t.recv)
	}
	for _, a := range t.args {
		out = append(out, p.argument(a, at))
	}
	return out
}

// argument resolves an argument, with its expression where the value has
// none.
func (p *path) argument(a ssa.Value, at ssa.Instruction) *value.Value {
	return p.modified(a, p.eval(a, at), at)
}

// result resolves the result of a call of a known target: one value, or a
// tuple.
func (p *path) result(t target, v *ssa.Call) *value.Value {
	switch {
	case t.api != "":
		return p.api(t, v)
	case t.fn != nil:
		cases := p.p.resultsOf(t.fn)
		return p.pick(cases, p.p.sets(t.fn), t, v, t.fn, object(t.fn))
	case t.obj != nil:
		s := p.p.imported(t.obj)
		if s == nil {
			return viaHandle(funcKey(t.obj), unknownOf(v.Type(), "the result of "+funcKey(t.obj)+", which is not known"), v.Type())
		}
		return p.pick(s.Results, s.Sets, t, v, nil, t.obj)
	}
	return unknownOf(v.Type(), "the result of a call that is not known")
}

// pick chooses one of the results of a function and puts the arguments in
// the place of its parameters.
func (p *path) pick(cases []ResultCase, sets []FieldSet, t target, v *ssa.Call, site *ssa.Function, obj *types.Func) *value.Value {
	name := "a function literal"
	if obj != nil {
		name = funcKey(obj)
	}
	if len(cases) == 0 {
		return viaHandle(name, unknownOf(v.Type(), "the result of "+name+", which is not known"), v.Type())
	}
	args := p.args(t, v)
	bind := binder(args, site)
	// Cases that the arguments rule out are no choice.
	var open []ResultCase
	for _, c := range cases {
		if _, ok := p.bindGuards(c.Guards, bind, v); ok {
			open = append(open, c)
		}
	}
	if len(open) == 0 {
		return unknownOf(v.Type(), "the result of "+name)
	}
	if p.frozen && len(open) > 1 && site != nil && isOutcome(v.Type()) {
		return &value.Value{Kind: value.Call, Name: Outcome, Args: append([]*value.Value{p.function(site)}, args...)}
	}
	c := open[p.choose(v, len(open))]
	guards, _ := p.bindGuards(c.Guards, bind, v)
	p.guards = append(p.guards, guards...)
	var out []*value.Value
	for _, raw := range c.Values {
		r := p.returned(raw, p.p.resited(raw, v, site).Subst(bind), sets, v, site, bind)
		out = append(out, p.settle(r, v).At(p.p.syntax.expr(v.Pos())))
	}
	if len(out) == 1 {
		return viaHandle(name, out[0], v.Type())
	}
	return &value.Value{Kind: value.Tuple, Args: out}
}

// binder puts args in the place of a function's parameters. site is the
// function, nil for one of another package.
func binder(args []*value.Value, site *ssa.Function) func(*value.Value) *value.Value {
	return func(leaf *value.Value) *value.Value {
		if leaf.Kind != value.Param || int(leaf.Num) >= len(args) {
			return nil
		}
		if site == nil && leaf.Site != nil || site != nil && leaf.Site != any(site) {
			return nil
		}
		return args[leaf.Num]
	}
}

// builtin resolves append, len and the like.
func (p *path) builtin(name string, v *ssa.Call) *value.Value {
	args := v.Call.Args
	switch name {
	case "append":
		if len(args) == 1 {
			return p.eval(args[0], v)
		}
		return value.Concat(p.eval(args[0], v), p.eval(args[1], v))
	case "len":
		return value.Apply(value.Len, p.eval(args[0], v))
	case "min", "max":
		if len(args) == 1 {
			return p.eval(args[0], v)
		}
	}
	return unknownOf(v.Type(), "the result of "+name)
}
