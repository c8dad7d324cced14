package sarif

import (
	"bytes"
	"unicode/utf8"

	"github.com/ttlvet/ttlvet/internal/input"
)

// Columns turns columns that count bytes, as those of go/token, into columns
// that count UTF-16 code units. It keeps the files that it reads; the zero
// value is ready.
type Columns struct{ lines map[string][][]byte }

// Column returns the column of a byte in a line of a file. Line and column
// count from 1. Where the file cannot be read, or has no such place, it is the
// byte's own.
func (c *Columns) Column(file string, line, column int) int {
	lines, ok := c.lines[file]
	if !ok {
		if data, err := input.Read(file, input.Source); err == nil { // //line can name a device
			lines = bytes.Split(data, []byte("\n"))
		}
		if c.lines == nil {
			c.lines = map[string][][]byte{}
		}
		c.lines[file] = lines
	}
	if line < 1 || line > len(lines) || column < 1 || column-1 > len(lines[line-1]) {
		return column
	}
	return UTF16Len(lines[line-1][:column-1]) + 1
}

// UTF16Len is the number of UTF-16 code units that a text takes. A byte that
// is no UTF-8 counts as one.
func UTF16Len(text []byte) int {
	n := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if n++; r > 0xFFFF {
			n++
		}
		text = text[size:]
	}
	return n
}
