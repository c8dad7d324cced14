package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/ttlvet/ttlvet/internal/plain"
)

// JSON writes the report as JSON.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	return e.Encode(r)
}

// Text writes the report for a terminal. all is to list every line of each
// family, and every place.
func (r *Report) Text(w io.Writer, all bool) {
	p := printer{w: w, all: all}
	in := ""
	if r.Dir != "" {
		in = " in " + r.Dir + ", to which places are relative"
	}
	p.printf("module    %s%s", r.Module, in)
	p.found("registry", r.Registry)
	p.found("schema", r.Schema)
	p.found("baseline", r.Baseline)
	p.printf("calls     %s of Bigtable in %s", plural(r.Calls, "call"), plural(r.Packages, "package"))
	p.tables(r.Tables)
	p.entries("in the registry, and used by no call", r.Unused)
	p.entries("in code, and not in the registry: not checked", r.Unregistered)
	p.gaps(r.Unknown)
	p.entries("not evaluated, outside Go", r.Unread)
	p.entries("certainly wrong", r.Wrong)
}

type printer struct {
	w   io.Writer
	all bool
}

func (p printer) printf(format string, args ...any) {
	fmt.Fprintln(p.w, plain.String(fmt.Sprintf(format, args...)))
}

func (p printer) found(what string, f *Found) {
	text := "none"
	if n := len(f.Files); n > 0 {
		text = strings.Join(f.Files[:min(n, p.most())], ", ")
		if n > p.most() {
			text += fmt.Sprintf(" and %d more", n-p.most())
		}
	}
	if f.Holds != "" {
		text += ": " + f.Holds
	}
	p.printf("%-9s %s (%s)", what, text, f.Rule)
}

// most is how many of a list are shown.
func (p printer) most() int {
	if p.all {
		return 1 << 30
	}
	return 5
}

func (p printer) tables(list []*Table) {
	for _, t := range list {
		p.printf("")
		p.printf("table %s", t.Name)
		cells := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
		for _, f := range t.Families {
			findings := plural(f.Findings, "finding")
			if f.Known > 0 {
				findings += fmt.Sprintf(", %d known", f.Known)
			}
			fmt.Fprintf(cells, "  family %s\t%s\t%s\t%s\t%s\t%s\n", plain.String(f.Name), f.Strategy, plural(f.Writes, "write"), plural(f.Reads, "read"), policies(f.Policies), findings)
		}
		cells.Flush()
		for _, f := range t.Families {
			if p.all {
				p.lines(f)
			}
		}
	}
}

func (p printer) lines(f *Family) {
	cells := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	for _, l := range f.Lines {
		fmt.Fprintf(cells, "    %s\t%s of %s\t%s\n", plain.String(l.Place), l.What, plain.String(f.Name), plain.String(l.Text+": "+l.Verdict))
	}
	cells.Flush()
}

func (p printer) entries(title string, list []*Entry) {
	if len(list) == 0 {
		return
	}
	p.printf("")
	p.printf("%s", title)
	for _, e := range list {
		calls := ""
		if e.Calls > 0 {
			calls = ", in " + plural(e.Calls, "call")
		}
		p.printf("  %s: %s%s", e.Place, e.Text, calls)
	}
}

func (p printer) gaps(list []*Gap) {
	if len(list) == 0 {
		return
	}
	p.printf("")
	p.printf("not known, and silent for it")
	for i, g := range list {
		p.printf("  the %s of %s: %s", g.What, plural(len(g.Places), "call"), g.Reason)
		text := strings.Join(g.Places[:min(len(g.Places), p.most())], " ")
		if n := len(g.Places) - p.most(); n > 0 {
			text += fmt.Sprintf(" and %d more", n)
		}
		p.printf("    at:   %s", text)
		if i+1 == len(list) || list[i+1].What != g.What || list[i+1].Help != g.Help {
			p.printf("    help: %s", g.Help)
		}
	}
}

func policies(n int) string {
	if n == 1 {
		return "1 policy"
	}
	return fmt.Sprintf("%d policies", n)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
