package memory_test

import (
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/value"
)

// What a call stores in a local variable is what its function leaves there, with the
// call's arguments, by way of others too; it is not known where it is deferred, or has not
// run by then.
func TestEffectsOfCalls(t *testing.T) {
	check(t, `
type row struct{ family string }
func set(p *string, to string) { *p = to }
func outer(p *string, to string) { set(p, to) }
func later(p *string) { defer set(p, "last"); *p = "first" }
func maybe(p *string, b bool) { if b { *p = "maybe" } }
func again(p *string, n int) { if n > 0 { again(p, n-1) }; set(p, "again") }
func looks(p *string) { fmt.Println(*p) }
func f(b bool) {
	var direct, nested, deferred, sometimes, literal, once, circle, kept, concurrent string
	set(&direct, "direct")
	show(direct) // "direct"
	outer(&nested, "nested")
	show(nested) // "nested"
	later(&deferred)
	show(deferred) // ?what a deferred call stores
	func() { literal = "literal" }()
	show(literal) // "literal"
	var o sync.Once
	o.Do(func() { once = "once" })
	show(once) // "once"
	kept = "kept"
	looks(&kept)
	show(kept) // "kept"
	go set(&concurrent, "concurrent")
	show(concurrent) // ?what a call stores
	again(&circle, 1)
	show(circle) // ?a part of memory that may have been written by way of another pointer
	sometimes = "before"
	maybe(&sometimes, b)
	show(sometimes) // if $1 "maybe" | if !($1) "before"
	r := row{family: "a"}
	func() { set(&r.family, "b") }()
	show(r.family) // "b"
}
`)
}

// An argument leaves a field out where the caller makes the struct itself and nothing
// sets the field.
func TestLeavesOut(t *testing.T) {
	code := layertest.Load(t, `
type inner struct{ family string }
type conf struct { in inner; table string }
func use(c *conf)  {}
func none()        { use(&conf{table: "t"}) }
func set()         { use(&conf{in: inner{family: "token"}}) }
func later()       { c := &conf{}; c.in.family = "token"; use(c) }
func given(c *conf) { use(c) }
`)
	for fn, want := range map[string]bool{"none": true, "set": false, "later": false, "given": false} {
		call := code.Call(fn, "use")
		target, _ := code.Prog.Target(call.Common())
		read(code, true, func(r *memory.Reader) *value.Value {
			if got := r.Arguments(target, call).LeavesOut(0, []string{"in", "family"}); got != want {
				t.Errorf("%s leaves the family out: %v", fn, got)
			}
			if r.Arguments(target, call).LeavesOut(0, []string{"in", "missing"}) {
				t.Errorf("%s leaves out a field that there is not", fn)
			}
			return value.NilValue()
		})
	}
}
