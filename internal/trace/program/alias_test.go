package program_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// Two values are of one place if they are read along one path from one root. Two
// conditions ask the same of what is set where its struct is made and nowhere else.
func TestSame(t *testing.T) {
	code := layertest.Load(t, `
type options struct { dry bool; limit int; list []string }
type job struct { opts options; changed bool }
func (j *job) change() { j.changed = true }
func same[T any](T, T) {}
func f(j, k *job, b bool) {
	same(j.opts.list, j.opts.list) // same place
	same(j.opts.list, k.opts.list) //
	same(b, b) // same place, same condition
	same(j.opts.dry, j.opts.dry) // same place, same condition
	same(j.opts.dry, !j.opts.dry) // opposite condition
	same(j.opts.limit > 3, j.opts.limit > 3) // same condition
	same(j.opts.limit > 3, j.opts.limit <= 3) // opposite condition
	same(j.opts.limit > 3, j.opts.limit > 4) //
	same(j.changed, j.changed) // same place
}
`)
	n := 0
	for _, call := range code.Prog.Calls[code.Func("f")] {
		a, b := call.Common().Args[0], call.Common().Args[1]
		var said []string
		if program.SamePlace(code.Prog, a, b) {
			said = append(said, "same place")
		}
		switch same, negated := program.SameCondition(code.Prog, a, b); {
		case same && negated:
			said = append(said, "opposite condition")
		case same && kind.Deref(a.Type()).String() == "bool":
			said = append(said, "same condition")
		}
		if got, want := strings.Join(said, ", "), code.Comment(call); got != want {
			t.Errorf("%s: got %s, want %s", call, got, want)
		}
		n++
	}
	if n != 9 {
		t.Errorf("%d pairs", n)
	}
}

// A function is done with what it makes at its only return without an error, or, of
// several, where the literal is used first; with what it goes on to set, nowhere.
func TestHandedOut(t *testing.T) {
	code := layertest.Load(t, `
type store struct { family string }
func once() (*store, error) {
	s := &store{}
	if os.Getenv("X") == "" {
		return nil, errors.New("x")
	}
	s.family = "a"
	return s, nil
}
func twice(b bool) *store {
	if b {
		return &store{family: "a"}
	}
	return &store{family: "b"}
}
func given(b bool) *store {
	s := &store{}
	use(s)
	if b {
		return s
	}
	return s
}
func kept(list []*store) []*store {
	for range 3 {
		list = append(list, &store{family: "a"})
	}
	return list
}
func use(s *store) { s.family = "c" }
`)
	for fn, want := range map[string]string{"once": "*ssa.Return", "twice": "*ssa.Return", "given": "<nil>", "kept": "*ssa.Store"} {
		for _, b := range code.Func(fn).Blocks {
			for _, instr := range b.Instrs {
				if a, ok := instr.(*ssa.Alloc); ok && kind.StructName(a.Type()) != nil {
					if got := fmt.Sprintf("%T", program.HandedOut(code.Prog, a)); got != want {
						t.Errorf("%s: %s is handed out at %s, want %s", fn, a.Comment, got, want)
					}
				}
			}
		}
	}
}
