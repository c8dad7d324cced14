package fingerprint

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestEnclosing: each "here" in the source stands in what its line names.
func TestEnclosing(t *testing.T) {
	const src = `package p // here:
import _ "here" // here:
var a, b = f("here"), f("no") // here: a
var c, d = f("no"), f("here") // here: d
var e, g = pair("here") // here: e
var _ = map[string]int{"here": 1} // here: _
var (
	h = 1
	i = func() string { return "here" } // here: i
)
type t struct { x [len("here")]int } // here: t
func j() { func() { f("here") }() } // here: j
func (t) k() { f("here") } // here: t.k
func (x *t) l() { f("here") } // here: t.l
func (x *g1[T]) m() { f("here") } // here: g1.m
func (x g2[T, U]) n() { f("here") } // here: g2.n
func (x *(t)) o() { f("here") } // here: t.o
func init() { f("here") } // here: init
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	offset := 0
	for line := range strings.Lines(src) {
		if at := strings.Index(line, "here"); at >= 0 {
			_, want, _ := strings.Cut(strings.TrimRight(line, "\n"), "// here:")
			pos := f.FileStart + token.Pos(offset+at)
			if got := Enclosing(f, pos); got != strings.TrimSpace(want) {
				t.Errorf("%s: got %q", strings.TrimSpace(line), got)
			}
		}
		offset += len(line)
	}
}

func TestFingerprint(t *testing.T) {
	key := NewKey("r/c", "p [p.test]", "F", "t", "b,a,b")
	if want := (Key{"r/c", "p", "F", "t", "a,b"}); key != want {
		t.Errorf("key is %+v", key)
	}
	c := Counter{}
	first, second := c.Next(key), c.Next(key)
	other := c.Next(NewKey("r/c", "p", "F", "ta", ",b")) // not the same text at other bounds
	if first.Ordinal != 0 || second.Ordinal != 1 || other.Ordinal != 0 {
		t.Errorf("numbered %d, %d and %d", first.Ordinal, second.Ordinal, other.Ordinal)
	}
	// Services keep these: they must never change.
	if got := first.String(); got != "a30c820fc7a7b2df087e2eb732064775" {
		t.Errorf("first is %s", got)
	}
	if first.String() == second.String() || first.String() == other.String() {
		t.Error("two have the same fingerprint")
	}
}
