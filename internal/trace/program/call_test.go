package program_test

import (
	"go/types"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Target is what a call runs as far as its instruction tells: a function of
// the client by name, one of this package, or one of another.
func TestTarget(t *testing.T) {
	code := layertest.Load(t, `
-- dep/dep.go --
func Far()
-- p/p.go --
type store struct{}
func (s store) method() {}
func near() {}
func of[T any](T) {}
type runner interface { run() }
type only struct{}
func (only) run() {}
type idle interface { rest() }
type unused struct{}
func (unused) rest() {}
var _ idle = unused{}
func newRunner() runner { return only{} }
type closer interface { close() }
type one struct{}
func (one) close() {}
type two struct{}
func (two) close() {}
type table interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}
func f(s store, r runner, c closer, g func(), mut *bigtable.Mutation, t table, i idle) {
	near()
	s.method()
	dep.Far()
	of(3)
	bigtable.NewMutation()
	t.Apply(nil, "", mut)
	r.run()
	func() {}()
	c.close()
	g()
	i.rest()
}
`)
	var out []string
	for _, call := range code.Prog.Calls[code.Func("f")] {
		target, ok := code.Prog.Target(call.Common())
		switch {
		case !ok:
			out = append(out, "only values tell")
		case target.API != "":
			out = append(out, target.API)
		case target.Fn != nil:
			out = append(out, layertest.NameOf(target.Fn)+" here")
		default:
			out = append(out, kind.FuncKey(target.Obj))
		}
	}
	want := []string{"near here", "store.method here", "example.com/dep.Far", "of here", "bigtable.NewMutation", "bigtable.Table.Apply",
		"only.run here", "f$1 here", "only values tell", "only values tell", "only values tell"}
	if got := strings.Join(out, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the calls run\n%s", got)
	}
}

// Callers are the calls of a function whose target is known, Invokes those of
// an interface's method that several types have.
func TestCallers(t *testing.T) {
	code := layertest.Load(t, `
type closer interface { close() }
type one struct{}
func (one) close() {}
type two struct{}
func (two) close() {}
func helper() {}
func a() { helper() }
func b() { func() { helper() }() }
func c(x closer) { x.close() }
`)
	in := func(calls []ssa.CallInstruction) string {
		var out []string
		for _, c := range calls {
			out = append(out, layertest.NameOf(c.Parent()))
		}
		return strings.Join(out, " ")
	}
	if got := in(code.Prog.Callers[code.Func("helper")]); got != "a b$1" {
		t.Errorf("helper is called in %s", got)
	}
	if got := in(code.Prog.Invokes[code.Func("two.close")]); got != "c" {
		t.Errorf("two.close is called by its interface in %s", got)
	}
	if got := code.Prog.Callers[code.Func("two.close")]; got != nil {
		t.Errorf("two.close has callers %v", got)
	}
}

// Taken are the functions that are used as values.
func TestTaken(t *testing.T) {
	code := layertest.Load(t, `
type store struct{}
func (s store) bound() {}
func (s store) called() {}
func passed() {}
func called() {}
func f(s store) { called(); s.called(); show(passed); show(s.bound) }
`)
	var out []string
	for fn := range code.Prog.Taken {
		out = append(out, layertest.NameOf(fn))
	}
	sort.Strings(out)
	if got := strings.Join(out, " "); got != "passed store.bound" {
		t.Errorf("taken are %s", got)
	}
}

// A site is the number of a place where a mutation or row comes to be. What a
// call makes by way of a site in its callee is another object for each call.
func TestSites(t *testing.T) {
	code := layertest.Load(t, `
func made() *bigtable.Mutation { return bigtable.NewMutation() }
func f() { made() }
func g() { made() }
`)
	inner := code.Call("made", "NewMutation")
	id := code.Prog.Sites.Site(inner)
	mutation := &value.Value{Kind: value.Call, Name: "bigtable.NewMutation", Args: []*value.Value{value.StrOf(id)}, Site: inner}
	if kind.Root(mutation) != id || code.Prog.Sites.Site(inner) != id {
		t.Errorf("the site of %v is %s, then %s, now %s", mutation, id, kind.Root(mutation), code.Prog.Sites.Site(inner))
	}
	first := code.Prog.Sites.Resited(mutation, code.Call("f", "made"), code.Func("made"))
	second := code.Prog.Sites.Resited(mutation, code.Call("g", "made"), code.Func("made"))
	if a, b := kind.Root(first), kind.Root(second); a == b || a == id || code.Prog.Sites.Parent[a] != id || code.Prog.Sites.Parent[b] != id {
		t.Errorf("two calls make %v and %v of %v", first, second, mutation)
	}
}

// RowParams are the parameters of callbacks by which a read hands out rows.
func TestRowParams(t *testing.T) {
	code := layertest.Load(t, `
func f(tbl *bigtable.Table) {
	tbl.ReadRows(context.Background(), bigtable.PrefixRange(""), func(row bigtable.Row) bool { return true })
	each(func(row bigtable.Row) bool { return true })
}
func each(func(bigtable.Row) bool) {}
`)
	for fn, want := range map[string]bool{"f$1": true, "f$2": false} {
		if _, got := code.Prog.RowParams[code.Func(fn)]; got != want {
			t.Errorf("%s is given rows: %t", fn, got)
		}
	}
}

// Imported is the summary that a driver hands on; Analysed says that the
// package has been traced, so that no summary means that there is nothing to
// say.
func TestImported(t *testing.T) {
	code := layertest.Load(t, `
-- dep/dep.go --
func F() string
func G() string
-- p/p.go --
func f() { dep.F(); dep.G() }
`, layertest.Fact{Of: "dep.F", Fact: &summary.Summary{Checks: []summary.Check{{Param: 1}}}})
	f, _ := code.Prog.Target(code.Call("f", "F").Common())
	g, _ := code.Prog.Target(code.Call("f", "G").Common())
	if s := code.Prog.Imported(f.Obj); s == nil || s.String() != "checks $1" {
		t.Errorf("of F is known: %v", s)
	}
	if s := code.Prog.Imported(g.Obj); s != nil {
		t.Errorf("of G is known: %v", s)
	}
	if code.Prog.Analysed(f.Obj) {
		t.Error("the package of F was not traced")
	}
}

// What a package does not use of those that it imports is not created; what a
// method is that only values tell is known all the same.
func TestImports(t *testing.T) {
	code := layertest.Load(t, `
-- dep/dep.go --
type Store struct{}
func (Store) Method()
func (Store) Other()
func F()
func G()
var V, W int
-- p/p.go --
func f(s dep.Store) { dep.F(); s.Method(); show(dep.V) }
`)
	dep := code.Prog.Pkg.Prog.ImportedPackage("example.com/dep")
	for name, want := range map[string]bool{"F": true, "G": false, "V": true, "W": false} {
		if got := dep.Members[name] != nil; got != want {
			t.Errorf("%s is created: %t", name, got)
		}
	}
	store := types.NewMethodSet(dep.Pkg.Scope().Lookup("Store").Type())
	for i := range store.Len() {
		m := store.At(i).Obj().(*types.Func)
		if got := code.Prog.MethodTarget(m, nil).Obj; got != m {
			t.Errorf("%s is %v", m.Name(), got)
		}
	}
}
