package value_test

import (
	"testing"

	"github.com/ttlvet/ttlvet/internal/value"
)

// TestSprint: a space stands between two operands of which neither is a text.
func TestSprint(t *testing.T) {
	for _, test := range []struct {
		want string
		args []*value.Value
	}{
		{"a1 2b", []*value.Value{value.StrOf("a"), value.IntOf(1), value.IntOf(2), value.StrOf("b")}},
		{"1 true", []*value.Value{value.IntOf(1), value.BoolOf(true)}},
		{"*-b", []*value.Value{value.UnknownFor("x"), value.StrOf("-b")}},
		{"1*", []*value.Value{value.IntOf(1), value.UnknownFor("x")}},
		{"", nil},
	} {
		if got := value.Glob(value.Apply(value.Text, value.ListOf(test.args...))); got != test.want {
			t.Errorf("%v: %q, not %q", test.args, got, test.want)
		}
	}
}
