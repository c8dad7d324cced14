package heap_test

import (
	"fmt"
	"go/types"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/heap"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
)

// stores loads a source in which each comment behind a use of an address, at(&x), says
// at which lines stores may write there, counted from the beginning of the function;
// "out" where it may lie outside, "one" where it is one object.
// abroad says what functions of other packages write.
func stores(t *testing.T, src string, abroad map[string]heap.Abroad) {
	t.Helper()
	code := layertest.Load(t, src+"\nfunc at(...any) {}\n")
	h := heap.New(code.Prog.Pkg, code.Prog.Funcs, func(fn *types.Func) heap.Abroad { return abroad[fn.Name()] }, func(*types.Func) bool { return false })
	n := 0
	for _, fn := range code.Prog.Funcs {
		for _, call := range code.Prog.Calls[fn] {
			callee := call.Common().StaticCallee()
			if callee == nil || callee.Name() != "at" {
				continue
			}
			n++
			// Have: t = new [1]any; t[0] = make any <- addr; at(t[:])
			arr := call.Common().Args[0].(*ssa.Slice).X
			var addr ssa.Value
			for _, r := range *arr.Referrers() {
				if ia, ok := r.(*ssa.IndexAddr); ok {
					addr = (*ia.Referrers())[0].(*ssa.Store).Val.(*ssa.MakeInterface).X
				}
			}
			place := h.Place(addr)
			var said []string
			for _, w := range place.Writers() {
				said = append(said, fmt.Sprint(code.Prog.Pass.Fset.Position(w.Pos()).Line-code.Prog.Pass.Fset.Position(fn.Pos()).Line))
			}
			sort.Strings(said)
			if place.Single() {
				said = append(said, "one")
			}
			for _, o := range place.Objects() {
				if o.Outside {
					said = append(said, "out")
				}
			}
			if got, want := strings.Join(said, " "), code.Comment(call); got != want {
				t.Errorf("%s: got %q, want %q", code.Prog.Pass.Fset.Position(call.Pos()), got, want)
			}
		}
	}
	if n == 0 {
		t.Error("no address is asked for")
	}
}

func TestPlaces(t *testing.T) {
	stores(t, `
type inner struct{ ts int; next *inner }
type outer struct{ a, b *inner; in inner }
func alias() {
	x := &inner{}
	y := x
	o := &outer{a: x, b: &inner{}}
	o.a.ts = 1
	o.b.ts = 2
	at(&y.ts) // 4 one
	at(&o.b.ts) // 5 one
}
func elements() {
	l := []*inner{{}, {}}
	for _, e := range l {
		e.ts = 1
	}
	at(&l[0].ts) // 3
}
func maps(k string) {
	m := map[string]*inner{"a": {}}
	m[k].ts = 1
	m["b"] = &inner{ts: 2}
	at(&m["a"].ts) // 2 3
}
func boxed() {
	x := &inner{}
	var i any = x
	i.(*inner).ts = 1
	at(&x.ts) // 3 one
}
func channels() {
	c := make(chan *inner, 1)
	x := &inner{}
	c <- x
	(<-c).ts = 1
	at(&x.ts) // 4 one
}
func embedded(o *outer, p *outer) {
	o.in.ts = 1
	o.a.ts = 2
	p.a.ts = 3
	at(&o.in.ts) // 1 out
	at(&o.a.ts) // 2 out
}
func id[T any](x T) T { return x }
func made(n int) *inner { return &inner{ts: n} }
func helpers() {
	a, b := made(1), made(2)
	c := id(a)
	c.ts = 1
	b.ts = 2
	at(&a.ts) // -1 3 one
}
func literals() {
	x := &inner{}
	set := func(i *inner) { i.ts = 1 }
	set(x)
	func() { x.ts = 2 }()
	at(&x.ts) // 2 4 one
}
type setter interface{ set(n int) }
func (i *inner) set(n int) { i.ts = n }
func methods() {
	x, y := &inner{}, &inner{}
	var s setter = x
	s.set(1)
	f := y.set
	f(2)
	at(&x.ts) // -1 one
	at(&y.ts) // -1 one
}
func pointers() {
	x, y := &inner{}, &inner{}
	p := &x
	*p = y
	(*p).ts = 1
	at(&y.ts) // 4 one
	at(&x) // 1 3 one
}
func list(n *inner) {
	for n != nil {
		n.ts = 1
		n = n.next
	}
	at(&n.ts) // 2 out
}
func copied() {
	a := outer{a: &inner{}}
	b := a
	b.a.ts = 1
	b.in.ts = 2
	at(&a.a.ts) // 3 one
	at(&a.in.ts) // 1 one
}
func arrays() {
	var l [3]inner
	for i := range l {
		l[i].ts = 1
	}
	s := l[:]
	s[0].ts = 2
	at(&l[1].ts) // 3 6
}
`, nil)
}

func TestAbroad(t *testing.T) {
	stores(t, `
-- dep/dep.go --
package dep
type Inner struct{ TS, N int }
type Outer struct{ In *Inner; Own Inner }
func (i *Inner) Set(ts int) { i.TS = ts }
func SetIn(o *Outer) { o.Own.TS = 1 }
func Fill(o *Outer) { *o.In = Inner{}; *o = Outer{} }
func Read(i *Inner) int { return i.TS }
-- p/p.go --
package p
import "example.com/dep"
func method() {
	x, y := &dep.Inner{}, &dep.Inner{}
	x.Set(1)
	y.Set(2)
	dep.Read(x)
	at(&x.TS) // 2 one
	at(&x.N) // one
	at(&y.TS) // 3 one
}
func field() {
	o := dep.Outer{In: &dep.Inner{}}
	dep.SetIn(&o)
	at(&o.Own.TS) // 1 2 one
	at(&o.In.TS) // one
	at(&o.In) // 1 one
}
func all() {
	o := &dep.Outer{In: &dep.Inner{}}
	dep.Fill(o)
	at(&o.Own.N) // 2 one
	at(&o.In.TS) // 2 one
	at(&o.In) // 1 2 one
}
`, map[string]heap.Abroad{
		"Set":   {Sets: []heap.Set{{Param: 0, Field: "TS"}}},
		"SetIn": {Sets: []heap.Set{{Param: 0, Field: "Own.TS"}}},
		"Fill":  {Writes: []int{0}},
	})
}

// In a struct that is too large for its parts to be told apart all functions are one field's.
// What takes or returns something else is not what a call of it runs.
func TestManyFunctions(t *testing.T) {
	stores(t, `
type four struct{ a, b, c, d int }
type sixteen struct{ a, b, c, d four }
type large struct {
	a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p sixteen
	one   func(*int) int
	two   func(*int, int) (int, error)
	three func(*int) (int, int, error)
}

func fill() *large {
	return &large{
		one:   func(p *int) int { *p = 1; return 1 },
		two:   func(p *int, n int) (int, error) { *p = n; return n, nil },
		three: func(p *int) (int, int, error) { *p = 3; return 1, 2, nil },
	}
}

func use() int {
	l, x := fill(), 0
	n := l.one(&x)
	m, err := l.two(&x, 2)
	if err != nil {
		return n
	}
	at(&x) // -5 -6 1 one
	return m
}
`, nil)
}
