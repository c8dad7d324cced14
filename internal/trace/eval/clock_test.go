package eval_test

import (
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/value"
)

// sources are an interface of which all that implement it tell the current time, and one
// of which none does.
const sources = `
type clocked interface { Now() time.Time }
type system struct{}
func (system) Now() time.Time { return time.Now() }
type source interface { At() time.Time }
type started struct{}
func (started) At() time.Time { return time.Unix(0, 0) }
`

// A call of which it is not known what it runs reads the clock where all that
// the package gives for it does.
func TestReading(t *testing.T) {
	code := layertest.Load(t, sources+`
type store struct { now, mixed, never, read, at func() time.Time; name func() string }
func bound(c clocked, at source) *store { return &store{read: c.Now, at: at.At} }
func newStore() *store { return &store{now: time.Now, mixed: time.Now} }
func epoch() time.Time { return time.Unix(0, 0) }
func later() *store { return &store{mixed: epoch} }
func f(s *store, c clocked, at source, given func() time.Time) {
	show(s.now()) // clock
	show(s.mixed()) // none
	show(s.never()) // none
	show(s.name()) // none
	show(s.read()) // clock
	show(s.at()) // none
	show(c.Now()) // clock
	show(at.At()) // none
	show(given()) // clock
}
func g(s *store, c clocked, at source) { f(s, c, at, time.Now) }
`)
	e := eval.New(code.Prog)
	code.Check(func(s layertest.Shown) (reads string) {
		e.Explore(false, 1, func(q *eval.Path) []*value.Value {
			reads = "none"
			if e.Clocks.Reading(q, s.Value.(*ssa.Call), value.UnknownFor("a call")).Is(value.Clock) {
				reads = "clock"
			}
			return nil
		}, func(*eval.Path, []*value.Value) {})
		return reads
	})
}

// One of several functions that tells the current time is enough, where no other
// is known to tell another.
func TestTellNow(t *testing.T) {
	code := layertest.Load(t, `
func now() time.Time { return time.Now() }
var kept time.Time
func keep(t time.Time) { kept = t }
func held() time.Time { return kept }
func epoch() time.Time { return time.Unix(0, 0) }
func two() (time.Time, error) { return time.Now(), nil }
`)
	clocks := eval.New(code.Prog).Clocks
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
