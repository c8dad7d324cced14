package schema

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// A Finding is a contradiction between a source and the registry, or within
// the sources.
type Finding struct {
	Analyzer, Category string
	Place              evidence.Place
	Table, Family      string
	Message            string
	Fix                *Fix // nil where none is certain
}

// A Judge holds sources against the registry.
type Judge struct {
	Model  *registry.Model
	Schema *evidence.Schema
	Code   *evidence.Code // what Go code does; nil when it was not looked at
	Base   string         // the directory that paths in messages are relative to

	findings []*Finding
	byTable  map[string][]*evidence.Setting // settings, in sources and in Go, of tables that are known by name
	patterns []*evidence.Setting            // the others
	projects map[string][]string            // of each instance
	texts    map[text][]*evidence.Setting   // settings that are made of one text
}

// index arranges the settings by tables: instances may have thousands.
func (j *Judge) index() {
	j.byTable, j.patterns, j.projects = map[string][]*evidence.Setting{}, nil, map[string][]string{}
	j.texts = map[text][]*evidence.Setting{}
	for _, s := range j.Schema.Settings {
		if w := s.Written; w != nil {
			j.texts[text{w.File, w.Start}] = append(j.texts[text{w.File, w.Start}], s)
		}
	}
	for _, list := range [][]*evidence.Setting{j.Schema.Settings, j.Code.Settings} {
		for _, s := range list {
			if strings.Contains(s.Table, "*") {
				j.patterns = append(j.patterns, s)
			} else {
				j.byTable[s.Table] = append(j.byTable[s.Table], s)
			}
			if s.Project != "" && !slices.Contains(j.projects[s.Instance], s.Project) {
				j.projects[s.Instance] = append(j.projects[s.Instance], s.Project)
			}
		}
	}
}

// of returns the settings that may be of a table.
func (j *Judge) of(table string) []*evidence.Setting {
	list := j.byTable[table]
	for _, s := range j.patterns {
		if mayBe(s.Table, table) {
			list = append(list[:len(list):len(list)], s)
		}
	}
	return list
}

// Findings returns what is wrong, in the order of the places.
func (j *Judge) Findings() []*Finding {
	j.findings = nil
	if j.Code == nil {
		j.Code = &evidence.Code{}
	}
	j.index()
	for _, f := range j.Schema.Faults {
		j.add("ttlschema", "inert", f.Place, f.Table, f.Family, "%s%s", about(f), f.Message).Fix = j.mend(f)
	}
	for _, s := range j.Schema.Settings {
		j.setting(s)
	}
	j.drift()
	j.missing()
	sort.SliceStable(j.findings, func(a, b int) bool {
		x, y := j.findings[a].Place, j.findings[b].Place
		if x.File != y.File {
			return x.File < y.File
		}
		if x.Line != y.Line {
			return x.Line < y.Line
		}
		return x.Column < y.Column
	})
	return unique(j.findings)
}

// about names the family or table of a fault, unless its message does.
func about(f *evidence.Fault) string {
	switch family, table := fmt.Sprintf("family %q", f.Family), fmt.Sprintf("table %q", f.Table); {
	case f.Family != "" && strings.Contains(f.Message, family):
		return ""
	case f.Family != "" && f.Table != "" && f.Table != "*":
		return family + " of " + table + ": "
	case f.Family != "":
		return family + ": "
	case f.Table != "" && f.Table != "*":
		return table + ": "
	}
	return ""
}

// unique drops what is said twice of one place: by the turns of a loop, the
// instances of a resource.
func unique(list []*Finding) []*Finding {
	seen := map[string]bool{}
	var out []*Finding
	for _, f := range list {
		key := fmt.Sprint(f.Place.String(), f.Place.Address != "" && f.Place.Line == 0, f.Place.Address, f.Category, f.Family)
		if f.Place.Line > 0 {
			key = fmt.Sprint(f.Place.String(), f.Category, f.Family)
		}
		if !seen[key] {
			seen[key] = true
			out = append(out, f)
		}
	}
	return out
}

func (j *Judge) add(analyzer, category string, at evidence.Place, table, family, format string, args ...any) *Finding {
	f := &Finding{Analyzer: analyzer, Category: category, Place: at, Table: table, Family: family, Message: fmt.Sprintf(format, args...)}
	j.findings = append(j.findings, f)
	return f
}

// where writes a place for a message.
func (j *Judge) where(p evidence.Place) string {
	if p.File != "" && j.Base != "" {
		if rel, err := filepath.Rel(j.Base, p.File); err == nil {
			p.File = filepath.ToSlash(rel)
		}
	}
	return p.Short()
}

// name says which family it is, for messages.
func name(f *registry.Family, t *registry.Table, table string) string {
	s := fmt.Sprintf("%s family %q", f.Strategy, f.Name)
	if t != nil && t.Pattern != "" {
		table = t.Pattern
	}
	if table != "" && table != "*" {
		s += fmt.Sprintf(" of table %q", table)
	}
	if f.Source == registry.FromGuess {
		s += " (inferred from the policy at " + f.Evidence + ")"
	}
	return s
}

// ref is what the registry looks a setting's table up by.
func ref(s *evidence.Setting) registry.Ref {
	if s.Table == "*" {
		return registry.Ref{}
	}
	return registry.Ref{Name: s.Table}
}

