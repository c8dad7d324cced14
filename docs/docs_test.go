package docs

import (
	"slices"
	"strings"
	"testing"
)

func TestPages(t *testing.T) {
	pages := Pages()
	for _, want := range []string{"README", "registry", "ttlage", "ttlgc", "ttlread", "ttlunit", "ttlvet", "ttlwrite"} {
		if !slices.Contains(pages, want) {
			t.Errorf("no page %s in %v", want, pages)
		}
	}
	for _, p := range pages {
		if text, ok := Section(p); !ok || !strings.HasPrefix(text, "# ") {
			t.Errorf("page %s does not begin with its title", p)
		}
	}
}

// TestIndex checks that the index, from which the site's list of pages is made, has all
// pages.
func TestIndex(t *testing.T) {
	index, _ := Section("README")
	for _, p := range Pages() {
		if p != "README" && !strings.Contains(index, "]("+p+".md)") {
			t.Errorf("the index does not link to %s.md", p)
		}
	}
}

// TestTableCells checks that a cell of a table can be taken in at a glance: it has less
// than 15 words. The reference is made from the program's help.
func TestTableCells(t *testing.T) {
	for _, page := range Pages() {
		text, _ := Section(page)
		fenced := false
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if fenced || !strings.HasPrefix(line, "|") || page == "reference" {
				continue
			}
			for cell := range strings.SplitSeq(line, "|") {
				if n := len(strings.Fields(cell)); n >= 15 {
					t.Errorf("%s: a cell has %d words: %s", page, n, strings.TrimSpace(cell))
				}
			}
		}
	}
}

func TestSection(t *testing.T) {
	text, ok := Section("ttlwrite/server-timestamp")
	if !ok || !strings.HasPrefix(text, "## server-timestamp\n") || strings.Contains(text, "\n## ") {
		t.Errorf("section is %q", text)
	}
	for _, name := range []string{"", "nosuch", "ttlwrite/nosuch", "ttlwrite/", "ttlwrite/server-timestamp/x", "../docs"} {
		if text, ok := Section(name); ok {
			t.Errorf("section %q is %.40q", name, text)
		}
	}
}

func TestSections(t *testing.T) {
	got := Sections("# t\nintro\n## a\n```sh\n## not\n```\n\n## b\nx\n")
	want := []Part{{"a", "## a\n```sh\n## not\n```\n"}, {"b", "## b\nx\n"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestExamples(t *testing.T) {
	got := Examples("## a\nBad:\n\n```go\nf()\n```\n\nor\n\n```go\nelse()\n```\n\nGood:\n\n```go\n\tg()\nh()\n```\n")
	want := []Example{{true, "f()\n"}, {false, "\tg()\nh()\n"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}
