package program_test

import (
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/layertest"
)

// RunsOnce: the initialisation of the package, what it calls, and what a
// sync.Once of the package runs; not what others may call, nor a goroutine,
// which may go on.
func TestRunsOnce(t *testing.T) {
	code := layertest.Load(t, `
var once, renewed sync.Once
var lazy = sync.OnceFunc(func() {})
var x = made()
type store struct { once sync.Once }
func init() { setup(); func() {}(); go func() {}() }
func made() int { return 1 }
func setup() {}
func both() {}
func byOnce() { both() }
func Exported() {}
func unused() {}
func f(s *store) {
	both()
	once.Do(byOnce)
	once.Do(func() {})
	renewed.Do(func() {})
	s.once.Do(func() {})
	renewed = sync.Once{}
}
`)
	for fn, want := range map[string]bool{
		"init": true, "init#1": true, "init#1$1": true, "init#1$2": false, "init$1": true, "made": true, "setup": true, "byOnce": true, "both": false,
		"Exported": false, "unused": false, "f$1": true, "f$2": false, "f$3": false, "f": false,
	} {
		if got := code.Prog.RunsOnce(code.Func(fn)); got != want {
			t.Errorf("%s runs once: %t", fn, got)
		}
	}
}
