package program_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
)

// An address is a root and the path from there: fields by number, elements of
// arrays below zero. What a literal captures is the enclosing function's.
func TestAddress(t *testing.T) {
	code := layertest.Load(t, `
type inner struct { a, b string }
type outer struct { n int; in inner; list [3]string; ptr *inner }
var shared outer
func f(p *outer, i int) {
	var local outer
	show(&local.in.b) // local [1 1]
	show(&local.list[2]) // local [2 -3]
	show(&local.list[i]) // local [2 any]
	show(&local.ptr.b) // *ssa.UnOp [1]
	show(&p.in) // p [1]
	show(&shared.n) // shared [0]
	func() {
		show(&local.n) // local [0]
	}()
}
`)
	code.Check(func(s layertest.Shown) string {
		root, path := code.Prog.Address(s.Value)
		name := root.Name()
		switch r := root.(type) {
		case *ssa.Alloc:
			name = r.Comment
		case *ssa.UnOp:
			name = "*ssa.UnOp"
		}
		return fmt.Sprintf("%s %s", name, strings.ReplaceAll(fmt.Sprint(path), fmt.Sprint(kind.AnyElement), "any"))
	})
}

// The stores that reach a use are those that no other store to the same place
// follows on the way; entry says that some way has none.
func TestReaching(t *testing.T) {
	code := layertest.Load(t, `
type config struct { family, column string }
func f(again bool) {
	var c config
	show(&c.family) // entry
	c.family = "a"
	show(&c.family) // a
	c.column = "x"
	if again {
		c.family = "b"
	}
	show(&c.family) // a b
	c.family = "c"
	show(&c.family) // c
	show(&c.column) // x
	for again {
		show(&c.family) // c d
		c.family = "d"
	}
}
`)
	code.Check(func(s layertest.Shown) string {
		root, path := code.Prog.Address(s.Value)
		defs, entry := code.Prog.Reaching(code.Prog.Stores[root], path, s.Call, nil)
		var out []string
		for _, d := range defs {
			out = append(out, strings.Trim(d.Val.(*ssa.Const).Value.String(), `"`))
		}
		if entry {
			out = append(out, "entry")
		}
		return strings.Join(out, " ")
	})
}

// Fields lists what is stored to a field of objects that are not local,
// Created where objects of a type are made.
func TestFields(t *testing.T) {
	code := layertest.Load(t, `
type store struct { family string }
func newStore() *store { return &store{family: "made"} }
func (s *store) set() { s.family = "set" }
func local() { var s store; s.family = "local"; show(s.family) }
`)
	name := kind.StructName(code.Prog.Pkg.Type("store").Type())
	field := kind.StructField(name.Type(), 0)
	var stored, made []string
	for _, s := range code.Prog.Fields[field] {
		stored = append(stored, layertest.NameOf(s.Fn))
	}
	for _, a := range code.Prog.Created[name] {
		made = append(made, layertest.NameOf(a.Parent()))
	}
	if got, want := fmt.Sprint(stored, made), "[store.set] [newStore local]"; got != want {
		t.Errorf("stored and made in %s, want %s", got, want)
	}
}

// EscapesBefore reports whether somebody who may store was given the address.
func TestEscapes(t *testing.T) {
	code := layertest.Load(t, `
type Config struct { Family string }
type own struct { family string }
func scanned() {
	var c Config
	fmt.Sscan("", &c.Family)
	c.Family = "x" // escapes
}
func boxed() {
	var c Config
	fmt.Println(&c)
	c.Family = "x" // escapes
}
func read() {
	var c Config
	far(own{c.Family})
	c.Family = "x" // kept
}
func private() {
	var c own
	farther(&c)
	c.family = "x" // kept: nobody else can name the field
}
func far(own)
func farther(*own)
`)
	for fn, want := range map[string]bool{"scanned": true, "boxed": true, "read": false, "private": false} {
		for _, b := range code.Func(fn).Blocks {
			for _, instr := range b.Instrs {
				if s, ok := instr.(*ssa.Store); ok {
					if a, path := code.Prog.Address(s.Addr); len(path) == 1 && path[0] == 0 {
						if a, ok := a.(*ssa.Alloc); ok && kind.StructName(a.Type()) != nil {
							if got := code.Prog.EscapesBefore(a, s); got != want {
								t.Errorf("%s: escapes before the store: %t", fn, got)
							}
						}
					}
				}
			}
		}
	}
}
