package plain

import (
	"io"
	"strings"
	"testing"
)

func TestString(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"sessions/größe 漢字 \"x\\y\" €😀": "sessions/größe 漢字 \"x\\y\" €😀",
		"a\tb":                     "a\tb",
		"\x1b[31mred\x1b[0m":       `\x1b[31mred\x1b[0m`,
		"\x1b]0;title\a":           `\x1b]0;title\a`,
		"\u009b31m":                `\u009b31m`,
		"a\nttlvet: all is well\r": `a\nttlvet: all is well\r`,
		"admin\u202e\u2066":        `admin\u202e\u2066`,
		"\xff\x9b":                 `\xff\x9b`,
		"\x00\x7f\u2028":           `\x00\x7f\u2028`,
	} {
		if got := String(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
		if got := String(want); got != want {
			t.Errorf("what can be seen becomes %q", got)
		}
	}
}

// TestLong holds that a long text is cut between two characters.
func TestLong(t *testing.T) {
	for _, text := range []string{strings.Repeat("a", 1<<20), strings.Repeat("ö", 1<<20), "a" + strings.Repeat("漢", 1<<20)} {
		got, cut := strings.CutSuffix(String(text), "…")
		if !cut || len(got) > longest || len(got) < longest-3 || !strings.HasPrefix(text, got) {
			t.Errorf("%d bytes are shown", len(got))
		}
	}
	if got := String(strings.Repeat("\x80", 1<<20)); len(got) > 5*longest {
		t.Errorf("%d bytes are shown", len(got))
	}
	if text := strings.Repeat("a", longest); String(text) != text {
		t.Error("a text is cut that is short enough")
	}
}

func TestWriter(t *testing.T) {
	var b strings.Builder
	w := Writer(&b)
	n, err := io.WriteString(w, "one\n\ttwo \x1b[2J\n")
	if got, want := b.String(), "one\n\ttwo \\x1b[2J\n"; got != want || n != len("one\n\ttwo \x1b[2J\n") || err != nil {
		t.Errorf("wrote %q, %d, %v", got, n, err)
	}
	if Raw(w) != io.Writer(&b) || Raw(&b) != io.Writer(&b) {
		t.Error("the writer below is another")
	}
}
