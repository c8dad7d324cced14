package agreement

import (
	"fmt"
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
	Guessed  bool // only its families say that what holds it in Go code has this name
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
	g := &arranger{a: a, tables: map[string]*Table{}, written: map[written]bool{}}
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
	g.holders = hold(g.refs(), g.named, g.a.Module())
	g.titles()
	g.dissolve()
	// What goes to a table that is known comes first: the rest is judged by it.
	for _, later := range []bool{false, true} {
		for _, list := range [][]*evidence.Setting{a.Schema.Settings, a.Code.Settings} {
			for _, s := range list {
				if g.unknown(refOf(s)) == later {
					g.setting(s)
				}
			}
		}
		if !later {
			g.connect()
		}
		for _, w := range a.Code.Writes {
			if w.Family != "" && !w.Table.Fake && g.unknown(w.Table) == later {
				g.write(w)
			}
		}
		for _, r := range a.Code.Reads {
			if !r.Table.Fake && g.unknown(r.Table) == later {
				g.read(r)
			}
		}
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
	a       *Agreement
	tables  map[string]*Table
	globs   []string // those of them that are patterns
	holders *holders
	title   map[string]string // how rows that only have handles are called
	written map[written]bool
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

// refOf is what a setting tells of its table.
func refOf(s *evidence.Setting) registry.Ref {
	ref := registry.Ref{Name: s.Table, Handles: s.Handles}
	if s.Table == "*" {
		ref.Name = ""
	}
	return ref
}

// refs lists the references to tables in Go code.
func (g *arranger) refs() (refs []registry.Ref) {
	for _, w := range g.a.Code.Writes {
		refs = append(refs, w.Table)
	}
	for _, r := range g.a.Code.Reads {
		refs = append(refs, r.Table)
	}
	for _, s := range g.a.Code.Settings {
		refs = append(refs, refOf(s))
	}
	for _, c := range g.a.Code.Calls {
		if c.OnlyTable && !c.Test { // it tells which table an object holds
			refs = append(refs, c.Tables...)
		}
	}
	return refs
}

// patterns makes a row for each pattern that Go code opens tables by: names
// that it covers, and narrower patterns, belong to it.
func (g *arranger) patterns() {
	for _, ref := range g.refs() {
		if strings.Contains(ref.Name, "*") && says(ref.Name) && g.declared(ref) == nil && !slices.Contains(g.globs, ref.Name) {
			g.table(ref.Name)
		}
	}
	sort.Slice(g.globs, func(i, j int) bool {
		a, b := g.globs[i], g.globs[j]
		return len(a) < len(b) || len(a) == len(b) && a < b // the widest first
	})
}

// says reports whether a pattern says anything of the name.
func says(pattern string) bool {
	return strings.IndexFunc(pattern, func(r rune) bool { return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' }) >= 0
}

func (g *arranger) declared(ref registry.Ref) *registry.Table {
	t, _ := g.a.Model.Table(ref)
	if t == nil || t.Pattern == "" {
		return nil
	}
	return t
}

// named returns the name of the row of a table that is known by name or
// pattern, or "".
func (g *arranger) named(ref registry.Ref) string {
	if t := g.declared(ref); t != nil {
		return t.Pattern
	}
	if ref.Name == "" || !says(ref.Name) {
		return ""
	}
	var covering []string
	for _, glob := range g.globs {
		switch {
		case glob == ref.Name || !registry.Covers(glob, ref.Name):
		case g.tables[glob].Declared == nil && !slices.ContainsFunc(covering, func(c string) bool { return registry.Covers(c, glob) }):
			covering = append(covering, glob)
		}
	}
	if len(covering) == 1 {
		return covering[0]
	}
	return ref.Name
}

// row returns the row of a table that is known by name, by pattern or by what
// holds it, or nil.
func (g *arranger) row(ref registry.Ref) *Table {
	if name := g.named(ref); name != "" {
		return g.table(name)
	}
	for _, h := range ref.Handles {
		if name := g.holders.name[h]; name != "" {
			if title := g.title[name]; title != "" {
				return g.tables[title]
			}
			return g.table(name)
		}
	}
	return nil
}

// unknown reports whether nothing says which table it is.
func (g *arranger) unknown(ref registry.Ref) bool { return g.row(ref) == nil }

func (g *arranger) setting(s *evidence.Setting) {
	if s.Family == "" || strings.Contains(s.Family, "*") {
		return
	}
	t := g.row(refOf(s))
	if t == nil {
		if t = g.byFamily(s.Family); t == nil {
			return
		}
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
			if f.Name == name && t.Name != "" {
				if found != nil {
					return nil
				}
				found = t
			}
		}
	}
	return found
}

// resolve returns the row of a table in Go code, and notes the handles
// through which it is held where its name is not known whole.
func (g *arranger) resolve(ref registry.Ref, families []string) *Table {
	t := g.row(ref)
	for i := 0; t == nil && i < len(families); i++ {
		t = g.byFamily(families[i])
	}
	if t == nil {
		t = g.table("")
	}
	t.InGo = true
	if !ref.Known() && t.Name != "" && !t.Nameless && g.declared(ref) == nil {
		for _, h := range ref.Handles {
			if name := g.holders.name[h]; (name == t.Name || g.title[name] == t.Name) && !slices.Contains(t.Handles, h) {
				t.Handles = append(t.Handles, h)
			}
		}
	}
	return t
}

// write adds a write, once: on many ways to it the same is written.
func (g *arranger) write(w *evidence.Write) {
	f := g.family(g.resolve(w.Table, []string{w.Family}), w.Family)
	key := *w
	key.Table, key.Text, key.Reason = registry.Ref{}, "", ""
	if seen := (written{f, fmt.Sprint(key)}); !g.written[seen] {
		g.written[seen] = true
		f.Writes = append(f.Writes, w)
	}
}

// written is a write to a family, by all that counts of it.
type written struct {
	family *Family
	what   string
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
			if name != "" { // which no family is called
				f := g.family(t, name)
				f.Reads = append(f.Reads, r)
			}
		}
		return
	}
	for _, f := range t.Families {
		if !Excludes(r, f.Name) {
			f.Reads = append(f.Reads, r)
		}
	}
}
