package outline

import (
	"go/format"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestOutline(t *testing.T) {
	const source = `package p

import "bytes"

import (
	. "dot"
	"fmt"
	"gopkg.in/yaml.v3"
	_ "embed"
	"net/http"
	"strings"
	str "strconv"
	v2 "example.com/v2"
)

import "C"

var handler http.Handler = fmt.Sprint(1)

var f = func() int { return strings.Count("", "") }

var n yaml.Node

type T[E any] struct{ b bytes.Buffer }

func init() { str.Itoa(1) }

func external(int) int

func (t *T[E]) Do(c C.int) v2.X { return fmt.Sprint("body") }
`
	const want = `package p

import "bytes"

import (
	. "dot"
	"gopkg.in/yaml.v3"
	"net/http"
	v2 "example.com/v2"
)

import "C"

var handler http.Handler

var f = func() int {}

var n yaml.Node

type T[E any] struct{ b bytes.Buffer }

func init()            {}
func external(int) int {}

func (t *T[E]) Do(c C.int) v2.X {}
`
	file := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := Parse(fset, file)
	if err != nil {
		t.Fatal(err)
	}
	paths := Prune(f, func(path string) string {
		if path == "gopkg.in/yaml.v3" {
			return "yaml"
		}
		return ""
	})
	if want := []string{"bytes", "dot", "gopkg.in/yaml.v3", "net/http", "example.com/v2", "C"}; !slices.Equal(paths, want) {
		t.Errorf("the imports are %q, not %q", paths, want)
	}
	var b strings.Builder
	if err := format.Node(&b, fset, f); err != nil {
		t.Fatal(err)
	}
	if squeeze(b.String()) != squeeze(want) {
		t.Errorf("got\n%s", &b)
	}
}

// squeeze leaves out the lines and blanks that positions of what has gone
// make the printer add.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestSyntaxError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(file, []byte("package p\n\nfunc f() { return ) }\n\ntype T int\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Parse(token.NewFileSet(), file)
	if err == nil || f == nil || !strings.Contains(err.Error(), "p.go:3:") {
		t.Errorf("%v, %v", f, err)
	}
	if f, err := Parse(token.NewFileSet(), file+"x"); f != nil || err == nil {
		t.Errorf("a file that is not there: %v, %v", f, err)
	}
}
