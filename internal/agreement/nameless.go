package agreement

import (
	"maps"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/registry"
)

// titles makes a row for each table of which only handles are known: it is
// called by the last part of one, as far as no other is.
func (g *arranger) titles() {
	g.title = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(g.holders.of)) {
		handles := g.holders.of[name]
		if !strings.HasPrefix(name, nameless) {
			continue
		}
		title := handles[0][strings.LastIndexByte(handles[0], '.')+1:]
		if g.tables[title] != nil {
			title = strings.ReplaceAll(registry.ShortHandle(handles[0]), ".", "-")
		}
		for g.tables[title] != nil {
			title += "-"
		}
		t := g.table(title)
		t.Nameless, t.Handles = true, handles
		g.title[name] = title
	}
}

// used lists the families that Go code names in each table that it knows.
func (g *arranger) used() map[*Table]map[string]bool {
	of := map[*Table]map[string]bool{}
	note := func(ref registry.Ref, families ...string) {
		if t := g.row(ref); t != nil && t.Declared == nil {
			if of[t] == nil {
				of[t] = map[string]bool{}
			}
			for _, f := range families {
				if f != "" && f != "*" {
					of[t][f] = true
				}
			}
		}
	}
	for _, w := range g.a.Code.Writes {
		note(w.Table, w.Family)
	}
	for _, r := range g.a.Code.Reads {
		note(r.Table, r.Families...)
	}
	for _, s := range g.a.Code.Settings {
		note(refOf(s), s.Family)
	}
	return of
}

// dissolve takes a table for not known of which nothing is known but one handle
// and that has a family of another table: it is that one, or several flow
// through the handle.
func (g *arranger) dissolve() {
	of := g.used()
	for _, t := range g.tables {
		for _, f := range t.Families { // declared
			if of[t] == nil {
				of[t] = map[string]bool{}
			}
			of[t][f.Name] = true
		}
	}
	for name, title := range g.title {
		t := g.tables[title]
		if len(t.Handles) > 1 || !g.holders.alone[t.Handles[0]] {
			continue
		}
		for other, families := range of {
			if other != t && slices.ContainsFunc(slices.Collect(maps.Keys(of[t])), func(f string) bool { return families[f] }) {
				delete(g.tables, title)
				delete(g.title, name)
				delete(g.holders.name, t.Handles[0])
				break
			}
		}
	}
}

// connect gives a table of which only handles are known the name of one that
// only sources outside Go name, where each is the only one that has the other's
// families.
func (g *arranger) connect() {
	of := g.used()
	match := map[*Table][]*Table{}
	for _, t := range g.tables {
		if t.Nameless || t.Declared != nil || of[t] != nil || t.Name == "" {
			continue
		}
		for h, families := range of {
			has := func(name string) bool {
				return slices.ContainsFunc(t.Families, func(f *Family) bool { return f.Name == name })
			}
			if h.Nameless && len(families) > 0 && !slices.ContainsFunc(slices.Collect(maps.Keys(families)), func(f string) bool { return !has(f) }) {
				match[t] = append(match[t], h)
				match[h] = append(match[h], t)
			}
		}
	}
	for name, title := range g.title {
		h := g.tables[title]
		if len(match[h]) == 1 && len(match[match[h][0]]) == 1 {
			t := match[h][0]
			t.Handles, t.Families = h.Handles, append(t.Families, h.Families...)
			t.Guessed = true
			delete(g.tables, title)
			g.title[name] = t.Name
		}
	}
}
