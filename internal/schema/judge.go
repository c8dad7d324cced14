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
	placed   map[string][]*evidence.Setting // those of one statement
}

// index arranges the settings by tables: instances may have thousands.
func (j *Judge) index() {
	j.byTable, j.patterns, j.projects = map[string][]*evidence.Setting{}, nil, map[string][]string{}
	j.texts = map[text][]*evidence.Setting{}
	j.placed = map[string][]*evidence.Setting{}
	for _, s := range j.Schema.Settings {
		if s.Call != nil {
			j.placed[s.Place.String()] = append(j.placed[s.Place.String()], s)
		}
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
	return unique(withoutCopies(j.findings))
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

// copied reports whether a place is of a plan or a state, which repeat what a
// source says.
func copied(p evidence.Place) bool { return p.File != "" && p.Line == 0 && p.Address != "" }

// withoutCopies drops what is said of a plan or a state and of a source, too.
func withoutCopies(list []*Finding) []*Finding {
	// A table's name may be known of a plan only; the resource's address is the
	// same.
	type about struct{ category, of, family string }
	written := map[about]bool{}
	for _, f := range list {
		if !copied(f.Place) {
			written[about{f.Category, f.Table, f.Family}] = true
			written[about{f.Category, f.Place.Address, f.Family}] = f.Place.Address != ""
		}
	}
	return slices.DeleteFunc(list, func(f *Finding) bool {
		return copied(f.Place) && (written[about{f.Category, f.Table, f.Family}] || written[about{f.Category, f.Place.Address, f.Family}])
	})
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
			j.add("ttlgc", v.Category, j.at(s), s.Table, s.Family, "%s", v.Message).Fix = j.rewrite(s, f, v.Category)
		}
	case s.Created && f.Strategy.NeedsFilter() && s.Known() && !j.stated(s) && !j.faulty(s):
		j.add("ttlgc", "no-policy", j.at(s), s.Table, s.Family, "creates %s without a policy, and no source gives it one: nothing is ever collected; give it %s",
			name(f, t, s.Table), Write(s.Kind, gcpolicy.Needed(f))).Fix = j.rewrite(s, f, "no-policy")
	}
}

// at is where a finding about a setting stands: where it is written, or, where
// several calls share that and need different policies, at its call.
func (j *Judge) at(s *evidence.Setting) evidence.Place {
	if s.Call == nil {
		return s.Place
	}
	need := func(s *evidence.Setting) string {
		if f, _ := j.Model.Family(ref(s), s.Family); f != nil {
			return gcpolicy.Needed(f).String()
		}
		return ""
	}
	for _, o := range j.placed[s.Place.String()] {
		if *o.Call != *s.Call && need(o) != need(s) {
			at := *s.Call
			at.Address = s.Place.Address
			return at
		}
	}
	return s.Place
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
