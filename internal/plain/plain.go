// Package plain makes text from outside fit for people's eyes: names of tables and
// families, lines of source, messages of others may hold what a terminal takes for
// commands, and what turns the direction of writing.
package plain

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is how many bytes of a text are shown.
const longest = 2000

// String returns a text as one line in which everything can be seen: what is no
// letter, mark, number, sign or space is written as Go writes it, such as \x1b. Tabs
// stay. Of a text of thousands of characters the beginning is shown.
func String(s string) string {
	if len(s) > longest {
		end := longest
		for end > longest-utf8.UTFMax && !utf8.RuneStart(s[end]) {
			end--
		}
		return escape(s[:end], "\t") + "…"
	}
	return escape(s, "\t")
}

// escape writes what cannot be seen, except for the characters to keep, as Go does.
func escape(s, keep string) string {
	var b strings.Builder
	last := 0 // where what is not yet written begins
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || !unicode.IsGraphic(r) && !strings.ContainsRune(keep, r) {
			q := strconv.QuoteToGraphic(s[i : i+size])
			b.WriteString(s[last:i] + q[1:len(q)-1])
			last = i + size
		}
		i += size
	}
	if last == 0 {
		return s
	}
	return b.String() + s[last:]
}

// Writer returns a writer on which text appears as by [String], in the lines that it
// has. Each call must be handed whole characters.
func Writer(w io.Writer) io.Writer { return writer{w} }

type writer struct{ io.Writer }

func (w writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, escape(string(p), "\t\n")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Raw returns the writer below one of [Writer], for what ttlvet itself tells a
// terminal, and any other writer as it is.
func Raw(w io.Writer) io.Writer {
	if w, ok := w.(writer); ok {
		return w.Writer
	}
	return w
}
