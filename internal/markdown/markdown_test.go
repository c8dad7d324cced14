package markdown

import (
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/docs"
)

func TestRender(t *testing.T) {
	const source = "## A *title*\n\nSome text with `code` and a [link](to.md), long enough\nto be wrapped.\n\n" +
		"<!-- for tools -->\n\n```go\nf(  x)\n\ng()\n```\n\n- one\n- two is longer than the line is\n\n1. first\n2. second\n\n" +
		"> quoted\n\n| a | b |\n|---|---|\n| 1 | something longer than fits into it |\n| `22` | y\\_z |\n"
	const want = `A title

Some text with ` + "`code`" + `
and a link (there),
long enough to be
wrapped.

    f(  x)

    g()

- one
- two is longer than
  the line is

1. first
2. second

  quoted

a     b
1     something longer
      than fits into
      it
` + "`22`" + `  y_z
`
	got := Render(source, Options{Width: 22, Link: func(string) string { return "there" }})
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestStyles(t *testing.T) {
	got := Render("# T\n\n**b** `c`d [e](f)", Options{Color: true})
	want := "\x1b[1mT\x1b[0m\n\n\x1b[1mb\x1b[0m \x1b[36mc\x1b[0md e (f)\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPages renders every page that there is: no mark is left, and no line is
// too long that could be broken.
func TestPages(t *testing.T) {
	for _, page := range docs.Pages() {
		source, _ := docs.Section(page)
		const width = 72
		for line := range strings.Lines(Render(source, Options{Width: width, Link: func(string) string { return "" }})) {
			line = strings.TrimRight(line, "\n")
			if strings.HasPrefix(line, "    ") {
				continue // code
			}
			for _, mark := range []string{"](", "```", "|--", "<!--"} {
				if strings.Contains(line, mark) {
					t.Errorf("%s: %q is left in %q", page, mark, line)
				}
			}
			if strings.HasPrefix(line, "#") {
				t.Errorf("%s: a heading is left: %q", page, line)
			}
			if visible(line) > width && strings.Contains(strings.TrimSpace(line), " ") && !strings.Contains(line, "  ") {
				t.Errorf("%s: a line of %d columns: %q", page, visible(line), line)
			}
		}
	}
}
