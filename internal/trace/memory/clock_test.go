package memory_test

import (
	"fmt"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// above stands in for the layer above: it knows constants and calls of the
// package time, and that a function returns what its last return says.
type clockAbove struct{ *program.Program }

func (a clockAbove) Unchosen() memory.Path { return a }

func (a clockAbove) Eval(v ssa.Value, _ ssa.Instruction) *value.Value {
	switch v := v.(type) {
	case *ssa.Call:
		if fn := v.Call.StaticCallee(); fn != nil {
			var args []*value.Value
			for _, arg := range v.Call.Args {
				args = append(args, a.Eval(arg, v))
			}
			return value.Apply(fn.RelString(nil), args...)
		}
	case *ssa.Const:
		return kind.ConstantValue(v)
	case *ssa.Function:
		return &value.Value{Kind: value.Func, Name: v.Name(), Site: v}
	case *ssa.MakeInterface:
		return a.Eval(v.X, nil)
	}
	return value.UnknownFor("what this layer does not see")
}

func (a clockAbove) ResultsOf(fn *ssa.Function) []summary.ResultCase {
	for _, b := range fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			return []summary.ResultCase{{Values: []*value.Value{a.Eval(r.Results[0], r)}}}
		}
	}
	return nil
}

func (a clockAbove) Later(_ *ssa.Call, called *value.Value) *value.Value {
	return &value.Value{Kind: value.Call, Name: value.Invoke, Args: []*value.Value{called}}
}

func (a clockAbove) Called(later *value.Value) *value.Value {
	if f, ok := later.Args[0].Site.(*ssa.Function); ok {
		if f.Blocks == nil {
			return value.Apply(f.RelString(nil))
		}
		return a.ResultsOf(f)[0].Values[0]
	}
	return later
}

// A call of which it is not known what it runs reads the clock where all that
// the package gives for it does.
func TestReading(t *testing.T) {
	code := layertest.Load(t, `
type clocked interface { Now() time.Time }
type system struct{}
func (system) Now() time.Time { return time.Now() }
type source interface { At() time.Time }
type started struct{}
func (started) At() time.Time { return time.Unix(0, 0) }
type store struct { now, mixed, never func() time.Time; name func() string }
func newStore() *store { return &store{now: time.Now, mixed: time.Now} }
func epoch() time.Time { return time.Unix(0, 0) }
func later() *store { return &store{mixed: epoch} }
func f(s *store, c clocked, at source, given func() time.Time) {
	show(s.now()) // clock
	show(s.mixed()) // none
	show(s.never()) // none
	show(s.name()) // none
	show(c.Now()) // clock
	show(at.At()) // none
	show(given()) // clock
}
func g(s *store, c clocked, at source) { f(s, c, at, time.Now) }
`)
	clocks := memory.NewClocks(code.Prog, clockAbove{code.Prog})
	code.Check(func(s layertest.Shown) string {
		r := clocks.Reading(clockAbove{code.Prog}, s.Value.(*ssa.Call), value.UnknownFor("a call"))
		if r.Is(value.Clock) {
			return "clock"
		}
		return "none"
	})
}

// One of several functions that tells the current time is enough, where no other
// is known to tell another.
func TestTellNow(t *testing.T) {
	code := layertest.Load(t, `
func now() time.Time { return time.Now() }
var kept time.Time
func held() time.Time { return kept }
func epoch() time.Time { return time.Unix(0, 0) }
func two() (time.Time, error) { return time.Now(), nil }
`)
	clocks := memory.NewClocks(code.Prog, clockAbove{code.Prog})
	for _, test := range []struct {
		fns  []string
		want bool
	}{
		{[]string{"now"}, true},
		{[]string{"now", "held"}, true},
		{[]string{"held"}, false},
		{[]string{"now", "epoch"}, false},
		{[]string{"two"}, false},
	} {
		var fns []*ssa.Function
		for _, name := range test.fns {
			fns = append(fns, code.Func(name))
		}
		if got := clocks.TellNow(fns); got != test.want {
			t.Errorf("%v tell the current time: %t", test.fns, got)
		}
	}
}

// A method value of an interface reads the clock where the types that implement it
// tell the current time.
func TestBound(t *testing.T) {
	code := layertest.Load(t, `
type clocked interface { Now() time.Time }
type system struct{}
func (system) Now() time.Time { return time.Now() }
type source interface { At() time.Time }
type started struct{}
func (started) At() time.Time { return time.Unix(0, 0) }
func f(c clocked, at source) {
	show(c.Now) // true
	show(at.At) // false
}
`)
	clocks := memory.NewClocks(code.Prog, clockAbove{code.Prog})
	code.Check(func(s layertest.Shown) string {
		fn := s.Value.(*ssa.MakeClosure).Fn.(*ssa.Function)
		return fmt.Sprint(clocks.Bound(fn, kind.Object(fn), value.Time))
	})
}
