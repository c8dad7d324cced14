package eval_test

import (
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Of a value that has more fields than are resolved, the first are known.
func TestTooLarge(t *testing.T) {
	keys := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}
	resolved := 0
	var nested func(depth int) *value.Value
	nested = func(depth int) *value.Value {
		if depth == 0 {
			return value.IntOf(1)
		}
		return &value.Value{Kind: value.Struct, Keys: keys, Lazy: func(string) *value.Value {
			resolved++
			return nested(depth - 1)
		}}
	}
	var s eval.Settler
	v := s.Force(nested(4), 4)
	if got := v.Get("a").Get("a").Get("a").Get("a").String(); got != "1" {
		t.Errorf("the first is %s", got)
	}
	if got := v.Get("j").String(); got != "?a value too large to follow" {
		t.Errorf("the last is %s", got)
	}
	if resolved > 1100 {
		t.Errorf("%d fields are resolved", resolved)
	}
	if got := s.Force(nested(2), 4).Size(); got != 111 {
		t.Errorf("a smaller one has %d parts", got)
	}
}
