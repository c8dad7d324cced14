package ttlguard

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// A table is what is declared of a table, or of all that match a pattern.
type table struct {
	pattern  string
	families []*strategy.Family // in the order of the declaration
	byName   map[string]*strategy.Family
	rights   filters // of reads
}

// Declare declares the families of a table, or of all tables that match a
// pattern of [path.Match], such as "*-ledger".
func Declare(pattern string, families ...strategy.Family) Option {
	return func(g *Guard) error { return g.declare(pattern, families) }
}

// declare adds families to what is declared of a table.
func (g *Guard) declare(pattern string, families []strategy.Family) error {
	if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
		return fmt.Errorf("ttlguard: %q is no name of a table, and no pattern", pattern)
	}
	t := g.declared(pattern)
	for _, f := range families {
		if f.Name == "" || !slices.Contains(strategy.Strategies(), f.Strategy) {
			return fmt.Errorf("ttlguard: table %q: family %q has the strategy %q", pattern, f.Name, f.Strategy)
		}
		if before := t.byName[f.Name]; before != nil {
			if *before != f {
				return fmt.Errorf("ttlguard: table %q: family %q is declared twice, as %s and as %s, or with other limits", pattern, f.Name, before.Strategy, f.Strategy)
			}
			continue
		}
		t.families = append(t.families, &f)
		t.byName[f.Name] = &f
	}
	return nil
}

// declared returns the table of that pattern, which it adds if it is new.
func (g *Guard) declared(pattern string) *table {
	if t := g.tables[pattern]; t != nil {
		return t
	}
	t := &table{pattern: pattern, byName: map[string]*strategy.Family{}}
	if !strings.ContainsAny(pattern, `*?[\`) {
		g.tables[pattern] = t
		return t
	}
	if i := slices.IndexFunc(g.patterns, func(t *table) bool { return t.pattern == pattern }); i >= 0 {
		return g.patterns[i]
	}
	g.patterns = append(g.patterns, t)
	// A longer pattern overrules a shorter one, as in the linter.
	weight := func(t *table) int {
		return len(t.pattern) - strings.Count(t.pattern, "*") - strings.Count(t.pattern, "?")
	}
	slices.SortStableFunc(g.patterns, func(a, b *table) int { return weight(b) - weight(a) })
	return t
}

// lookup returns what is declared of the table with that ID, or nil.
func (g *Guard) lookup(id string) *table {
	if t := g.tables[id]; t != nil || id == "" {
		return t
	}
	for _, t := range g.patterns {
		if ok, _ := path.Match(t.pattern, id); ok {
			return t
		}
	}
	return nil
}

// idOf returns the ID in a resource name of a table or of an authorized view
// of it, projects/P/instances/I/tables/T/authorizedViews/V, the first that has
// one.
func idOf(names ...string) string {
	for _, name := range names {
		if _, rest, ok := strings.Cut(name, "/tables/"); ok {
			id, _, _ := strings.Cut(rest, "/")
			return id
		}
	}
	return ""
}
