package docs

import (
	"regexp"
	"strings"
	"testing"
)

func TestReference(t *testing.T) {
	for _, c := range []struct{ page, link, want string }{
		{"ttlgc", "#no-policy", "ttlvet explain ttlgc/no-policy"},
		{"ttlgc", "ttlwrite.md#stale-survivor", "ttlvet explain ttlwrite/stale-survivor"},
		{"ttlgc", "registry.md", "ttlvet explain registry.md"},
		{"ttlgc", "README.md#the-tables-of-the-examples", "ttlvet explain README.md"},
		{"registry", "../README.md#limits", "https://github.com/ttlvet/ttlvet/blob/main/README.md#limits"},
		{"registry", "https://example.com/a", "https://example.com/a"},
	} {
		if got := Reference(c.page, c.link); got != c.want {
			t.Errorf("Reference(%q, %q) = %q, not %q", c.page, c.link, got, c.want)
		}
	}
}

// TestReferencesLead checks that the commands that links become show something.
func TestReferencesLead(t *testing.T) {
	links := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, page := range Pages() {
		text, _ := Section(page)
		for _, m := range links.FindAllStringSubmatch(text, -1) {
			ref := Reference(page, m[1])
			name, isCommand := strings.CutPrefix(ref, "ttlvet explain ")
			if _, ok := Section(strings.TrimSuffix(name, ".md")); isCommand && !ok {
				t.Errorf("%s: %s becomes %q, which shows nothing", page, m[1], ref)
			}
			if !isCommand && !strings.HasPrefix(ref, "https://") {
				t.Errorf("%s: %s becomes %q", page, m[1], ref)
			}
		}
	}
}

func TestAbsolute(t *testing.T) {
	got := Absolute("ttlgc", "[a](#x) [b](registry.md#y) [c](https://e.org) [d](../LICENSE)")
	want := "[a](" + site + "docs/ttlgc.md#x) [b](" + site + "docs/registry.md#y) [c](https://e.org) [d](" + site + "LICENSE)"
	if got != want {
		t.Errorf("got %s", got)
	}
}
