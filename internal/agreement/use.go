package agreement

import (
	"regexp"
	"slices"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// An Entry is a table of the registry file, or one of its families.
type Entry struct {
	Table  *registry.Table
	Family *registry.Family // nil for the table
	// Source is a place outside Go that creates it, or sets its policy; nil
	// for none.
	Source *evidence.Place
	// Maybe is a call that may be about it, as far as is known; nil for none.
	Maybe *evidence.Call
}

// String names the entry.
func (e *Entry) String() string {
	if e.Family != nil {
		return "family " + e.Family.Name + " of table " + e.Table.Pattern
	}
	return "table " + e.Table.Pattern
}

// Pos is where the entry stands in the registry file.
func (e *Entry) Pos() registry.Position {
	if e.Family != nil {
		return e.Family.Pos
	}
	return e.Table.Pos
}

// Table returns the table of the registry, declared in its file or in Go, that
// a reference names for certain. known reports whether it names one for certain,
// which the registry need not have.
func (a *Agreement) Table(ref registry.Ref) (t *registry.Table, known bool) {
	t, known = a.Model.Table(ref)
	if t != nil && t.Source == registry.FromGuess {
		return nil, t.Pattern != ""
	}
	return t, known
}

// Unused lists the entries of the registry file, in its order, that nothing in
// Go code reads, writes or creates. Of a table that nothing uses, the families
// are not listed.
func (a *Agreement) Unused() []*Entry {
	if a.File == nil {
		return nil
	}
	supplied := a.Supplied()
	var out []*Entry
	for _, t := range a.File.Tables {
		used := slices.ContainsFunc(a.Code.Calls, func(c *evidence.Call) bool { return a.about(c, t) })
		if !used {
			e := &Entry{Table: t, Source: a.createdAt(t, "")}
			for _, c := range a.Code.Calls {
				if a.mayBe(c, t, supplied) && (len(c.Families) == 0 || slices.ContainsFunc(c.Families, func(f string) bool { return t.Family(f) != nil })) {
					e.Maybe = c
				}
			}
			out = append(out, e)
			continue
		}
		for _, f := range t.Families {
			if e := a.unusedFamily(t, f, supplied); e != nil {
				out = append(out, e)
			}
		}
	}
	return out
}

// unusedFamily returns the entry of a family of a table that is used, where no
// call names the family; nil where one does.
func (a *Agreement) unusedFamily(t *registry.Table, f *registry.Family, supplied Supply) *Entry {
	e := &Entry{Table: t, Family: f, Source: a.createdAt(t, f.Name)}
	for _, c := range a.Code.Calls {
		about := a.about(c, t)
		switch maybe := about || a.mayBe(c, t, supplied); {
		case !maybe:
		case slices.Contains(c.Families, f.Name) || slices.ContainsFunc(c.Filtered, func(re string) bool { return matches(re, f.Name) }):
			if about {
				return nil
			}
			e.Maybe = c
		case slices.ContainsFunc(c.Gaps, func(g evidence.Gap) bool {
			return (g.What == "family" || g.What == "filter") && !g.Supplied && !(g.Open && supplied[a.Where(c.Place)])
		}):
			e.Maybe = c
		}
	}
	return e
}

// matches reports whether a regular expression of a filter lets a family pass, or
// may.
func matches(expr, family string) bool {
	re, err := regexp.Compile("^(?:" + expr + ")$")
	return err != nil || expr == "" || re.MatchString(family)
}

// about reports whether a call is about a table for certain.
func (a *Agreement) about(c *evidence.Call, t *registry.Table) bool {
	return slices.ContainsFunc(c.Tables, func(ref registry.Ref) bool {
		have, _ := a.Table(ref)
		return have != nil && have.Pattern == t.Pattern
	})
}

// mayBe reports whether a call may be about a table, as far as is known of it, and
// no other call says it: those that fill its mutation, or those that supply its
// table.
func (a *Agreement) mayBe(c *evidence.Call, t *registry.Table, supplied Supply) bool {
	if c.Told || supplied.Table(c, a.Where(c.Place)) {
		return false
	}
	return slices.ContainsFunc(c.Tables, func(ref registry.Ref) bool {
		return slices.ContainsFunc(a.Model.Candidates(ref), func(have *registry.Table) bool { return have.Pattern == t.Pattern })
	})
}

// A Supply has the places of the calls to which other calls in view lead: true where
// those supply what it leaves open, and false where it is the table alone that they
// supply, to the object whose method makes the call.
type Supply map[string]bool

// Table reports whether calls in view supply the table of a call that does not know it.
func (s Supply) Table(c *evidence.Call, place string) bool {
	_, supplied := s[place]
	return supplied || slices.ContainsFunc(c.Gaps, func(g evidence.Gap) bool { return g.What == "table" && g.Supplied })
}

// Supplied returns where calls in view lead.
func (a *Agreement) Supplied() Supply {
	places, runs := Supply{}, map[string]bool{}
	for _, c := range a.Code.Calls {
		if c.Runs != "" {
			runs[c.Runs] = runs[c.Runs] || !c.OnlyTable
		}
		if c.Reaches != "" {
			places[c.Reaches] = places[c.Reaches] || !c.OnlyTable
		}
	}
	for _, c := range a.Code.Calls {
		if all, ok := runs[c.In]; ok {
			place := a.Where(c.Place)
			places[place] = places[place] || all
		}
	}
	return places
}

// createdAt returns a place in a source outside Go that names a table, or one of
// its families; nil if there is none.
func (a *Agreement) createdAt(t *registry.Table, family string) *evidence.Place {
	for _, s := range a.Schema.Settings {
		if s.Table != "*" && registry.Overlaps(t.Pattern, s.Table) && (family == "" || s.Family == family) {
			return &s.Place
		}
	}
	return nil
}
