package eval_test

import (
	"go/token"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/way"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/summary"

	"github.com/ttlvet/ttlvet/internal/value"
)

// above stands in for the layer above: it finds values that leave open what a
// parameter decides, and puts arguments in the place of parameters. A function
// returns what its last return says.
type above struct {
	*eval.Settler
	code *layertest.Code
}

func (a *above) Resolve(v ssa.Value, at ssa.Instruction) *value.Value {
	switch v := v.(type) {
	case *ssa.Const:
		return kind.ConstantValue(v)
	case *ssa.Parameter:
		if kind.IsRangeBody(v.Parent()) {
			return a.ranged(v)
		}
		return &value.Value{Kind: value.Param, Num: int64(kind.ParamIndex(v)), Site: v.Parent()}
	case *ssa.Function:
		return &value.Value{Kind: value.Func, Name: v.Name(), Site: v}
	case *ssa.MakeClosure: // a method value
		return &value.Value{Kind: value.Func, Site: v.Fn, Args: []*value.Value{a.Way.Eval(v.Bindings[0], v)}}
	case *ssa.MakeInterface:
		return a.Way.Eval(v.X, at)
	case *ssa.ChangeType:
		return a.Way.Eval(v.X, at)
	case *ssa.BinOp:
		return value.Apply(v.Op.String(), a.Way.Eval(v.X, v), a.Way.Eval(v.Y, v))
	case *ssa.Alloc:
		if v.Comment == "varargs" {
			list := value.ListOf()
			for _, s := range a.Way.Prog.Stores[v] {
				list.Args = append(list.Args, a.Way.Eval(s.Val, s.At))
			}
			return list
		}
		return a.Reader.Alloc(v, at)
	case *ssa.Slice:
		return a.Way.Eval(v.X, at)
	case *ssa.UnOp:
		ia, indexed := v.X.(*ssa.IndexAddr)
		switch {
		case v.Op == token.ARROW:
			return way.Receive(a.Way, v, v.X)
		case !indexed:
			return a.Reader.Load(v.X, v)
		case kind.IsConst(ia.Index):
			return value.Apply(value.Index, a.Way.Eval(ia.X, ia), a.Way.Eval(ia.Index, ia))
		}
		return value.Apply(value.Elem, a.Way.Eval(ia.X, ia))
	case *ssa.Phi: // of an if without else
		branch := v.Block().Idom()
		cond := branch.Instrs[len(branch.Instrs)-1].(*ssa.If).Cond
		return value.Apply(value.If, a.Way.Eval(cond, nil), a.Way.Eval(v.Edges[1], nil), a.Way.Eval(v.Edges[0], nil))
	case *ssa.Extract:
		if t := a.Way.Eval(v.Tuple, nil); t.Kind == value.Tuple {
			return t.Args[v.Index]
		}
	case *ssa.Call:
		return a.call(v)
	}
	return value.UnknownFor("what this layer does not see")
}

func (a *above) call(v *ssa.Call) *value.Value {
	var args []*value.Value
	for _, arg := range v.Call.Args {
		args = append(args, a.Reader.Argument(arg, v))
	}
	fn := v.Call.StaticCallee()
	switch {
	case v.Call.IsInvoke():
		return value.Apply(value.Method, append([]*value.Value{value.StrOf(v.Call.Method.Name()), a.Way.Eval(v.Call.Value, v)}, args...)...)
	case fn == nil:
		return a.Settle(value.Apply(value.Invoke, append([]*value.Value{a.Way.Eval(v.Call.Value, v)}, args...)...), v)
	case layertest.CalleeOf(v) == "Pull2":
		return a.Pulled(args[0])
	case layertest.CalleeOf(v) == "OnceValue":
		return value.Apply(eval.Once, args...)
	case fn.Blocks == nil:
		return value.UnknownFor(fn.Name())
	case kind.IsBool(v.Type()):
		return a.Settle(value.Apply(eval.Outcome, append([]*value.Value{a.Way.Eval(fn, v)}, args...)...), v)
	}
	return a.Settle(a.ResultsOf(fn)[0].Values[0].Subst(memory.Binder(args, fn)), v)
}

// ranged resolves a parameter of the body of a loop over an iterator.
func (a *above) ranged(v *ssa.Parameter) *value.Value {
	body := a.code.Prog.Closures[v.Parent()]
	for _, r := range *body.Referrers() {
		if call, ok := r.(*ssa.Call); ok {
			return a.Yielded(value.Apply(eval.Yielded, a.Way.Eval(call.Call.Value, call), value.IntOf(0)), body, call)
		}
	}
	return value.UnknownFor("a body without a loop")
}

func (a *above) ResultsOf(fn *ssa.Function) []summary.ResultCase {
	for _, b := range slices.Backward(fn.Blocks) {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			return []summary.ResultCase{{Values: []*value.Value{a.Force(a.Reader.Argument(r.Results[0], r), 4)}}}
		}
	}
	return nil
}

func (a *above) YieldsOf(fn *ssa.Function) (out []*value.Value) {
	for _, call := range a.code.Prog.Calls[fn] {
		together := &value.Value{Kind: value.Tuple}
		for _, arg := range call.Common().Args {
			together.Args = append(together.Args, a.Reader.Argument(arg, call))
		}
		out = append(out, together)
	}
	return out
}

// SetOnce resolves constants and parameters.
func (a *above) SetOnce(_ *ssa.Function, t memory.Touch, set *summary.FieldSet) {
	if t.Store != nil {
		set.Value = a.Resolve(t.Store.Val, nil)
	}
}

