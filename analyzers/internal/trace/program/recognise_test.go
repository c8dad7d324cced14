package program_test

import (
	"fmt"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/program"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
)

// A return that reports an error has results that nobody uses.
func TestFails(t *testing.T) {
	code := layertest.Load(t, `
var errClosed = errors.New("closed")
func made() (int, error) { return 0, fmt.Errorf("no") }
func global() (int, error) { return 0, errClosed }
func passedOn() (int, error) { n, err := made(); if err != nil { return 0, err }; return n, nil }
func both() (int, error) { return made() }
`)
	for fn, want := range map[string]string{"made": "[true]", "global": "[true]", "passedOn": "[true false]", "both": "[false]"} {
		var got []bool
		for _, b := range code.Func(fn).Blocks {
			if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
				got = append(got, program.Fails(r))
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v", fn, got)
		}
	}
}

// Loops that count have a step and a start; what indexes a list in one has a
// loop variable.
func TestCounters(t *testing.T) {
	code := layertest.Load(t, `
func f(list []string, n int) {
	for i := 5; i < n; i += 2 {
		show(i) // 2 from 5
	}
	for i := range list {
		show(list[i]) // element of a loop
	}
	x := n
	for x < 100 {
		x *= 2
		show(x) // neither
	}
}
`)
	code.Check(func(s layertest.Shown) string {
		switch v := s.Value.(type) {
		case *ssa.Phi:
			if step, ok := program.CounterStep(v); ok {
				start, _ := program.CounterStart(v)
				return fmt.Sprintf("%d from %d", step, start)
			}
		case *ssa.UnOp:
			if ia, ok := v.X.(*ssa.IndexAddr); ok && program.LoopVariable(ia.Index) != nil {
				return "element of a loop"
			}
		}
		return "neither"
	})
}

// A constant is a value, the zero value of a struct an empty one.
func TestConstantValue(t *testing.T) {
	code := layertest.Load(t, `
func f() {
	show("token") // "token"
	show(1 << 40) // 1099511627776
	show(1.5) // 1.5f
	show(true) // true
	show(time.Hour) // 3600000000000
	show(bigtable.ServerTime) // -1
	show(error(nil)) // nil
}
`)
	code.Check(func(s layertest.Shown) string { return program.ConstantValue(s.Value.(*ssa.Const)).String() })
}

// Interesting types can hold something that rules look at.
func TestInteresting(t *testing.T) {
	code := layertest.Load(t, `
type batch struct { n int; muts []*bigtable.Mutation }
type node struct { next *node }
func f(b batch, n node, p map[string]*batch, s []string, c chan bigtable.Filter) {
	show(b) // true
	show(n) // false
	show(p) // true
	show(s) // false
	show(c) // true
}
`)
	code.Check(func(s layertest.Shown) string { return fmt.Sprint(program.Interesting(s.Value.Type(), 4)) })
}

// TableLike types have the client's methods.
func TestTableLike(t *testing.T) {
	code := layertest.Load(t, `
type reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
}
type wrapped struct { *bigtable.Table }
type other interface { ReadRow(key string) error }
func f(t *bigtable.Table, r reader, w wrapped, o other) {
	show(t) // true
	show(r) // true
	show(w) // true
	show(o) // false
}
`)
	code.Check(func(s layertest.Shown) string { return fmt.Sprint(program.TableLike(s.Value.Type())) })
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
`, layertest.Fact{Of: "dep.F", Fact: &summary.Summary{Checks: []int{1}}})
	f, _ := code.Target(code.Call("f", "F").Common())
	g, _ := code.Target(code.Call("f", "G").Common())
	if s := code.Imported(f.Obj); s == nil || s.String() != "checks $1" {
		t.Errorf("of F is known: %v", s)
	}
	if s := code.Imported(g.Obj); s != nil {
		t.Errorf("of G is known: %v", s)
	}
	if code.Analysed(f.Obj) {
		t.Error("the package of F was not traced")
	}
}
