package markdown

import (
	"strings"
	"unicode/utf8"

	east "github.com/yuin/goldmark/extension/ast"
)

// table renders a table in columns, of which those that do not fit are
// wrapped, the widest first.
func (r *renderer) table(n *east.Table, width int) string {
	var rows [][][]word
	var columns []int
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		style := ""
		if _, head := c.(*east.TableHeader); head {
			style = bold
		}
		var row [][]word
		for cell := c.FirstChild(); cell != nil; cell = cell.NextSibling() {
			words := r.words(cell, style)
			if len(row) == len(columns) {
				columns = append(columns, 0)
			}
			columns[len(row)] = max(columns[len(row)], lineWidth(words))
			row = append(row, words)
		}
		if !empty(row) {
			rows = append(rows, row)
		}
	}
	fit(columns, width)
	var lines []string
	for _, row := range rows {
		lines = append(lines, r.row(row, columns)...)
	}
	return strings.Join(lines, "\n")
}

func empty(row [][]word) bool {
	for _, cell := range row {
		if len(cell) > 0 {
			return false
		}
	}
	return true
}

func lineWidth(words []word) int {
	n := max(len(words)-1, 0)
	for _, w := range words {
		n += w.width()
	}
	return n
}

// gap is between two columns.
const gap = "  "

// fit narrows columns until all stand in the width.
func fit(columns []int, width int) {
	const least = 12
	for width > 0 {
		total, widest := len(gap)*(len(columns)-1), 0
		for i, n := range columns {
			total += n
			if n > columns[widest] {
				widest = i
			}
		}
		if total <= width || columns[widest] <= least {
			return
		}
		columns[widest] = max(columns[widest]-(total-width), second(columns, widest), least)
	}
}

// second is the width of the widest column but one, less one: the widest is
// not narrowed far below it at once.
func second(columns []int, widest int) int {
	n := 0
	for i, w := range columns {
		if i != widest {
			n = max(n, w)
		}
	}
	return n - 1
}

func (r *renderer) row(row [][]word, columns []int) []string {
	var cells [][]string
	height := 0
	for i, words := range row {
		lines := strings.Split((&renderer{Options: r.Options}).wrap(words, max(columns[i], 1)), "\n")
		cells = append(cells, lines)
		height = max(height, len(lines))
	}
	var out []string
	for y := range height {
		var b strings.Builder
		for x, lines := range cells {
			s := ""
			if y < len(lines) {
				s = lines[y]
			}
			b.WriteString(s)
			if x < len(cells)-1 {
				b.WriteString(strings.Repeat(" ", max(columns[x]-visible(s), 0)) + gap)
			}
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}

// visible is the width of a text without its styles.
func visible(s string) int {
	n := utf8.RuneCountInString(s)
	for {
		_, rest, ok := strings.Cut(s, "\x1b[")
		if !ok {
			return n
		}
		style, after, _ := strings.Cut(rest, "m")
		n -= len("\x1b[m") + len(style)
		s = after
	}
}