// check holds what comes of the values that are shown on each way.
func settleCheck(t *testing.T, src string) {
	t.Helper()
	code := layertest.Load(t, src)
	channels := program.Of(code.Prog)
	code.Check(func(s layertest.Shown) string {
		a, steps := &above{code: code}, 0
		w := way.New(channels, a, &steps)
		a.Settler = eval.On(memory.New(memory.NewObjects(channels, a)), w, a, false)
		var out []string
		w.Runs(16, func() []*value.Value {
			return a.FromSender([]*value.Value{a.Force(a.Reader.Argument(s.Value, s.Call), 4)}, s.Call)
		}, func(vs []*value.Value) {
			if v := vs[0].String(); !slices.Contains(out, v) {
				out = append(out, v)
			}
		})
		return strings.Join(out, " | ")
	})
}

// A function that a callee is given returns what it does once it is known; so does
// the method of an object. What is still open stays, for callers to decide.
func TestSettleCalls(t *testing.T) {
	settleCheck(t, `
type namer interface{ Name() string }
type named struct{ name string }
func (n *named) Name() string { return n.name }
func token() string { return "token" }
func of(name func() string) string { return name() }
func twice(name func() string) string { return of(name) }
func asked(n namer) string { return n.Name() }
func is(name string) bool { return name == "token" }
func f(given func() string, n namer, name string) {
	show(of(token)) // "token"
	show(twice(token)) // "token"
	show(of(sync.OnceValue(token))) // "token"
	show(of(given)) // ()($0)
	show(asked(&named{"session"})) // "session"
	show(asked(n)) // method("Name", $1)
	show(is("token")) // true
	show(is(name)) // ==($2, "token")
}
`)
}

// Of a list, an element is one of those that a call gives; on which condition a
// value hangs, the call may say.
func TestElements(t *testing.T) {
	settleCheck(t, `
func first(names ...string) string { return names[0] }
func one(i int, names ...string) string { return names[i] }
func family(admin bool) string {
	family := "token"
	if admin {
		family = "session"
	}
	return family
}
func f(names []string, admin bool) {
	show(first("token", "session")) // "token"
	show(first(names...)) // []($0, 0)
	show(one(1, "token", "session")) // "token" | "session"
	show(one(1, names...)) // elem($0)
	show(family(true)) // "session"
	show(family(admin)) // if($1, "session", "token")
	show(family(os.Getenv("ADMIN") != "")) // "token" | "session"
}
`)
}

// What an iterator yields is known once it is known which one that is.
func TestSettleIterators(t *testing.T) {
	settleCheck(t, `
type list struct{ first string }
func (l *list) each(yield func(string, error) bool) {
	if yield(l.first, nil) {
		yield("last", nil)
	}
}
func f(l *list, given func(func(string, error) bool)) {
	for name := range l.each {
		show(name) // $0.first | "last"
	}
	for name := range given {
		show(name) // yielded($1, 0)
	}
	next, _ := iter.Pull2(l.each)
	name, err, more := next()
	show(name) // $0.first | "last"
	show(err) // nil
	show(more) // ?whether an iterator has more
}
`)
}

// An object after a method that it may have: what that sets is known where the
// object is.
func TestAfter(t *testing.T) {
	settleCheck(t, `
type preparer interface{ Prepare(to string) }
type doc struct{ name string }
func (d *doc) Prepare(to string) { d.name = to }
type fixed struct{ name string }
func (d *fixed) Prepare(to string) {}
func prepared(p preparer) preparer {
	p.Prepare("b")
	return p
}
func f(p preparer) {
	show(prepared(&doc{"a"})) // example.com/p.doc{name: "b"}
	show(prepared(&fixed{"a"})) // example.com/p.fixed{name: "a"}
	show(prepared(p)) // after("Prepare", $0, true, "b")
}
`)
}

// What is received comes from a sender, which knows whose mailbox it is.
func TestFromSender(t *testing.T) {
	settleCheck(t, `
type box struct { ch chan bigtable.Timestamp; ttl bigtable.Timestamp }
func newBox(ttl bigtable.Timestamp) *box { return &box{make(chan bigtable.Timestamp), ttl} }
func (b *box) run() { show(b.ttl + <-b.ch) } // +($1.ttl, 1000)
func f(n int, b *box) { b.ch <- 1000 }
`)
}

// A read whose filter hangs on conditions is one read for each answer to them; of
// more conditions than are told apart, with none of them, with all, and open.
func TestSpelled(t *testing.T) {
	param := func(i int) *value.Value { return &value.Value{Kind: value.Param, Num: int64(i)} }
	either := func(i int) *value.Value {
		return value.Apply(value.If, param(i), value.IntOf(int64(i)), value.IntOf(-1))
	}
	spelled := func(op string, args ...*value.Value) string {
		var out []string
		for _, c := range eval.Spelled(op, []summary.Case{{Args: args}}) {
			out = append(out, summary.GuardString(c.Guards)+summary.ArgString(c.Args))
		}
		return strings.Join(out, " | ")
	}
	for _, c := range []struct{ got, want string }{
		{spelled(btapi.ReadRows, either(0)), "if !($0) (-1) | if $0 (0)"},
		{spelled(btapi.ReadRows, value.StrOf("a")), `("a")`},
		{spelled("bigtable.Mutation.Set", either(0)), "(if($0, 0, -1))"},
		{spelled(btapi.ReadRows, value.ListOf(either(0), either(1), either(2), either(3), either(4))),
			"if !($0) if !($1) if !($2) if !($3) if !($4) ([-1, -1, -1, -1, -1]) | if $0 if $1 if $2 if $3 if $4 ([0, 1, 2, 3, 4]) | " +
				"([if($0, 0, -1), if($1, 1, -1), if($2, 2, -1), if($3, 3, -1), if($4, 4, -1)])"},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
}