func (j *Judge) setting(s *evidence.Setting) {
	if s.Family == "" || strings.Contains(s.Family, "*") || s.Aggregate || s.Table == "*" {
		return
	}
	f, t := j.Model.Family(ref(s), s.Family)
	if f == nil {
		j.undeclared(s, t)
		return
	}
	switch {
	case s.Policy != nil:
		g := &gcpolicy.Setting{Family: f.Agreement(), Name: name(f, t, s.Table), Policy: s.Policy, Relaxes: s.Relaxes,
			Write: func(p *gcpolicy.Policy) string { return Write(s.Kind, p) }}
		if s.Kind == evidence.Live && s.Created && s.Policy.Op == gcpolicy.None && f.Strategy.NeedsFilter() {
			j.add("ttlgc", "no-policy", s.Place, s.Table, s.Family, "%s has no policy: nothing is ever collected; give it %s", name(f, t, s.Table), g.Right())
			return
		}
		if v := g.Judge(); v != nil {
			j.add("ttlgc", v.Category, s.Place, s.Table, s.Family, "%s", v.Message).Fix = j.rewrite(s, f, v.Category)
		}
	case s.Created && f.Strategy.NeedsFilter() && s.Known() && !j.stated(s) && !j.faulty(s):
		j.add("ttlgc", "no-policy", s.Place, s.Table, s.Family, "creates %s without a policy, and no source gives it one: nothing is ever collected; give it %s",
			name(f, t, s.Table), Write(s.Kind, gcpolicy.Needed(f))).Fix = j.rewrite(s, f, "no-policy")
	}
}

// stated reports whether a source, or Go code, may say something of the
// policy of a family that another creates.
func (j *Judge) stated(s *evidence.Setting) bool {
	for _, t := range j.of(s.Table) {
		if same, _ := s.SameEnvironment(t); t.Policy != nil && (same || t.Instance == "") && mayBe(t.Family, s.Family) {
			return true
		}
	}
	return false
}

// faulty reports whether the policy of a family is refused: that is said.
func (j *Judge) faulty(s *evidence.Setting) bool {
	for _, f := range j.Schema.Faults {
		if mayBe(f.Family, s.Family) && mayBe(f.Table, s.Table) {
			return true
		}
	}
	return false
}

// mayBe reports whether a name, of which parts may not be known, may be
// another.
func mayBe(pattern, name string) bool {
	if pattern == "" || pattern == name {
		return true
	}
	return strings.Contains(pattern, "*") && registry.Overlaps(pattern, name)
}

func (j *Judge) undeclared(s *evidence.Setting, t *registry.Table) {
	if t == nil || t.Source == registry.FromGuess || !s.Created || !s.Known() {
		return
	}
	j.add("ttlschema", "undeclared", s.Place, s.Table, s.Family, "creates family %q of table %q, which the registry does not have: nothing checks who writes and reads it; add it to the registry%s",
		s.Family, t.Pattern, at(t))
}

func at(t *registry.Table) string {
	if t.Pos.File == "" {
		return ""
	}
	return fmt.Sprintf(" at %s:%d", filepath.Base(t.Pos.File), t.Pos.Line)
}

// A group is what one source says of one family.
type group struct {
	source   string
	settings []*evidence.Setting
}

// drift reports sources that give a family of one table different policies.
func (j *Judge) drift() {
	families := map[string][]*group{}
	var order []string
	for _, list := range [][]*evidence.Setting{j.Schema.Settings, j.Code.Settings} {
		for _, s := range list {
			if !s.Known() || !s.States() || s.Test || s.Aggregate {
				continue
			}
			key := s.Table + "\x00" + s.Family
			if families[key] == nil {
				order = append(order, key)
			}
			source := s.Place.File + "\x00" + s.Project + "\x00" + s.Instance + "\x00" + s.Variant
			var g *group
			for _, have := range families[key] {
				if have.source == source {
					g = have
				}
			}
			if g == nil {
				g = &group{source: source}
				families[key] = append(families[key], g)
			}
			g.settings = append(g.settings, s)
		}
	}
	for _, key := range order {
		groups := families[key]
		sort.SliceStable(groups, func(a, b int) bool { return groups[a].settings[0].Kind < groups[b].settings[0].Kind })
		environments := map[string]bool{}
		for _, g := range groups {
			if s := g.settings[0]; s.Instance != "" {
				environments[j.environment(s)] = true
			}
		}
		for i, g := range groups {
			for _, h := range groups[:i] {
				if j.differ(h, g, len(environments) <= 1) {
					break
				}
			}
		}
	}
}

// environment names the project and instance of a setting. A source that
// names no project means the only one in which others have the instance.
func (j *Judge) environment(s *evidence.Setting) string {
	project := s.Project
	if list := j.projects[s.Instance]; project == "" && len(list) == 1 {
		project = list[0]
	}
	return project + "/" + s.Instance
}

// differ reports a drift between two sources, of which the first is trusted
// more.
func (j *Judge) differ(trusted, g *group, oneEnvironment bool) bool {
	a, b := trusted.settings[0], g.settings[0]
	same, certain := a.SameEnvironment(b)
	certain = certain || a.Instance != "" && b.Instance != "" && j.environment(a) == j.environment(b)
	if !same || !certain && !oneEnvironment || a.Place.File == b.Place.File && a.Kind == b.Kind && a.Place.File != "" {
		return false
	}
	for _, x := range trusted.settings {
		for _, y := range g.settings {
			if x.Policy.Equal(y.Policy) {
				return false
			}
		}
	}
	at, other := b, a
	if b.Place.File == "" {
		at, other = a, b
	}
	j.add("ttlschema", "drift", at.Place, at.Table, at.Family, "family %q of table %q has the policy %s here and %s in %s: the one that is applied last holds; make them the same",
		at.Family, at.Table, at.Policy, other.Policy, j.where(other.Place))
	return true
}
