package agreement

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agext/levenshtein"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/schema"
)

// Slips reports the entries of the registry file that nothing is about, in Go or
// elsewhere, beside a name in Go code that the registry does not have and that
// differs by a slip. The code of all modules for which the file holds must be in
// view.
func (a *Agreement) Slips() []*schema.Finding {
	var out []*schema.Finding
	for _, e := range a.Unused() {
		if e.Source != nil || e.Maybe != nil || strings.ContainsAny(e.Table.Pattern, `*?[\`) && e.Family == nil {
			continue
		}
		name, at := e.Table.Pattern, a.otherTable
		what, in := "table", ""
		if e.Family != nil {
			name, at = e.Family.Name, a.otherFamily
			what, in = "family", fmt.Sprintf(" of table %q", e.Table.Pattern)
		}
		meant, call := at(e)
		if call == nil {
			continue
		}
		f := &schema.Finding{Analyzer: "ttlvet", Category: "registry", Table: e.Table.Pattern, Place: evidence.Place{Position: e.Pos()}, Message: fmt.Sprintf(
			"%s %q%s is used nowhere, and %q, used at %s, is not registered: nothing checks it; did you mean %q?", what, name, in, meant, call.Place.SeenFrom(a.File.Path), meant)}
		if e.Family != nil {
			f.Family = name
		}
		out = append(out, f)
	}
	return out
}

// otherTable returns the table that code names, the registry does not have, and an
// entry may be a slip for: of its families, as far as any is known, too.
func (a *Agreement) otherTable(e *Entry) (name string, at *evidence.Call) {
	first, families := map[string]*evidence.Call{}, map[string][]string{}
	for _, c := range a.Own {
		for _, ref := range c.Tables {
			if t, known := a.Table(ref); t != nil || !known || !ref.Known() || c.Test {
				continue
			}
			id := registry.TableID(ref.Name)
			if first[id] == nil {
				first[id] = c
			}
			families[id] = append(families[id], c.Families...)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(first)) {
		has := slices.ContainsFunc(families[id], func(f string) bool { return e.Table.Family(f) != nil })
		if (has || families[id] == nil) && nearer(e.Table.Pattern, id, name) {
			name, at = id, first[id]
		}
	}
	return name, at
}

// otherFamily is the like for the family of a table that code uses.
func (a *Agreement) otherFamily(e *Entry) (name string, at *evidence.Call) {
	for _, c := range a.Own {
		if c.Test || c.Loose || !a.about(c, e.Table) {
			continue
		}
		for _, f := range c.Families {
			if e.Table.Family(f) == nil && nearer(e.Family.Name, f, name) {
				name, at = f, c
			}
		}
	}
	return name, at
}

// nearer reports whether a name may have been meant by another, and rather than a
// third one, "" for none.
func nearer(written, meant, than string) bool {
	return slip(written, meant) && (than == "" || distance(written, meant) < distance(written, than))
}

// slip reports whether two names differ by a slip of the pen: by at most two
// letters, and in each of their words by at most a third of these. Words that are
// so short tell things apart, as numbers do: eu-ledger and us-ledger, v1 and v2.
func slip(a, b string) bool {
	d := distance(a, b)
	if d == 0 || d > 2 || noDigits(a) == noDigits(b) {
		return false
	}
	v, w := words(a), words(b)
	if len(v) != len(w) {
		return d <= len(noDigits(a))/3
	}
	for i := range v {
		if distance(v[i], w[i]) > min(len(v[i]), len(w[i]))/3 {
			return false
		}
	}
	return true
}

// distance counts the letters that are put in, left out, replaced or, if nothing
// else is, exchanged with the next.
func distance(a, b string) int {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) && i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:] {
		return 1
	}
	return levenshtein.Distance(a, b, nil)
}

func words(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-_.", r) })
}

func noDigits(name string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, name)
}
