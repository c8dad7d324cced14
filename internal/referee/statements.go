package referee

import "fmt"

// The variables of a program. All pointers in them are set from the beginning on, so
// that programs do not fail.
var (
	values   = []string{"t0", "t1"}
	inners   = []string{"i0", "i1", "i2"}
	outers   = []string{"o0", "o1"}
	lists    = []string{"l0", "l1"}
	arrays   = []string{"a0"}
	tables   = []string{"m0", "m1"}
	pointers = []string{"p0"}
	keys     = []string{`"a"`, `"b"`}
)

// beginning declares the variables.
func (g *generator) beginning() []Stmt {
	l := g.leaf
	inner := func() string { return fmt.Sprintf("&inner{v: %s, next: &inner{v: %s}}", l(), l()) }
	outer := func() string {
		return fmt.Sprintf("&outer{a: i0, b: %s, in: inner{v: %s, next: i1}, arr: [2]T{%s, %s}, list: l0, m: m0, ptrs: []*inner{i1, i2}}", inner(), l(), l(), l())
	}
	text := fmt.Sprintf(`t0, t1 := T(%s), T(%s)
i0, i1, i2 := %s, %s, %s
l0, l1 := []T{%s, %s}, []T{%s, %s}
a0 := [2]T{%s, %s}
m0, m1 := map[string]T{"a": %s, "b": %s}, map[string]T{"a": %s, "b": %s}
o0, o1 := %s, %s
p0, f0 := []*inner{i0, i2}, func() T { return %s }
var h0 holder = i0
q0 := &i1
_, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _ = t0, t1, i0, i1, i2, o0, o1, l0, l1, a0, m0, m1, p0, f0, h0, q0, in`,
		l(), l(), inner(), inner(), inner(), l(), l(), l(), l(), l(), l(), l(), l(), l(), l(), outer(), outer(), l())
	return []Stmt{{Mechanism: "beginning", Text: text}}
}

func (g *generator) leaf() string { return g.pick(g.subject.Leaves...) }

// place is an expression to which a value can be assigned.
func (g *generator) place() string {
	i, o := g.inner(1), g.pick(outers...)
	return g.pick(
		g.pick(values...), i+".v", i+".v", o+".a.v", o+".b.v", o+".in.v", o+".in.next.v", o+".arr["+g.pick("0", "1")+"]",
		g.pick(arrays...)+"["+g.pick("0", "1")+"]", g.pick(lists...)+"["+g.pick("0", "1")+"]", o+".list["+g.pick("0", "1")+"]",
		g.pick(tables...)+"["+g.pick(keys...)+"]", o+".m["+g.pick(keys...)+"]", g.pick(pointers...)+"["+g.pick("0", "1")+"].v",
		o+".ptrs[1].v", "(*q0).v",
	)
}

// addressable is a place whose address can be taken.
func (g *generator) addressable() string {
	i, o := g.inner(1), g.pick(outers...)
	return g.pick(g.pick(values...), i+".v", o+".a.v", o+".in.v", o+".arr[1]", g.pick(arrays...)+"[0]", g.pick(lists...)+"[1]", "p0[0].v")
}

// inner is an expression for a pointer.
func (g *generator) inner(depth int) string {
	if depth == 0 {
		return g.pick(inners...)
	}
	return g.pick(g.linked(), g.linked(), g.linked(), g.linked(), g.pick(inners...)+".next")
}

// linked is an expression for a pointer to what has a next one: all that is stored, so
// that programs do not fail.
func (g *generator) linked() string {
	o := g.pick(outers...)
	return g.pick(g.pick(inners...), g.pick(inners...), o+".a", o+".b", "p0["+g.pick("0", "1")+"]", "(*q0)", "(&"+o+".in)", "same("+g.pick(inners...)+")", o+".ptrs[0]")
}

// value is an expression for a value.
func (g *generator) value(depth int) string {
	if depth == 0 {
		return g.pick(g.leaf(), g.place())
	}
	sub := func() string { return g.value(depth - 1) }
	switch g.r.IntN(22) {
	case 0:
		return "same(" + sub() + ")"
	case 1:
		return "sent(" + sub() + ")"
	case 2:
		return "again(3, " + sub() + ")"
	case 3:
		return "f0()"
	case 4:
		return "h0.get()"
	case 5:
		return "(" + g.inner(1) + ").get()"
	case 6:
		return "either(in[0], " + sub() + ", " + sub() + ")"
	case 7:
		return "first(" + sub() + ", " + sub() + ")"
	case 8:
		return "box[T]{base[T]{" + sub() + "}}.get()"
	case 9:
		return "deferred(" + sub() + ")"
	case 10:
		return "func() T { return " + sub() + " }()"
	case 11:
		return "dep.Keep(" + sub() + ").Get()"
	case 12:
		return "with(set(" + sub() + "))"
	case 13:
		return "only(each(" + sub() + "))"
	case 14:
		return "even(2, " + sub() + ")"
	case 15:
		return g.leaf()
	}
	return g.place()
}

