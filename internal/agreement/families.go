package agreement

import (
	"slices"
	"sort"
	"strings"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// A Table is what is known of one table, or of the tables of one pattern.
type Table struct {
	Name     string // a name or pattern; "" for what no table is known of
	Declared *registry.Table
	Handles  []string // through which Go code holds it, where its name is not known
	Nameless bool     // only its handle is known, of which Name is the end
	Families []*Family
	InGo     bool // Go code names it
}

// A Family is what is known of one family.
type Family struct {
	Name     string
	Declared *registry.Family
	Settings []*evidence.Setting
	Writes   []*evidence.Write
	Reads    []*evidence.Read
}

// Tables arranges what is known by tables and families, sorted.
func (a *Agreement) Tables() []*Table {
	g := &arranger{a: a, tables: map[string]*Table{}}
	for _, t := range a.Model.Tables {
		if t.Pattern == "" {
			continue
		}
		row := g.table(t.Pattern)
		row.Declared = t
		for _, f := range t.Families {
			g.family(row, f.Name).Declared = f
		}
	}
	g.patterns()
	for _, list := range [][]*evidence.Setting{a.Schema.Settings, a.Code.Settings} {
		for _, s := range list {
			g.setting(s)
		}
	}
	for _, w := range a.Code.Writes {
		if w.Family != "" {
			g.write(w)
		}
	}
	for _, r := range a.Code.Reads {
		g.read(r)
	}
	var out []*Table
	for _, t := range g.tables {
		slices.Sort(t.Handles)
		sort.Slice(t.Families, func(i, j int) bool { return t.Families[i].Name < t.Families[j].Name })
		if len(t.Families) > 0 {
			out = append(out, t)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

type arranger struct {
	a      *Agreement
	tables map[string]*Table
	globs  []string // those of them that are patterns
}

func (g *arranger) table(name string) *Table {
	t := g.tables[name]
	if t == nil {
		t = &Table{Name: name}
		g.tables[name] = t
		if strings.Contains(name, "*") {
			g.globs = append(g.globs, name)
		}
	}
	return t
}

func (g *arranger) family(t *Table, name string) *Family {
	for _, f := range t.Families {
		if f.Name == name {
			return f
		}
	}
	f := &Family{Name: name}
	t.Families = append(t.Families, f)
	return f
}

// patterns makes a row for each pattern that Go code opens tables by: names
// that it covers belong to it.
func (g *arranger) patterns() {
	add := func(ref registry.Ref) {
		if strings.Contains(ref.Name, "*") && g.declared(ref) == nil {
			g.table(ref.Name)
		}
	}
	for _, w := range g.a.Code.Writes {
		add(w.Table)
	}
	for _, r := range g.a.Code.Reads {
		add(r.Table)
	}
	for _, s := range g.a.Code.Settings {
		if s.Table != "*" {
			add(registry.Ref{Name: s.Table})
		}
	}
}

func (g *arranger) declared(ref registry.Ref) *registry.Table {
	t, _ := g.a.Model.Table(ref)
	if t == nil || t.Pattern == "" {
		return nil
	}
	return t
}

// row returns the row of a table that is known by name or pattern, or nil.
func (g *arranger) row(ref registry.Ref) *Table {
	if t := g.declared(ref); t != nil {
		return g.table(t.Pattern)
	}
	if ref.Name == "" {
		return nil
	}
	if g.tables[ref.Name] == nil && !strings.Contains(ref.Name, "*") {
		var covering []*Table
		for _, name := range g.globs {
			if registry.Overlaps(name, ref.Name) {
				covering = append(covering, g.tables[name])
			}
		}
		if len(covering) == 1 {
			return covering[0]
		}
	}
	return g.table(ref.Name)
}

func (g *arranger) setting(s *evidence.Setting) {
	if s.Family == "" || strings.Contains(s.Family, "*") {
		return
	}
	var t *Table
	if s.Table == "*" {
		if t = g.byFamily(s.Family); t == nil {
			return
		}
	} else {
		t = g.row(registry.Ref{Name: s.Table})
	}
	if s.Kind == evidence.Go {
		t.InGo = true
	}
	f := g.family(t, s.Family)
	f.Settings = append(f.Settings, s)
}

// byFamily returns the only table that has a family of that name, or nil.
func (g *arranger) byFamily(name string) *Table {
	var found *Table
	for _, t := range g.tables {
		for _, f := range t.Families {
			if f.Name == name && t.Name != "" && !t.Nameless {
				if found != nil {
					return nil
				}
				found = t
			}
		}
	}
	return found
}

// held returns the row of a table of which only the field, variable or
// function is known that holds it.
func (g *arranger) held(handle string) *Table {
	name := handle[strings.LastIndexByte(handle, '.')+1:]
	if t := g.tables[name]; t != nil && !t.Nameless || t != nil && !slices.Contains(t.Handles, handle) {
		name = strings.ReplaceAll(registry.ShortHandle(handle), ".", "-")
	}
	t := g.table(name)
	if len(t.Families) == 0 && !slices.Contains(t.Handles, handle) {
		t.Nameless, t.Handles = true, append(t.Handles, handle)
	}
	return t
}

// resolve returns the row of a table in Go code, and notes the handles
// through which it is held where its name is not known whole.
func (g *arranger) resolve(ref registry.Ref, families []string) *Table {
	t := g.row(ref)
	for i := 0; t == nil && i < len(families); i++ {
		t = g.byFamily(families[i])
	}
	if t == nil && len(ref.Handles) > 0 {
		t = g.held(ref.Handles[0])
	}
	if t == nil {
		t = g.table("")
	}
	t.InGo = true
	if !ref.Known() && t.Name != "" && !t.Nameless && g.declared(ref) == nil {
		for _, h := range ref.Handles {
			if !slices.Contains(t.Handles, h) {
				t.Handles = append(t.Handles, h)
			}
		}
	}
	return t
}

func (g *arranger) write(w *evidence.Write) {
	f := g.family(g.resolve(w.Table, []string{w.Family}), w.Family)
	f.Writes = append(f.Writes, w)
}

func (g *arranger) read(r *evidence.Read) {
	if r.Keys {
		return
	}
	t := g.resolve(r.Table, r.Families)
	if t.Name == "" && len(r.Families) == 0 {
		return
	}
	if r.Families != nil {
		for _, name := range r.Families {
			f := g.family(t, name)
			f.Reads = append(f.Reads, r)
		}
		return
	}
	for _, f := range t.Families {
		if !Excludes(r, f.Name) {
			f.Reads = append(f.Reads, r)
		}
	}
}
