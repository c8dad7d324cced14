package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/ttlvet/ttlvet/internal/lazy"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/yamltext"
)

// Update returns the text of a registry file with what is new in the draft,
// and what could not be put in. Every line that is there stays as it is, and an entry
// that somebody made a comment is not new.
func (d *Draft) Update(name string, text []byte) (out string, left []string, err error) {
	if _, err := registry.Parse(name, text); err != nil {
		return "", nil, err
	}
	tree, bad := yamltext.Parse(text, parser.AllowDuplicateMapKey())
	if bad != nil {
		return "", nil, bad
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	u := &updater{lines: lines, at: map[int][]string{}, has: string(text)}
	var root ast.Node
	for _, doc := range tree.Docs {
		if doc.Body != nil {
			root = doc.Body
		}
	}
	tables := valueOf(root, "tables")
	entries := pairs(tables)
	if tables != nil && len(entries) > 0 && flow(tables) {
		for _, t := range d.Tables {
			left = append(left, fmt.Sprintf("table %q: the tables of the file are in one line", t.Name))
		}
		return string(text), left, nil
	}
	for _, t := range d.Tables {
		d.Counts.Certain -= u.refused(t)
		left = append(left, u.table(t, entries)...)
	}
	if tables == nil && len(u.appended) > 0 {
		live := slices.ContainsFunc(d.Tables, (*Table).certain)
		head := "tables:"
		if !live {
			head = "# tables:"
		}
		u.at[len(lines)] = append(u.at[len(lines)], append([]string{head}, u.appended...)...)
	} else if len(u.appended) > 0 {
		after := len(lines)
		if len(entries) > 0 {
			after = lastLine(entries[len(entries)-1].Value)
		}
		u.at[after] = append(u.at[after], u.appended...)
	}
	u.schema(root, d)
	out = u.text()
	if _, err := registry.Parse(name, []byte(out)); err != nil {
		return "", nil, fmt.Errorf("what would be written is no registry, and nothing is: %w", err)
	}
	return out, left, nil
}

type updater struct {
	lines    []string
	at       map[int][]string // lines to insert after the line of that number
	appended []string         // new tables
	has      string
}

// mapping matches the line, or the comment, in which a mapping begins.
var mapping = lazy.Regexp(`^[#\s]*(\S+):\s*(#.*)?$`)

// refused takes out of a table the entries that the file has as comments. It returns
// how many of them count as certain.
func (u *updater) refused(t *Table) (n int) {
	in, comments := false, map[string]bool{}
	for _, line := range u.lines {
		head := mapping().FindStringSubmatch(line)
		switch {
		case head != nil && head[1] != "families":
			in = head[1] == quote(t.Name)
		case in && strings.HasPrefix(strings.TrimSpace(line), "#"):
			comments[strings.Trim(line, "# ")] = true
		}
	}
	t.Families = slices.DeleteFunc(t.Families, func(f *Family) bool {
		there := f.Entry != "" && comments[quote(f.Name)+": "+f.Entry]
		if there && !t.Foreign {
			n++
		}
		return there
	})
	return n
}

// table puts in a table, or the families of one that is there.
func (u *updater) table(t *Table, entries []*ast.MappingValueNode) (left []string) {
	if len(t.Families) == 0 {
		return nil
	}
	for _, e := range entries {
		if e.Key.GetToken().Value != t.Name {
			continue
		}
		families := valueOf(e.Value, "families")
		list := pairs(families)
		for _, f := range t.Families {
			if f.Entry == "" || t.Foreign {
				continue // what is open in a table that somebody keeps is not repeated
			}
			if len(list) == 0 || flow(families) {
				left = append(left, fmt.Sprintf("family %q of table %q, %s: its families are in one line", f.Name, t.Name, f.Entry))
				continue
			}
			last := list[len(list)-1]
			var b strings.Builder
			f.write(&b, strings.Repeat(" ", list[0].Key.GetToken().Position.Column-1))
			after := lastLine(last)
			u.at[after] = append(u.at[after], strings.Split(strings.TrimRight(b.String(), "\n"), "\n")...)
		}
		return left
	}
	if !t.certain() && strings.Contains(u.has, "# "+quote(t.Name)+":") {
		return nil // it is there as a comment
	}
	indent := "  "
	if len(entries) > 0 {
		indent = strings.Repeat(" ", entries[0].Key.GetToken().Position.Column-1)
	}
	var b strings.Builder
	t.write(&b, indent)
	u.appended = append(u.appended, strings.Split(strings.TrimRight(b.String(), "\n"), "\n")...)
	return nil
}

// schema adds the sources where the file has no list of its own.
func (u *updater) schema(root ast.Node, d *Draft) {
	if valueOf(root, "schema") == nil && len(d.Sources) > 0 {
		n := len(u.lines)
		u.at[n] = append(u.at[n], strings.Split(strings.TrimRight(d.schema(), "\n"), "\n")...)
	}
}

func (u *updater) text() string {
	var b strings.Builder
	for i, line := range u.lines {
		b.WriteString(line + "\n")
		for _, l := range u.at[i+1] {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

// valueOf returns the value of a key of a mapping, or nil.
func valueOf(n ast.Node, key string) ast.Node {
	for _, p := range pairs(n) {
		if p.Key.GetToken().Value == key {
			return p.Value
		}
	}
	return nil
}

func pairs(n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

func flow(n ast.Node) bool {
	m, ok := n.(*ast.MappingNode)
	return ok && m.IsFlowStyle
}

// lastLine returns the last line of a node.
func lastLine(n ast.Node) int {
	v := &liner{}
	ast.Walk(v, n)
	return v.line
}

type liner struct{ line int }

// Visit, of ast.Visitor, notes the lines of tokens.
func (l *liner) Visit(n ast.Node) ast.Visitor {
	if tk := n.GetToken(); tk != nil && tk.Position != nil {
		l.line = max(l.line, tk.Position.Line)
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		if n.End != nil && n.End.Position != nil {
			l.line = max(l.line, n.End.Position.Line)
		}
	case *ast.SequenceNode:
		if n.End != nil && n.End.Position != nil {
			l.line = max(l.line, n.End.Position.Line)
		}
	}
	return l
}