// statement is one that changes memory, or a block.
func (g *generator) statement(depth int) Stmt {
	o, o2, i := g.pick(outers...), g.pick(outers...), g.pick(inners...)
	l, m := g.pick(lists...), g.pick(tables...)
	of := func(mechanism, format string, args ...any) Stmt {
		return Stmt{Mechanism: mechanism, Text: fmt.Sprintf(format, args...)}
	}
	switch g.r.IntN(44) {
	case 0:
		return of("pointer", "%s.%s = %s", o, g.pick("a", "b"), g.pick(inners...))
	case 1:
		return of("pointer", "%s = %s", i, g.linked())
	case 2:
		return of("pointer", "%s.next = %s", i, g.linked())
	case 3:
		return of("pointers", "p0[%s] = %s", g.pick("0", "1"), g.linked())
	case 4:
		return of("pointer to pointer", "q0 = &%s", i)
	case 5:
		return of("pointer to pointer", "*q0 = %s", g.linked())
	case 6:
		return of("alias", "%s = %s", o, o2)
	case 7:
		return of("struct copy", "*%s = *%s", o, o2)
	case 8:
		return of("struct copy", "%s.in = *%s", o, i)
	case 9:
		return of("slice alias", "%s = %s", l, g.pick(g.pick(lists...), g.pick(lists...)+"[:]", o+".list"))
	case 10:
		return of("append", "%s = append(%s[:1], %s)", l, g.pick(lists...), g.value(1))
	case 11:
		return of("append", "%s = append(%s, %s)[1:]", l, g.pick(lists...), g.value(1))
	case 12:
		return of("copy", "copy(%s, %s)", l, g.pick(g.pick(lists...), o+".list", "a0[:]"))
	case 13:
		return of("map alias", "%s = %s", m, g.pick(g.pick(tables...), o+".m"))
	case 14:
		return of("array copy", "a0 = %s.arr", o)
	case 15:
		return of("array copy", "%s.arr = a0", o)
	case 16:
		return of("slice of array", "%s = a0[:]", l)
	case 17:
		return of("setter", "%s.set(%s)", g.pick(inners...), g.value(1))
	case 18:
		return of("setter", "%s.setA(%s)", o, g.value(1))
	case 19:
		return of("interface", "h0 = %s", g.pick(g.inner(1), "&other{"+g.leaf()+"}"))
	case 20:
		return of("interface", "h0.set(%s)", g.value(1))
	case 21:
		return of("out parameter", "out(&%s, %s)", g.addressable(), g.value(1))
	case 22:
		return of("swap", "swap(&%s, &%s)", g.addressable(), g.addressable())
	case 23:
		return of("closure", "func() { %s = %s }()", g.place(), g.value(1))
	case 24:
		return of("function value", "f0 = func() T { return %s }", g.place())
	case 25:
		return of("method value", "f0 = (%s).get", g.inner(1))
	case 26:
		return of("array loop", "for k := range a0 {\n\ta0[k] = %s\n}", g.value(1))
	case 27:
		return of("slice loop", "for k := range %s {\n\t%s[k] = %s\n}", l, l, g.value(1))
	case 28:
		return of("second pass", "for _, e := range p0 {\n\te.v = %s\n}", g.value(1))
	case 29:
		return of("map loop", "for k := range %s {\n\t%s[k] = %s\n}", m, m, g.value(1))
	case 30:
		n := g.fresh("c")
		return of("channel", "%s := make(chan T, 2)\n%s <- %s\n%s <- %s\n%s = <-%s", n, n, g.value(1), n, g.value(1), g.place(), n)
	case 31:
		n := g.fresh("wg")
		return of("goroutine", "var %s sync.WaitGroup\n%s.Add(1)\ngo func() {\n\tdefer %s.Done()\n\t%s = %s\n}()\n%s.Wait()", n, n, n, g.place(), g.value(1), n)
	case 32:
		n := g.fresh("once")
		return of("sync.Once", "var %s sync.Once\n%s.Do(func() { %s = %s })", n, n, g.place(), g.value(1))
	case 33:
		return of("other package", "dep.Set(&%s, %s)", g.addressable(), g.value(1))
	case 34:
		return of("other package", "dep.Fill(%s, %s)", l, g.value(1))
	case 35:
		return of("generic", "put(%s, %s, %s)", m, g.pick(keys...), g.value(1))
	case 36:
		return of("multiple assignment", "%s, %s = %s, %s", g.pick(values...), g.pick(inners...)+".v", g.value(1), g.value(1))
	case 37, 38:
		if depth > 0 {
			s := Stmt{Mechanism: "branch", Text: "if " + g.pick(fmt.Sprintf("in[%d]", depth-1), fmt.Sprintf("!in[%d]", depth-1)) + " {", Body: g.block(1+g.r.IntN(2), depth-1)}
			if g.r.IntN(2) == 0 {
				s.Else = g.block(1, depth-1)
			}
			return s
		}
	case 39:
		if depth > 0 {
			return Stmt{Mechanism: "loop", Text: "for range 2 {", Body: g.block(1+g.r.IntN(2), depth-1)}
		}
	case 40:
		if depth > 0 {
			return Stmt{Mechanism: "iterator", Text: "for range twice {", Body: g.block(1+g.r.IntN(2), depth-1)}
		}
	case 41:
		if depth > 0 {
			return Stmt{Mechanism: "defer", Text: "func() {", Body: []Stmt{of("defer", "defer func() { %s = %s }()", g.place(), g.value(1)), g.statement(depth - 1)}, Close: "}()"}
		}
	}
	return of("store", "%s = %s", g.place(), g.value(1))
}
