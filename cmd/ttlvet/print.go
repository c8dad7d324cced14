package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/ttlvet/ttlvet/internal/explain"
	"github.com/ttlvet/ttlvet/internal/rule"
)

// print prints the findings and returns the exit code. On a terminal each
// comes with its line of source, and a count closes them.
func (c *config) print(findings []*finding) int {
	p := c.printer()
	var how map[explain.Place][]string
	if c.verbose {
		how = explanations(findings)
	}
	for _, f := range findings {
		p.finding(c.position(f.pos), f)
		for _, line := range how[explain.Place{File: f.pos.Filename, Line: f.pos.Line}] {
			fmt.Fprintln(p.out, "\t"+line)
		}
	}
	if p.rich && len(findings) > 0 {
		mendable, unsafe := 0, 0
		for _, f := range findings {
			switch {
			case c.mendable(f):
				mendable++
			case f.unsafe:
				unsafe++
			}
		}
		p.count(len(findings), mendable, unsafe)
	}
	if len(findings) > 0 {
		return exitFindings
	}
	return exitClean
}

// A printer prints findings for people or for programs.
type printer struct {
	out    io.Writer
	rich   bool // show source and count
	color  bool
	source map[string][][]byte // lines by file
}

// printer returns the printer for the terminal or the pipe at hand.
func (c *config) printer() *printer {
	terminal := isTerminal(c.stdout)
	p := &printer{out: c.stdout, source: map[string][][]byte{}}
	p.rich = terminal || c.color == "always"
	switch c.color {
	case "always":
		p.color = true
	case "auto":
		p.color = terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	return p
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Styles, as the parameters of the terminal's "select graphic rendition".
const (
	bold   = "1"
	dim    = "2"
	yellow = "1;33"
)

func (p *printer) style(style, s string) string {
	if !p.color {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

func (p *printer) finding(position string, f *finding) {
	suffix := " (" + f.rule() + ")"
	message := strings.TrimSuffix(f.Message, suffix)
	fmt.Fprintf(p.out, "%s %s%s\n", p.style(bold, position+":"), message, p.style(dim, suffix))
	if p.rich {
		p.line(f)
	}
}

// line prints the offending line and marks the place in it.
func (p *printer) line(f *finding) {
	lines, ok := p.source[f.pos.Filename]
	if !ok {
		if data, err := os.ReadFile(f.pos.Filename); err == nil {
			lines = bytes.Split(data, []byte("\n"))
		}
		p.source[f.pos.Filename] = lines
	}
	if f.pos.Line < 1 || f.pos.Line > len(lines) {
		return
	}
	line := bytes.TrimRight(lines[f.pos.Line-1], "\r")
	start := f.pos.Column - 1
	if start < 0 || start > len(line) {
		return
	}
	width := 1
	if f.end.Line == f.pos.Line && f.end.Column-1 > start && f.end.Column-1 <= len(line) {
		width = utf8.RuneCount(line[start : f.end.Column-1])
	}
	// Tabs stay tabs, so that the mark stands below its place whatever the
	// terminal makes of them.
	var indent strings.Builder
	for _, r := range string(line[:start]) {
		if r == '\t' {
			indent.WriteByte('\t')
		} else {
			indent.WriteByte(' ')
		}
	}
	mark := "^" + strings.Repeat("~", width-1)
	fmt.Fprintf(p.out, "%s\n%s%s\n", line, indent.String(), p.style(yellow, mark))
}

// count prints how many findings there are, and how many -fix and, beside
// them, -unsafe-fixes would mend.
func (p *printer) count(findings, mendable, unsafe int) {
	s := fmt.Sprintf("%d findings", findings)
	if findings == 1 {
		s = "1 finding"
	}
	switch {
	case mendable == 0:
		s += ", none of them mendable by -fix"
	case mendable == findings && findings == 1:
		s += ", mendable by -fix"
	default:
		s += fmt.Sprintf(", %d of them mendable by -fix", mendable)
	}
	if unsafe > 0 {
		s += fmt.Sprintf(", %d by -unsafe-fixes", unsafe)
	}
	fmt.Fprintf(p.out, "%s\n", p.style(bold, s))
	if mendable < findings {
		fmt.Fprintf(p.out, "%s\n", p.style(dim, "ttlvet explain RULE tells what a rule is about"))
	}
}

// rulesText lists the rules for people.
func rulesText() string {
	var b strings.Builder
	for _, r := range rule.All {
		strict := ""
		if r.Strict {
			strict = " [strict]"
		}
		fmt.Fprintf(&b, "%-*s  %s%s\n", ruleWidth(), r.Name(), r.Summary, strict)
	}
	return b.String()
}

func ruleWidth() int {
	width := 0
	for _, name := range rule.Names() {
		width = max(width, len(name))
	}
	return width
}
