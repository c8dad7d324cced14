package kind_test

import (
	"fmt"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
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
				got = append(got, kind.Fails(r.Results, r))
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
			if step, ok := kind.CounterStep(v); ok {
				start, _ := kind.CounterStart(v)
				return fmt.Sprintf("%d from %d", step, start)
			}
		case *ssa.UnOp:
			if ia, ok := v.X.(*ssa.IndexAddr); ok && kind.LoopVariable(ia.Index) != nil {
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
	code.Check(func(s layertest.Shown) string { return kind.ConstantValue(s.Value.(*ssa.Const)).String() })
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
	code.Check(func(s layertest.Shown) string { return fmt.Sprint(kind.Interesting(s.Value.Type(), 4)) })
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
	code.Check(func(s layertest.Shown) string { return fmt.Sprint(kind.TableLike(s.Value.Type())) })
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
	code.Check(func(s layertest.Shown) string { return fmt.Sprintf("%T", code.Prog.Syntax.Expr(s.Value.Pos())) })
}
