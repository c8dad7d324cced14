package summary

import (
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/value"
)

// caseOf makes a case of one argument: words are conditions, "!a" is that a is not.
func caseOf(arg, chooses, happens string) Case {
	guards := func(words string) (gs []Guard) {
		for _, w := range strings.Fields(words) {
			gs = append(gs, Guard{Cond: value.StrOf(strings.TrimPrefix(w, "!")), Want: !strings.HasPrefix(w, "!")})
		}
		return gs
	}
	return Case{Args: []*value.Value{value.StrOf(arg)}, Guards: guards(chooses), When: guards(happens)}
}

func TestReduced(t *testing.T) {
	for _, test := range []struct {
		name string
		of   []Case
		want []Case
	}{
		{"either way", []Case{caseOf("x", "a", ""), caseOf("x", "!a", "")}, []Case{caseOf("x", "", "")}},
		{"two conditions, all ways", []Case{caseOf("x", "a b", ""), caseOf("x", "!a b", ""), caseOf("x", "a !b", ""), caseOf("x", "!a !b", "")}, []Case{caseOf("x", "", "")}},
		{"implied", []Case{caseOf("x", "a b", ""), caseOf("x", "a", "")}, []Case{caseOf("x", "a", "")}},
		{"the rest of one is in the other", []Case{caseOf("x", "a", ""), caseOf("x", "!a b", "")}, []Case{caseOf("x", "a", ""), caseOf("x", "b", "")}},
		{"other values", []Case{caseOf("x", "a", ""), caseOf("y", "!a", "")}, []Case{caseOf("x", "a", ""), caseOf("y", "!a", "")}},
		{"two differ", []Case{caseOf("x", "a b", ""), caseOf("x", "!a !b", "")}, []Case{caseOf("x", "a b", ""), caseOf("x", "!a !b", "")}},
		{"of the other kind", []Case{caseOf("x", "a", ""), caseOf("x", "", "!a")}, []Case{caseOf("x", "a", ""), caseOf("x", "", "!a")}},
		{"when it happens", []Case{caseOf("x", "", "a b"), caseOf("x", "", "a !b")}, []Case{caseOf("x", "", "a")}},
		{"both ways in one, as in a loop", []Case{caseOf("x", "a !a", ""), caseOf("x", "b", "")}, []Case{caseOf("x", "a !a", ""), caseOf("x", "b", "")}},
	} {
		got := Reduced(test.of, func(c Case) string { return ArgString(c.Args) })
		if text(got) != text(test.want) {
			t.Errorf("%s: got %s, want %s", test.name, text(got), text(test.want))
		}
	}
}

func text(cases []Case) string {
	var s []string
	for _, c := range cases {
		s = append(s, GuardString(c.Guards)+"| "+GuardString(c.When)+"| "+ArgString(c.Args))
	}
	return strings.Join(s, "; ")
}
