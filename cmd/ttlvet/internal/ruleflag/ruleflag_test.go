package ruleflag

import (
	"slices"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/rule"
)

// FuzzRules: a list of rules holds known names only, or is an error in one line.
func FuzzRules(f *testing.F) {
	for _, s := range []string{"ttlwrite", "ttlwrite/write-time, ttlread", ",,", "ttlwriet", "all", "ttlwrite/", "/", "write-time", "\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var l List
		if err := l.Set(s); err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the error for %q has several lines: %v", s, err)
			}
			return
		}
		for _, name := range l {
			known := slices.ContainsFunc(rule.All, func(r rule.Rule) bool { return r.Name() == name || r.Analyzer == name })
			if !known {
				t.Errorf("%q holds the unknown rule %q", s, name)
			}
		}
		var again List
		if err := again.Set(l.String()); err != nil || !slices.Equal(again, l) {
			t.Errorf("%q is %q, and then %q, %v", s, l, again, err)
		}
	})
}
