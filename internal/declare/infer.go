package declare

import (
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/schema"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// given is a policy that a family is given.
type given struct {
	table, family string           // the table "" where it is not known
	policy        *gcpolicy.Policy // nil where the family is created without one
}

// may reports whether the table of g may be one of that name.
func (g given) may(table string) bool {
	return g.table == "" || table == "" || registry.Overlaps(g.table, table)
}

// addShown adds the families of which policies of at most a second show that
// their timestamps are moments of expiry, unless they are declared.
func (r *Result) addShown(shown []trace.Shown) {
	shown = slices.Clone(shown)
	slices.SortStableFunc(shown, func(a, b trace.Shown) int { return strings.Compare(a.Where, b.Where) })
	var all []given
	for _, s := range shown {
		all = append(all, given{value.Glob(s.Table), s.Family, gcpolicy.Of(s.Policy)})
	}
	for i, g := range all {
		if g.policy != nil && g.policy.OneSecond() && !slices.ContainsFunc(all, g.contradicts) {
			r.infer(g, shown[i].Where)
		}
	}
	r.tellNames(all)
}

// contradicts reports whether code gives the family another policy too: a drain
// that is undone, or an age that a flag chooses. Neither then tells what the
// timestamps of the family are.
func (g given) contradicts(o given) bool {
	return o.family == g.family && (o.table == g.table || o.table == "" || g.table == "") &&
		o.policy != nil && o.policy.Known() && !o.policy.OneSecond()
}

// infer adds a family that a policy shows, unless it is declared.
func (r *Result) infer(g given, where string) {
	f := &registry.Family{Name: g.family, Strategy: registry.OneSecond, Source: registry.FromGuess,
		Evidence: where, MaxAge: ageOf(g.policy)}
	ref := registry.Ref{Name: g.table}
	if t, known := r.Model.Table(ref); t != nil {
		if t.Family(g.family) == nil {
			t.Families = append(t.Families, f)
		}
		return
	} else if !known && g.table == "" {
		// Any table's: one that declares a family of this name speaks for
		// it.
		for _, t := range r.Model.Tables {
			if t.Family(g.family) != nil {
				return
			}
		}
	}
	if t := r.table(g.table); t != nil {
		t.Families = append(t.Families, f)
		return
	}
	r.Model.Tables = append(r.Model.Tables, &registry.Table{Pattern: g.table, Families: []*registry.Family{f}, Source: registry.FromGuess})
}

// tellNames notes of the families that policies show which of them their name
// alone tells: those of which no other table has one with another policy or none.
func (r *Result) tellNames(more []given) {
	r.given = append(r.given, more...)
	for _, t := range r.Model.Tables {
		for _, f := range t.Families {
			if f.Source == registry.FromGuess {
				f.Shared = slices.ContainsFunc(r.given, func(g given) bool {
					return g.family == f.Name && g.table != t.Pattern && !r.oneSecond(g)
				})
			}
		}
	}
}

// oneSecond reports whether a family is given a policy of at most a second, where
// it is given one or elsewhere.
func (r *Result) oneSecond(g given) bool {
	if g.policy != nil {
		return g.policy.OneSecond()
	}
	return slices.ContainsFunc(r.given, func(o given) bool {
		return o.family == g.family && o.policy != nil && o.policy.OneSecond() && o.may(g.table)
	})
}

// AddSchema adds the families of which policies outside Go show the same.
func (r *Result) AddSchema(from *evidence.Schema) {
	for _, s := range schema.OneSecond(from) {
		r.infer(given{s.Table, s.Family, s.Policy}, r.where(s.Place))
	}
	var all []given
	for _, s := range from.Settings {
		if s.Family != "" && (s.Policy != nil || s.Created) {
			all = append(all, given{s.Table, s.Family, s.Policy})
		}
	}
	r.tellNames(all)
}

// where writes a place in another file, relative to the registry.
func (r *Result) where(p evidence.Place) string { return p.SeenFrom(r.Path) }
