package registry

import (
	"path"
	"slices"
	"strings"
)

// A Model is every declaration that one package can see.
type Model struct {
	Tables []*Table
}

// Empty reports whether nothing is declared.
func (m *Model) Empty() bool { return m == nil || len(m.Tables) == 0 }

// A Ref is what a call tells of the table that it goes to.
type Ref struct {
	// Name is the table's name, in which each '*' stands for a part that is
	// not known; "" when nothing is known.
	Name string
	// Handles are the fields, variables and functions that the table came
	// through, such as "example.com/app/store.Ledger.tbl".
	Handles []string
	// Asked is a pattern of what somebody who is not known was asked for to
	// open the table: no name, but a table that has nothing of it is another.
	Asked string
	// Among are the names of the tables of which it is one, where no more is known of
	// it.
	Among []string
	// Fake says that it is no table at all.
	Fake bool
}

// Says reports whether anything is known of the table.
func (r Ref) Says() bool { return r.Name != "" || len(r.Handles) > 0 || r.Fake }

// Known reports whether the whole name is known.
func (r Ref) Known() bool { return r.Name != "" && !strings.Contains(r.Name, "*") }

// Table returns the declared table that ref certainly names. Without one,
// known tells whether ref certainly names a table that is not declared.
func (m *Model) Table(ref Ref) (table *Table, known bool) {
	if ref.Fake {
		return nil, true
	}
	for _, t := range m.Tables {
		for _, h := range t.Handles {
			for _, via := range ref.Handles {
				if h == via {
					return t, true
				}
			}
		}
	}
	ref.Name = TableID(ref.Name)
	if ref.Name == "" {
		return nil, len(ref.Among) > 0 && !slices.ContainsFunc(ref.Among, func(name string) bool {
			t, known := m.Table(Ref{Name: name})
			return t != nil || !known
		})
	}
	for _, t := range m.Tables {
		if slices.Contains(t.Names, ref.Name) {
			return t, true
		}
	}
	best := -1
	for _, t := range m.Tables {
		if t.Pattern == "" || t.Pattern != ref.Name && !strings.ContainsAny(t.Pattern, `*?[\`) || !covers(t.Pattern, ref.Name) {
			continue
		}
		// A name overrules a pattern, a longer pattern a shorter one.
		if w := weight(t.Pattern); w > best {
			table, best = t, w
		}
	}
	if table != nil {
		return table, true
	}
	return nil, ref.Known() || len(m.candidates(ref)) == 0
}

// Contradicts returns the handle through which ref names a table, and that table,
// where the name that is known of ref is another's.
func (m *Model) Contradicts(ref Ref) (handle string, t *Table) {
	if !ref.Known() {
		return "", nil
	}
	for _, t := range m.Tables {
		for _, h := range ref.Handles {
			if slices.Contains(t.Handles, h) && !t.Named(TableID(ref.Name)) {
				return h, t
			}
		}
	}
	return "", nil
}

// Named reports whether a name is one of the table's.
func (t *Table) Named(name string) bool {
	return covers(t.Pattern, name) || slices.Contains(t.Names, name)
}

// Candidates returns the declared tables that ref may name, where it names none
// for certain.
func (m *Model) Candidates(ref Ref) []*Table {
	if table, known := m.Table(ref); table != nil || known {
		return nil
	}
	return m.candidates(ref)
}

// candidates returns the declared tables that ref may name.
func (m *Model) candidates(ref Ref) []*Table {
	names := ref.Among
	if len(names) == 0 {
		names = []string{ref.Name}
	}
	var tables []*Table
	for _, t := range m.Tables {
		if t.Pattern == "" || slices.ContainsFunc(names, func(name string) bool {
			name = TableID(name)
			also := func(pattern string) bool { return overlaps(pattern, name) }
			return name == "" || also(t.Pattern) || slices.ContainsFunc(t.Names, also)
		}) {
			tables = append(tables, t)
		}
	}
	return tables
}

// Family returns what is declared of the family in the table that ref names,
// and that table when it is certain. When the table is not certain, the
// family is known if every table that it may be agrees on the strategy;
// what they do not agree on is then left out. It returns nil when nothing
// certain is known.
func (m *Model) Family(ref Ref, family string) (*Family, *Table) {
	if m.Empty() {
		return nil, nil
	}
	table, known := m.Table(ref)
	if table != nil {
		if f := table.Family(family); f != nil {
			return f, table
		}
		return nil, table
	}
	if known {
		return nil, nil
	}
	var agreed *Family
	for _, t := range m.candidates(ref) {
		f := t.Family(family)
		switch {
		case f == nil || f.Shared:
		case agreed == nil:
			agreed = f
		case agreed.Strategy != f.Strategy:
			return nil, nil
		case !agreed.Same(f):
			agreed = common(agreed, f)
		}
	}
	if agreed != nil && ref.Asked != "" && !slices.ContainsFunc(m.candidates(Ref{Name: ref.Asked}), func(t *Table) bool { return t.Family(family) != nil }) {
		return nil, nil
	}
	return agreed, nil
}

// common returns what two families of the same strategy agree on.
func common(f, g *Family) *Family {
	c := *f
	if f.TTL != g.TTL {
		c.TTL = 0
	}
	if f.MaxAge != g.MaxAge {
		c.MaxAge = 0
	}
	if f.Versions != g.Versions {
		c.Versions = 0
	}
	return &c
}

// weight orders patterns by how much they pin down.
func weight(pattern string) int {
	if !strings.ContainsAny(pattern, `*?[\`) {
		return 1 << 20
	}
	return len(pattern) - strings.Count(pattern, "*") - strings.Count(pattern, "?")
}

// covers reports whether pattern matches every name that ref can stand for.
// The unknown parts of ref are tried as empty and as text that no pattern
// has letter by letter.
func covers(pattern, ref string) bool {
	for _, part := range []string{"", "\x01", "\x01\x02\x03\x04\x05"} {
		if ok, err := path.Match(pattern, strings.ReplaceAll(ref, "*", part)); err != nil || !ok {
			return false
		}
		if !strings.Contains(ref, "*") {
			break
		}
	}
	return true
}

// overlaps reports whether some name matches both patterns. Character
// classes count as any character, so that it errs towards yes.
func overlaps(a, b string) bool {
	switch {
	case a == "" && b == "":
		return true
	case strings.HasPrefix(a, "*"):
		return overlaps(a[1:], b) || b != "" && overlaps(a, b[1:])
	case strings.HasPrefix(b, "*"):
		return overlaps(b, a)
	case a == "" || b == "":
		return false
	case a[0] == '[' || a[0] == '\\' || b[0] == '[' || b[0] == '\\':
		return true
	case a[0] == '?' || b[0] == '?' || a[0] == b[0]:
		return overlaps(a[1:], b[1:])
	}
	return false
}

// Overlaps reports whether some name matches both patterns.
func Overlaps(a, b string) bool { return overlaps(a, b) }

// Covers reports whether a pattern matches every name that another can stand
// for, of which each '*' is a part that is not known.
func Covers(pattern, name string) bool { return covers(pattern, name) }
