// Package report prints findings: for people, as JSON, as SARIF and as GitLab reads
// them.
package report

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/finding"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/shown"
	"github.com/ttlvet/ttlvet/internal/explain"
	"github.com/ttlvet/ttlvet/internal/input"
	"github.com/ttlvet/ttlvet/internal/place"
	"github.com/ttlvet/ttlvet/internal/plain"
)

// A Text prints findings for people, and for programs that read lines: on a
// terminal each comes with its line of source, and a count closes them.
type Text struct {
	Out     io.Writer
	Shown   shown.Dir
	Color   string // auto, always or never
	Verbose bool   // how values were resolved, too
}

// Print prints the findings.
func (t Text) Print(findings []*finding.Finding) {
	p := t.printer()
	var how map[explain.Place][]string
	if t.Verbose {
		how = explanations(findings)
	}
	for _, f := range findings {
		p.finding(t.Shown.Position(f.From), t.reached(f), f)
		for _, line := range how[explain.Place{File: f.From.Filename, Line: f.From.Line}] {
			fmt.Fprintln(p.out, "\t"+plain.String(line))
		}
	}
	if p.rich && len(findings) > 0 {
		mendable, unsafe := 0, 0
		for _, f := range findings {
			switch {
			case f.Mendable():
				mendable++
			case f.Unsafe:
				unsafe++
			}
		}
		p.count(len(findings), mendable, unsafe)
	}
}

// reached returns the message of a finding, in which the place that its call reaches
// can be opened.
func (t Text) reached(f *finding.Finding) string {
	text := strings.TrimSuffix(f.Message, " ("+f.Rule()+")")
	if f.Pkg.Module == nil {
		return text
	}
	return place.Rename(text, func(file string) string {
		shown, err := filepath.Rel(string(t.Shown), filepath.Join(f.Pkg.Module.Dir, filepath.FromSlash(file)))
		if err != nil {
			return file
		}
		return filepath.ToSlash(shown)
	})
}

// A printer prints findings for people or for programs.
type printer struct {
	out    io.Writer
	rich   bool // show source and count
	color  bool
	source map[string][][]byte // lines by file
}

// printer returns the printer for the terminal or the pipe at hand.
func (t Text) printer() *printer {
	terminal := IsTerminal(t.Out)
	p := &printer{out: t.Out, source: map[string][][]byte{}}
	p.rich = terminal || t.Color == "always"
	switch t.Color {
	case "always":
		p.color = true
	case "auto":
		p.color = terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	return p
}

// IsTerminal reports whether what is written appears on a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Stat() (fs.FileInfo, error) })
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

func (p *printer) finding(position, message string, f *finding.Finding) {
	fmt.Fprintf(p.out, "%s %s%s\n", p.style(bold, plain.String(position)+":"), plain.String(message), p.style(dim, " ("+f.Rule()+")"))
	if p.rich {
		p.line(f)
	}
}

// line prints the offending line and marks the place in it.
func (p *printer) line(f *finding.Finding) {
	lines, ok := p.source[f.From.Filename]
	if !ok && f.Shows() {
		if data, err := input.Read(f.From.Filename, input.Source); err == nil {
			lines = bytes.Split(data, []byte("\n"))
		}
		p.source[f.From.Filename] = lines
	}
	if f.From.Line < 1 || f.From.Line > len(lines) {
		return
	}
	line := bytes.TrimRight(lines[f.From.Line-1], "\r")
	start := f.From.Column - 1
	if start < 0 || start > len(line) {
		return
	}
	before, marked, after := plain.String(string(line[:start])), "", plain.String(string(line[start:]))
	if f.To.Line == f.From.Line && f.To.Column-1 > start && f.To.Column-1 <= len(line) {
		marked = plain.String(string(line[start : f.To.Column-1]))
	}
	// Tabs stay tabs, so that the mark stands below its place whatever the
	// terminal makes of them.
	var indent strings.Builder
	for _, r := range before {
		if r == '\t' {
			indent.WriteByte('\t')
		} else {
			indent.WriteByte(' ')
		}
	}
	mark := "^" + strings.Repeat("~", max(utf8.RuneCountInString(marked), 1)-1)
	fmt.Fprintf(p.out, "%s%s\n%s%s\n", before, after, indent.String(), p.style(yellow, mark))
}

// count prints how many findings there are, and how many -fix and, beside
// them, -unsafe-fixes would fix.
func (p *printer) count(findings, mendable, unsafe int) {
	s := fmt.Sprintf("%d findings", findings)
	if findings == 1 {
		s = "1 finding"
	}
	switch {
	case mendable == 0:
		s += ", none of them fixable with -fix"
	case mendable == findings && findings == 1:
		s += ", fixable with -fix"
	default:
		s += fmt.Sprintf(", %d of them fixable with -fix", mendable)
	}
	if unsafe > 0 {
		s += fmt.Sprintf(", %d with -unsafe-fixes", unsafe)
	}
	fmt.Fprintf(p.out, "%s\n", p.style(bold, s))
	if mendable < findings {
		fmt.Fprintf(p.out, "%s\n", p.style(dim, "ttlvet explain RULE tells what a rule is about"))
	}
}
