package btapi

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// writeType writes what types.TypeString returns.
func TestWriteType(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", `package p
import "unsafe"
type T struct{}
type G[E any] struct{ of E }
type A = []T
var (
	a int
	b []byte
	c *T
	d [][]*T
	e G[T]
	f *G[string]
	g A
	h *A
	i error
	j func(T, ...any) (A, error)
	k map[string][]T
	l chan<- *T
	m unsafe.Pointer
	n interface{ M(T) }
	o any
	q rune
)
func local() { type L struct{}; var x []L; _ = x }
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: importer.Default()}
	if _, err := conf.Check("example.com/p", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	for id, obj := range info.Defs {
		if _, ok := obj.(*types.Var); !ok {
			continue
		}
		var b strings.Builder
		writeType(&b, obj.Type())
		if want := types.TypeString(obj.Type(), shortOrPath); b.String() != want {
			t.Errorf("%s is %s, not %s", id.Name, b.String(), want)
		}
	}
}
