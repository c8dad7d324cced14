package callers_test

import (
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/callers"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
)

// A method that a type has of what is embedded in it is idle where this package does not
// call it, and the type has no name elsewhere.
func TestPromotedIdle(t *testing.T) {
	code := layertest.Load(t, `
-- dep/dep.go --
type Base struct{}
func New() *Base
func (*Base) Read()
func (*Base) Write()
-- p/p.go --
type reads struct { *dep.Base }
func read() { r := &reads{dep.New()}; r.Read() }
type binds struct { *dep.Base }
func bind() func() { b := &binds{dep.New()}; return b.Write }
type writer interface { Write() }
type boxes struct { *dep.Base }
func box() writer { return &boxes{dep.New()} }
type Exported struct { *dep.Base }
func export() { _ = &Exported{dep.New()} }
type names struct { base *dep.Base }
func name() { _ = &names{dep.New()} }
`)
	finder := callers.New(code.Prog)
	for fn, want := range map[string]string{
		"read": "Write", "bind": "Read", "box": "Read", "export": "", "name": "",
	} {
		var idle []string
		for _, method := range []string{"Read", "Write"} {
			if finder.PromotedIdle(code.Call(fn, "New"), method) {
				idle = append(idle, method)
			}
		}
		if got := strings.Join(idle, " "); got != want {
			t.Errorf("%s: %q are idle, want %q", fn, got, want)
		}
	}
}
