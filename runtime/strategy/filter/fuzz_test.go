package filter

import (
	"regexp"
	"testing"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// FuzzFamily judges filters of families and columns by any text that a program
// may hand to them.
func FuzzFamily(f *testing.F) {
	for _, s := range []string{"token", "tok.*", "(?i)token|profile", "a)|(b", "[", `\C`, "(a{1000}){1000}", "^token$", "\xff"} {
		f.Add(s, "token")
	}
	f.Fuzz(func(t *testing.T, pattern, family string) {
		text := Text{Known: true, S: pattern}
		whole, err := regexp.Compile(`\A(?s:` + pattern + `)\z`)
		if _, alone := regexp.Compile(pattern); alone != nil {
			err = alone // the service rejects it
		}
		if re := compile(text); (re == nil) != (err != nil) {
			t.Errorf("%q compiles: %t, though the error is %v", pattern, re != nil, err)
		} else if err == nil && re.MatchString(family) != whole.MatchString(family) {
			t.Errorf("%q matches %q: %t", pattern, family, re.MatchString(family))
		}
		of := &strategy.Family{Name: family, Strategy: strategy.OneSecond}
		alone := Judge(&Tree{Op: Family, Pattern: text}, of)
		if err == nil && !whole.MatchString(family) && alone.Verdict != Excluded {
			t.Errorf("%q does not match %q, and the verdict is %v", pattern, family, alone.Verdict)
		}
		if err == nil && whole.MatchString(family) && (alone.Verdict == Excluded || alone.Verdict == Bounded) {
			t.Errorf("%q matches %q, and the verdict is %v", pattern, family, alone.Verdict)
		}
		Judge(&Tree{Op: Chain, Sub: []*Tree{{Op: Column, Pattern: text}, {Op: Cell, Pattern: text}, {Op: RowKey, Pattern: text}}}, of)
	})
}
