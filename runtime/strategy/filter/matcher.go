package filter

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
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
	if t.compiled {
		return t.matches
	}
	t.compiled = true
	if !t.takeText() {
		t.matches = compile(t.Pattern)
	}
	return t.matches
}

// takeText makes the matcher of a pattern that needs no compiling, and reports
// whether it is one.
func (t *Tree) takeText() bool {
	if !t.Pattern.Known || !plainText(t.Pattern.S) {
		return false
	}
	t.literal = matcher{literal: t.Pattern.S}
	t.matches, t.compiled = &t.literal, true
	return true
}

func compile(pattern Text) *matcher {
	if !pattern.Known {
		return nil
	}
	if _, err := syntax.Parse(pattern.S, syntax.Perl); err != nil {
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
	for i := range len(s) {
		if special[s[i]] {
			return false
		}
	}
	return true
}

// special are the bytes that may mean something in a pattern.
var special = func() (all [256]bool) {
	for i := range all {
		all[i] = i >= 0x80 || strings.IndexByte(`\.+*?()|[]{}^$`, byte(i)) >= 0
	}
	return all
}()

// A Cache keeps compiled patterns for trees that come again and again. It is
// safe for concurrent use.
type Cache struct {
	mu       sync.Mutex
	matchers map[string]*matcher
}

// maxPatterns bounds what a cache keeps.
const maxPatterns = 1000

// Prepare gives the tree its compiled pattern.
func (c *Cache) Prepare(t *Tree) {
	if !t.Pattern.Known || t.takeText() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	m, ok := c.matchers[t.Pattern.S]
	if !ok {
		if c.matchers == nil || len(c.matchers) >= maxPatterns {
			c.matchers = map[string]*matcher{}
		}
		m = compile(t.Pattern)
		c.matchers[t.Pattern.S] = m
	}
	t.matches, t.compiled = m, true
}
