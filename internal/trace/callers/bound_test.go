package callers

import (
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/layertest"
)

// What a callback becomes at calls is told to callers of callers while steps are left.
func TestMaxCallback(t *testing.T) {
	code := layertest.Load(t, `
func call(f func(bigtable.Timestamp), ts bigtable.Timestamp) { f(ts) }
func inner(f func(bigtable.Timestamp), ts bigtable.Timestamp) { call(f, ts) }
func outer(f func(bigtable.Timestamp), ts bigtable.Timestamp) { inner(f, ts) }
`)
	told := func(most int) (names string) {
		p := New(code.Prog)
		p.maxCallback = most
		p.Events()
		for _, fn := range code.Prog.Funcs {
			if len(p.effects[fn]) > 0 {
				names += fn.Name() + " "
			}
		}
		return names
	}
	if got := told(maxCallback); got != "call inner outer " {
		t.Errorf("%sare told", got)
	}
	if got := told(0); got != "call inner " {
		t.Errorf("without steps %sare told", got)
	}
}
