package filter

import (
	"regexp"
	"strings"
)

// A matcher matches a pattern as the service does: RE2, the whole text.
type matcher struct {
	literal string // what matches nothing but itself
	re      *regexp.Regexp
}

// MatchString reports whether the pattern matches all of s.
func (m *matcher) MatchString(s string) bool {
	if m.re == nil {
		return s == m.literal
	}
	return m.re.MatchString(s)
}

// matcher returns the tree's pattern, nil for one that is not known or that
// the service rejects.
func (t *Tree) matcher() *matcher {
	if !t.compiled {
		t.matches, t.compiled = compile(t.Pattern), true
	}
	return t.matches
}

func compile(pattern Text) *matcher {
	if !pattern.Known {
		return nil
	}
	if plainText(pattern.S) {
		return &matcher{literal: pattern.S}
	}
	if _, err := regexp.Compile(pattern.S); err != nil {
		return nil // also of what only the brackets make whole
	}
	re, err := regexp.Compile("^(?s:" + pattern.S + ")$")
	if err != nil {
		return nil
	}
	return &matcher{re: re}
}

// plainText reports whether a pattern has nothing but characters that stand
// for themselves, as most names of families and columns: to compile it would
// cost more than all the rest.
func plainText(s string) bool {
	special := func(r rune) bool {
		return r >= 0x80 || strings.ContainsRune(`\.+*?()|[]{}^$`, r)
	}
	return !strings.ContainsFunc(s, special)
}
