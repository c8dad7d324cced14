package memory_test

import (
	"go/token"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// above stands in for the layer above: it resolves constants, parameters and
// what memory holds, and nothing that calls return.
type above struct {
	*memory.Reader
}

func (a *above) Resolve(v ssa.Value, at ssa.Instruction) *value.Value {
	switch v := v.(type) {
	case *ssa.Const:
		return kind.ConstantValue(v)
	case *ssa.Parameter:
		return &value.Value{Kind: value.Param, Num: int64(kind.ParamIndex(v)), Site: v.Parent()}
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return a.Load(v.X, v)
		}
	case *ssa.Alloc:
		return a.Alloc(v, at)
	case *ssa.Function:
		return &value.Value{Kind: value.Func, Name: v.Name(), Site: v}
	}
	return value.UnknownFor("what this layer does not see")
}

func (a *above) Settle(v *value.Value, _ ssa.Instruction) *value.Value { return v }

// Left reads, of a function that returns at one place, what is there then.
func (a *above) Left(call *ssa.Call, param int) *value.Value {
	fn := call.Call.StaticCallee()
	v := a.Leaves(fn.Params[param], kind.ReturnsOf(fn)[0])
	return v.Subst(a.Arguments(program.Target{Fn: fn, Args: call.Call.Args}, call).Binder(fn))
}

// StoredAt says that an address may be anybody's.
func (a *above) StoredAt(ssa.Instruction, ssa.Value, int) ([][2]*value.Value, bool) {
	return nil, false
}

// SetOnce resolves constants and parameters.
func (a *above) SetOnce(_ *ssa.Function, t memory.Touch, set *summary.FieldSet) {
	if t.Store != nil {
		set.Value = a.Resolve(t.Store.Val, nil)
	}
}

// read calls answer on each way, with a reader that stands on it.
func read(code *layertest.Code, closed bool, answer func(*memory.Reader) *value.Value) string {
	a := &above{}
	steps := 0
	channels := program.Of(code.Prog)
	w := way.New(channels, a, &steps)
	a.Reader = memory.New(memory.NewObjects(channels, a)).On(w, a, closed)
	var out []string
	w.Runs(16, false, func() []*value.Value {
		return []*value.Value{answer(a.Reader)}
	}, func(vs []*value.Value) { out = append(out, summary.GuardString(w.Guards)+vs[0].String()) })
	return strings.Join(out, " | ")
}

func check(t *testing.T, src string, facts ...layertest.Fact) {
	t.Helper()
	code := layertest.Load(t, src, facts...)
	code.Check(func(s layertest.Shown) string {
		return read(code, true, func(r *memory.Reader) *value.Value { return r.Argument(s.Value, s.Call) })
	})
}

// A local variable holds what the last store on the way put there.
func TestLocal(t *testing.T) {
	check(t, `
type row struct { family string; n int }
func escapes(*string)
func f(admin bool) {
	var family string
	func() { _ = family }()
	show(family) // ""
	family = "token"
	show(family) // "token"
	if admin {
		family = "session"
	}
	show(family) // if !($0) "token" | if $0 "session"
	r := row{family: "token"}
	p := &r
	p.n = 3
	show(r.family) // "token"
	show(r.n) // 3
	var given string
	escapes(&given)
	show(given) // ?what a call stores
}
`)
}

// A field of an object from elsewhere is what the package stores there, where it
// is asked for: a reader that is not closed leaves the field to callers.
func TestField(t *testing.T) {
	src := `
type store struct { family string; n int }
func newStore() *store { return &store{family: "token"} }
func (s *store) rename() { s.family = "renamed" }
func (s *store) read() { show(s.family) } // "renamed" | "token"
`
	check(t, src)
	code := layertest.Load(t, src)
	s := code.Show()
	if got := read(code, false, func(r *memory.Reader) *value.Value { return r.Argument(s.Value, s.Call) }); got != "$0.family" {
		t.Errorf("a reader that is not closed has %s", got)
	}
}

// A package variable holds any of what the package assigns, one of another
// package what its fact says.
func TestGlobal(t *testing.T) {
	check(t, `
-- dep/dep.go --
var Family string
-- p/p.go --
var family = "token"
var changed = "token"
var unset, Exported string
func init() { changed = "session" }
func f() {
	show(family) // "token"
	show(changed) // "token" | "session"
	show(unset) // ""
	show(Exported) // ?a variable that other packages may set via example.com/p.Exported
	show(dep.Family) // "catalog"
}
`, layertest.Fact{Of: "dep.Family", Fact: &summary.Summary{Holds: []*value.Value{value.StrOf("catalog")}}})
}

// An object is as it is by the time it is used: after stores through its
// pointer, and after calls that set fields of it.
func TestChanged(t *testing.T) {
	check(t, `
type store struct { family, column string }
func (s *store) rename(to string) { s.family = to }
func given(s *store) {
	show(s.family) // $0.family
	s.family = "token"
	show(s.family) // "token"
}
func local() {
	s := &store{column: "c"}
	s.rename("session")
	show(s.family) // "session"
	show(s.column) // "c"
}
func handed(s *store, f func(*store)) {
	f(s)
	show(*s) // changed($0, "*", [$1])
	f(s)
	show(*s) // changed($0, "*", ?a field that is set later)
}
`)
}

// A function literal finds an object as the function around it has left it before
// it made the literal; not where that sets a field on one way only, or again.
func TestChangedAround(t *testing.T) {
	check(t, `
type store struct { family, column, later string }
func newStore(admin bool) *store {
	s := &store{family: "token", column: "c"}
	s.family = "session"
	if admin {
		s.column = "d"
	}
	go func() {
		func() { show(s.family) }() // "session"
		show(s.column) // if !($0) "c" | if $0 "d"
		show(s.later) // ?a part of memory that may have been written by way of another pointer via example.com/p.store.later
	}()
	s.later = "x"
	return s
}
`)
}

// Handles: a table, and a name that is not known, say what they came through.
func TestViaHandle(t *testing.T) {
	code := layertest.Load(t, `
func f(tbl *bigtable.Table, family string) {
	show(tbl) // ?x via p.key
	show(family) // ?x via p.key
	show(7) // ?x
}
`)
	code.Check(func(s layertest.Shown) string {
		return memory.ViaHandle("p.key", value.UnknownFor("x"), s.Value.Type()).String()
	})
	if got := memory.ViaHandle("p.key", value.StrOf("token"), code.Shows()[1].Value.Type()).String(); got != `"token"` {
		t.Errorf("a text that is known came through a handle: %s", got)
	}
}

// Arguments are resolved when they are asked for, and take the place of the
// parameters of the function that they are given to, and of no other's.
func TestArguments(t *testing.T) {
	code := layertest.Load(t, `
func put(family string, n int) { _, _ = family, n }
func f(family string) { put(family, 3) }
`)
	call := code.Call("f", "put")
	target, _ := code.Prog.Target(call.Common())
	got := read(code, true, func(r *memory.Reader) *value.Value {
		args := r.Arguments(target, call)
		param := func(i int64, of string) *value.Value {
			return &value.Value{Kind: value.Param, Num: i, Site: code.Func(of)}
		}
		bind := args.Binder(target.Fn)
		return value.ListOf(value.ListOf(param(1, "put"), param(0, "f")).Subst(bind), args.At(0))
	})
	if want := "[[3, $0], $0]"; got != want {
		t.Errorf("the arguments are %s, want %s", got, want)
	}
}
