package program_test

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/program"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
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
type closer interface { close() }
type one struct{}
func (one) close() {}
type two struct{}
func (two) close() {}
type table interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}
func f(s store, r runner, c closer, g func(), mut *bigtable.Mutation, t table) {
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
}
`)
	var out []string
	for _, call := range code.Calls[code.Func("f")] {
		target, ok := code.Target(call.Common())
		switch {
		case !ok:
			out = append(out, "only values tell")
		case target.API != "":
			out = append(out, target.API)
		case target.Fn != nil:
			out = append(out, layertest.NameOf(target.Fn)+" here")
		default:
			out = append(out, program.FuncKey(target.Obj))
		}
	}
	want := []string{"near here", "store.method here", "example.com/dep.Far", "of here", "bigtable.NewMutation", "bigtable.Table.Apply",
		"only.run here", "f$1 here", "only values tell", "only values tell"}
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
	if got := in(code.Callers[code.Func("helper")]); got != "a b$1" {
		t.Errorf("helper is called in %s", got)
	}
	if got := in(code.Invokes[code.Func("two.close")]); got != "c" {
		t.Errorf("two.close is called by its interface in %s", got)
	}
	if got := code.Callers[code.Func("two.close")]; got != nil {
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
	for fn := range code.Taken {
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
	id := code.Site(inner)
	mutation := &value.Value{Kind: value.Call, Name: "bigtable.NewMutation", Args: []*value.Value{value.StrOf(id)}, Site: inner}
	if program.Root(mutation) != id || code.Site(inner) != id {
		t.Errorf("the site of %v is %s, then %s, now %s", mutation, id, program.Root(mutation), code.Site(inner))
	}
	first := code.Resited(mutation, code.Call("f", "made"), code.Func("made"))
	second := code.Resited(mutation, code.Call("g", "made"), code.Func("made"))
	if a, b := program.Root(first), program.Root(second); a == b || a == id || code.Sites.Parent[a] != id || code.Sites.Parent[b] != id {
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
		if _, got := code.RowParams[code.Func(fn)]; got != want {
			t.Errorf("%s is given rows: %t", fn, got)
		}
	}
}

// Syntax finds the expression that an instruction came from.
func TestSyntax(t *testing.T) {
	code := layertest.Load(t, `
func f(n int) {
	show(time.Now()) // *ast.CallExpr
	show(n + 1) // *ast.BinaryExpr
	show(bigtable.Timestamp(n)) // *ast.CallExpr
	show(&bigtable.Mutation{}) // *ast.CompositeLit
	show(n) // <nil>
}
`)
	code.Check(func(s layertest.Shown) string { return fmt.Sprintf("%T", code.Syntax.Expr(s.Value.Pos())) })
}
