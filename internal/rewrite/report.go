package rewrite

import (
	"fmt"
	"strings"
)

// A Table is what transformations do to the findings of modules. Its zero value
// is ready to use.
type Table struct {
	rows  map[string]*Row
	names []string
}

// A Row is what one transformation does.
type Row struct {
	Findings, Concerned, Appeared, Lost, Moved int
}

// Add adds what a transformation does to one module.
func (t *Table) Add(m *Module, tr *Transformation, c *Change) {
	t.add(tr.Name, Row{m.Findings(), c.Concerned, len(c.Appeared), len(c.Lost), len(c.Moved)})
}

func (t *Table) add(name string, more Row) {
	if t.rows == nil {
		t.rows = map[string]*Row{}
	}
	r := t.rows[name]
	if r == nil {
		r = &Row{}
		t.rows[name] = r
		t.names = append(t.names, name)
	}
	r.Findings += more.Findings
	r.Concerned += more.Concerned
	r.Appeared += more.Appeared
	r.Lost += more.Lost
	r.Moved += more.Moved
}

// Percent returns how many of a hundred concerned findings are lost.
func (r *Row) Percent() float64 { return 100 * float64(r.Lost) / float64(max(r.Concerned, 1)) }

// String returns the table in Markdown.
func (t *Table) String() string {
	var out strings.Builder
	out.WriteString("| transformation | findings | concerned | appeared | lost | of concerned | moved |\n|---|--:|--:|--:|--:|--:|--:|\n")
	var all Table
	line := func(name string, r *Row) {
		fmt.Fprintf(&out, "| %s | %d | %d | %d | %d | %.1f %% | %d |\n", name, r.Findings, r.Concerned, r.Appeared, r.Lost, r.Percent(), r.Moved)
	}
	for _, name := range t.names {
		line(name, t.rows[name])
		all.add("**all**", *t.rows[name])
	}
	for _, name := range all.names {
		line(name, all.rows[name])
	}
	return out.String()
}
